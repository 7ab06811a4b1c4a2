#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Who is on the network but not the peer can tell IP that the path to the peer bears little, by a forged ICMP message. A card does not listen; nor does rox.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
# shellcheck source=selftests/lib/bursts.sh
. "$HERE/../lib/bursts.sh"

topology_netns
for netdev in rta rtb; do ip -n "rt-${netdev#rt}" link set $netdev mtu 9000 || bail "$netdev takes no long packets"; done
has_mtu() { [ "$(port_mtu "$1")" = "$2" ]; }
for device in "$CLIENT_DEV" "$SERVER_DEV"; do until_true 10 has_mtu "$device" "4096" || bail "$device has no packets of 4 KiB"; done

# forge PORT FAMILY: "too big" for the client, of a datagram from its port.
forge()
{
	ip netns exec rt-b python3 - "$1" "$2" <<-'EOT'
	import socket, struct, sys
	port, family = int(sys.argv[1]), sys.argv[2]
	udp = struct.pack("!HHHH", port, 4791, 1400, 0) + bytes(64)
	if family == "4":
	    a, b = socket.inet_aton("10.0.0.1"), socket.inet_aton("10.0.0.2")
	    ip = struct.pack("!BBHHHBBH", 0x45, 0, 1420, 1, 0x4000, 64, 17, 0) + a + b
	    body = struct.pack("!HH", 0, 576) + ip + udp
	    data = struct.pack("!BBH", 3, 4, 0) + body
	    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
	    while total >> 16:
	        total = (total & 0xffff) + (total >> 16)
	    data = struct.pack("!BBH", 3, 4, total ^ 0xffff) + body
	    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).sendto(data, ("10.0.0.1", 0))
	else:
	    a, b = (socket.inet_pton(socket.AF_INET6, x) for x in ("fd00::1", "fd00::2"))
	    ip = struct.pack("!IHBB", 6 << 28, 1400, 17, 64) + a + b
	    data = struct.pack("!BBHI", 2, 0, 0, 1280) + ip + udp
	    socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6).sendto(data, ("fd00::1", 0))
	EOT
}
narrow() { ip -n rt-a route get "$1" | grep -q 'mtu '; }

# passes WHAT GID-NUMBER: messages of many packets, and datagrams, of all services.
passes()
{
	local kind=$2

	group "$1"
	for program in "ibv_rc_pingpong -c -m 4096 -s 100000 -n 50" "ibv_uc_pingpong -m 4096 -s 4096 -n 50" "ibv_ud_pingpong -s 4000 -n 50"; do
		new_port
		group_pair "tcp:$PORT" "$program -d $SERVER_DEV -g ${SERVER_GIDS[$kind]} -p $PORT" \
			"$program -d $CLIENT_DEV -g ${CLIENT_GIDS[$kind]} -p $PORT $SERVER_IP4"
	done
	new_port
	group_pair "tcp:$PORT" "ib_write_bw -F -m 1024 -s 64 -n 5000 -l 8 -p $PORT -d $SERVER_DEV -x ${SERVER_GIDS[$kind]}" \
		"ib_write_bw -F -m 1024 -s 64 -n 5000 -l 8 -p $PORT -d $CLIENT_DEV -x ${CLIENT_GIDS[$kind]} $SERVER_IP4"
	group_end
}

# Some kernels believe what is said of ports that a program has, others what is said of any.
ip netns exec rt-a python3 -c 'import socket, time
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 4700))
time.sleep(3600)' &
at_exit "kill $!"
opened() { ip netns exec rt-a ss -Huan 'sport = :4700' | grep -q .; }
until_true 10 opened
for kind in 0 1; do
	family=$((4 + 2 * kind))
	[ $kind = 0 ] && peer=$SERVER_IP4 || peer=$SERVER_IP6
	passes "IPv$family: messages and datagrams" $kind
	! narrow "$peer"
	verdict $? "IPv$family: the route bears what the netdev does" "$(ip -n rt-a route get "$peer")"
	forge 4791 $family
	forge 4700 $family
	until_true 5 narrow "$peer"
	verdict $? "IPv$family: IP believes a forged message" "$(ip -n rt-a route get "$peer")"
	for setting in off lists on; do
		echo $setting >"/sys/class/infiniband/$CLIENT_DEV/bursts" || bail "no bursts $setting"
		passes "IPv$family: messages and datagrams as before, bursts $setting" $kind
	done
	narrow "$peer"
	verdict $? "IPv$family: and still does" "$(ip -n rt-a route get "$peer")"
done
# What the operator says of a route holds, whatever is told besides.
for kind in 0 1; do
	family=$((4 + 2 * kind))
	[ $kind = 0 ] && peer=$SERVER_IP4 route=(10.0.0.0/24) || peer=$SERVER_IP6 route=(fd00::/64 metric 256)
	ip -n rt-a route replace "${route[@]}" dev rta proto kernel mtu 1400 || bail "no route of 1400 bytes"
	ip -n rt-a route flush cache && ip -n rt-a -6 route flush cache
	for told in nothing "something else"; do
		[ "$told" = nothing ] || { forge 4791 $family; forge 4700 $family; sleep 0.5; }
		before=$(counter_of "$CLIENT_DEV" drop_route)
		new_port
		! PAIR_SECONDS=$((20 * PATIENCE)) pair "tcp:$PORT" "ibv_rc_pingpong -m 4096 -s 100000 -n 50 -d $SERVER_DEV -g ${SERVER_GIDS[$kind]} -p $PORT" \
			"ibv_rc_pingpong -m 4096 -s 100000 -n 50 -d $CLIENT_DEV -g ${CLIENT_GIDS[$kind]} -p $PORT $SERVER_IP4" && [ "$(counter_of "$CLIENT_DEV" drop_route)" -gt "$before" ]
		verdict $? "IPv$family: a route that the operator made narrow is, told $told" "$(ip -n rt-a route get "$peer"; rdma statistic show link "$CLIENT_DEV/1")"
	done
done
finish
