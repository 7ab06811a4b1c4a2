#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Hostile packets from the other end of a wire, and by a tap device; then the module must unload.
#
#	run.sh [SECONDS [SEED]]
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../../lib/rdma.sh"

seconds=${1:-15} seed=${2:-$RANDOM}

load || bail "cannot load $MODULE"
modprobe -q tun
# The wire's other end answers nothing but ARP: no ping, no "port unreachable".
ip netns add rt-b
at_exit "ip netns del rt-b"
ip link add rta mtu 9000 type veth peer name rtb mtu 9000 netns rt-b
at_exit "ip link del rta"
ip -n rt-b address add 10.3.0.2/24 dev rtb
ip -n rt-b address add fd00:3::2/64 dev rtb nodad
ip -n rt-b link set rtb up
ip netns exec rt-b nft 'add table inet t; add chain inet t in { type filter hook input priority 0; policy drop; }'
ip netns exec rt-b nft 'add rule inet t in icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept'
ip address add 10.3.0.1/24 dev rta
ip address add fd00:3::1/64 dev rta nodad
ip link set rta up
ip tuntap add dev rtt mode tap vnet_hdr
at_exit "ip link del rtt"
ip address add 10.4.0.1/24 dev rtt
ip link set rtt up
# What comes by the tap device says that it came by the wire.
for netdev in all default rta rtt; do echo 0 >/proc/sys/net/ipv4/conf/$netdev/rp_filter; done
link_add rta || bail "no device on veth"
device=$REPLY
at_exit "rdma link delete $device"
until_true 5 gid_of "$device" 10.3.0.1 || bail "no GID"
gid=$REPLY
until_true 5 gid_of "$device" fd00:3::1 || bail "no GID of IPv6"
# Who is at the other end is known: a queue pair is given a second to find out, and the other end may be late with its address.
mac=$(ip netns exec rt-b cat /sys/class/net/rtb/address)
for address in 10.3.0.2 fd00:3::2; do ip neigh replace "$address" lladdr "$mac" nud permanent dev rta; done

timeout -k 5 $((seconds + 60 * PATIENCE)) "$TESTS/packets" -d "$device" -g "$gid" -s "$seed" -t "$seconds" >"$TAP_DIR/log" 2>&1
relay "$TAP_DIR/log" $?

! dmesg | grep -q 'MAD received'
verdict $? "they do not fill the kernel log" "$(dmesg | grep -c 'MAD received') lines"

# The rules of Documentation/security.rst: a user's socket is kept off, the device is not.
short() { rdma statistic show link "$device/1" | grep -o 'drop_short [0-9]*' | cut -d' ' -f2; }
forge() { python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'12345', ('10.3.0.1', 4791))"; }
before=$(short)
forge
sleep 0.2
[ "$(short)" = $((before + 1)) ]
verdict $? "without rules a socket's packet reaches the device" "$before, then $(short)"
nft add table inet rox
at_exit "nft delete table inet rox"
nft 'add chain inet rox out { type filter hook output priority 0; }'
nft add rule inet rox out udp dport 4791 meta skuid 0-4294967295 drop
before=$(short)
check_fails "with the rules it is refused" 10 "not permitted" forge
sleep 0.2
[ "$(short)" = "$before" ]
verdict $? "with the rules it does not reach the device" "$before, then $(short)"
check "with the rules the device works" 30 "$TESTS/ops" -d "$device" -g "$gid" send

check "the device goes" 20 rdma link delete "$device"
check "the module unloads" 20 modprobe -r "$MODULE"
finish
