#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Writes vectors.h: whole RoCE v2 packets and what they say.

Nothing here comes from kernel/proto. IP, UDP and BTH are scapy's; extension
headers, which scapy hardly knows, are packed here by IBA chapter 9. For IPv4
the ICRC is scapy's, and must equal the one computed here by IBA 7.8.1 and annex
A17.3.3. For IPv6 it is only the latter: scapy 2.5.0 has none and writes zero
(see compute_icrc() in its roce.py). Where scapy lacks an opcode (the two with
invalidate) the number is given to it as it is.

    python3 generate.py > vectors.h
"""

import logging
import random
import struct
import sys
import textwrap
import zlib

logging.getLogger("scapy").setLevel(logging.ERROR)

from scapy.all import IP, IPv6, UDP, Raw, raw  # noqa: E402
from scapy.contrib.roce import BTH  # noqa: E402

rng = random.Random(4791)


def bits(n):
    return rng.getrandbits(n)


# One function for each extension header: (bytes, fields of struct rox_pkt).
def deth():
    f = {"qkey": bits(32), "sqpn": bits(24)}
    return struct.pack(">II", f["qkey"], f["sqpn"]), f


def reth():
    f = {"va": bits(64), "rkey": bits(32), "dma_len": bits(32)}
    return struct.pack(">QII", f["va"], f["rkey"], f["dma_len"]), f


def atomic():
    f = {"va": bits(64), "rkey": bits(32), "swap_add": bits(64),
         "compare": bits(64)}
    return struct.pack(">QIQQ", f["va"], f["rkey"], f["swap_add"],
                       f["compare"]), f


def aeth():
    f = {"syndrome": bits(8), "msn": bits(24)}
    return struct.pack(">I", f["syndrome"] << 24 | f["msn"]), f


def orig():
    f = {"atomic_orig": bits(64)}
    return struct.pack(">Q", f["atomic_orig"]), f


def imm():
    f = {"imm": bits(32)}
    return struct.pack(">I", f["imm"]), f


def ieth():
    f = {"ieth": bits(32)}
    return struct.pack(">I", f["ieth"]), f


def zeros():
    return bytes(16), {}


# Name, opcode, extension headers, payload: 0 none, 1 any, 2 full.
COMMON = [
    ("SEND_FIRST", 0x00, [], 2),
    ("SEND_MIDDLE", 0x01, [], 2),
    ("SEND_LAST", 0x02, [], 1),
    ("SEND_LAST_WITH_IMM", 0x03, [imm], 1),
    ("SEND_ONLY", 0x04, [], 1),
    ("SEND_ONLY_WITH_IMM", 0x05, [imm], 1),
    ("RDMA_WRITE_FIRST", 0x06, [reth], 2),
    ("RDMA_WRITE_MIDDLE", 0x07, [], 2),
    ("RDMA_WRITE_LAST", 0x08, [], 1),
    ("RDMA_WRITE_LAST_WITH_IMM", 0x09, [imm], 1),
    ("RDMA_WRITE_ONLY", 0x0a, [reth], 1),
    ("RDMA_WRITE_ONLY_WITH_IMM", 0x0b, [reth, imm], 1),
]

OPCODES = [("RC_" + n, op, h, p) for n, op, h, p in COMMON] + [
    ("RC_RDMA_READ_REQUEST", 0x0c, [reth], 0),
    ("RC_RDMA_READ_RESPONSE_FIRST", 0x0d, [aeth], 2),
    ("RC_RDMA_READ_RESPONSE_MIDDLE", 0x0e, [], 2),
    ("RC_RDMA_READ_RESPONSE_LAST", 0x0f, [aeth], 1),
    ("RC_RDMA_READ_RESPONSE_ONLY", 0x10, [aeth], 1),
    ("RC_ACKNOWLEDGE", 0x11, [aeth], 0),
    ("RC_ATOMIC_ACKNOWLEDGE", 0x12, [aeth, orig], 0),
    ("RC_COMPARE_SWAP", 0x13, [atomic], 0),
    ("RC_FETCH_ADD", 0x14, [atomic], 0),
    ("RC_SEND_LAST_WITH_INVALIDATE", 0x16, [ieth], 1),
    ("RC_SEND_ONLY_WITH_INVALIDATE", 0x17, [ieth], 1),
] + [("UC_" + n, 0x20 | op, h, p) for n, op, h, p in COMMON] + [
    ("UD_SEND_ONLY", 0x64, [deth], 1),
    ("UD_SEND_ONLY_WITH_IMM", 0x65, [deth, imm], 1),
    ("CNP", 0x81, [zeros], 0),
]


def icrc(version, ip_udp, bth_on):
    """By the text of the specification; all input without the ICRC."""
    masked = bytearray(ip_udp + bth_on)
    if version == 4:
        header = 20
        ones = [1, 8, 10, 11]               # ToS, TTL, checksum
    else:
        header = 40
        masked[0] |= 0x0f                   # traffic class, first half
        ones = [1, 2, 3, 7]                 # its rest, flow label, hop limit
    ones += [header + 6, header + 7]        # UDP checksum
    ones += [header + 8 + 4]                # FECN, BECN, reserved
    for i in ones:
        masked[i] = 0xff
    return struct.pack("<I", zlib.crc32(bytes(8 * [0xff]) + bytes(masked)))


def ip_header(version):
    if version == 4:
        return IP(src="192.0.2.%d" % rng.randint(1, 254),
                  dst="198.51.100.%d" % rng.randint(1, 254), tos=bits(8),
                  id=rng.randint(1, 0xffff), flags=rng.choice(["", "DF"]),
                  ttl=rng.randint(1, 255))
    return IPv6(src="2001:db8::%x" % bits(16), dst="2001:db8:1::%x" % bits(16),
                tc=bits(8), fl=rng.randint(1, 0xfffff), hlim=rng.randint(1, 255))


def make(version, opcode, headers, payload_bytes):
    pad = -payload_bytes % 4
    want = {"opcode": opcode, "pad": pad, "payload_bytes": payload_bytes}
    flags = {k: bits(1) for k in ("solicited", "migreq", "fecn", "becn",
                                  "ackreq")}
    numbers = {"pkey": bits(16), "dqpn": bits(24), "psn": bits(24)}
    want.update(flags)
    want.update(numbers)
    body = b""
    for header in headers:
        data, fields = header()
        body += data
        want.update(fields)
    want["hdr_bytes"] = 12 + len(body)
    body += bits(8 * payload_bytes or 8).to_bytes(payload_bytes or 1, "big")[
        :payload_bytes] + bytes(pad)
    # A checksum that is not zero, right or not, must not matter to the ICRC.
    packet = ip_header(version) / UDP(sport=bits(16), dport=4791,
                                      chksum=bits(16)) / \
        BTH(opcode=opcode, padcount=pad, **flags, **numbers) / Raw(body)
    data = raw(packet)
    bth_at = (20 if version == 4 else 40) + 8
    ours = icrc(version, data[:bth_at], data[bth_at:-4])
    if version == 4:
        assert data[-4:] == ours, "scapy and the specification disagree"
    else:
        assert data[-4:] == bytes(4), "scapy has learnt IPv6: compare"
    return data[:-4] + ours, want


def emit(name, data, want):
    # Not the immediate: its type depends on the byte order of the machine.
    immediate = want.pop("imm", 0)
    print("\t{\n\t\t.name = \"%s\"," % name)
    print("\t\t.hex =")
    text = data.hex()
    for i in range(0, len(text), 56):
        end = "," if i + 56 >= len(text) else ""
        print("\t\t\t\"%s\"%s" % (text[i:i + 56], end))
    if immediate:
        print("\t\t.imm = 0x%x," % immediate)
    fields = " ".join(".%s=0x%x%s," % (f, v, "ull" if v >> 32 else "")
                      for f, v in want.items() if v)
    print("\t\t.want = {")
    for line in textwrap.wrap(fields, 56):
        print("\t\t\t" + line.replace("=", " = "))
    print("\t\t},\n\t},")


def main():
    print("/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */")
    print("/* Made by generate.py; do not edit. */")
    nr = 0
    for name, opcode, headers, payload in OPCODES:
        for version in (4, 6):
            for n in {0: [0], 1: [5 + nr % 4, 12 + nr % 4], 2: [16]}[payload]:
                data, want = make(version, opcode, headers, n)
                emit("IPv%d %s %d" % (version, name, n), data, want)
                nr += 1
    for version in (4, 6):
        data, want = make(version, 0x04, [], 0)
        emit("IPv%d RC_SEND_ONLY empty" % version, data, want)
    return 0


sys.exit(main())
