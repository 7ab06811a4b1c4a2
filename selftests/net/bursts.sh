#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Packets of a message leave as one, and arrive as the packets they are: through a wire that carries them whole, one that takes them apart before, one
# that loses some, and ones that do not bear it. The ping-pongs compare their data.
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
setting=/sys/class/infiniband/$CLIENT_DEV/bursts

# shellcheck disable=SC2317 # lib/bursts.sh calls it
taken() { ip netns exec rt-a cat /sys/class/net/rta/statistics/tx_packets; }
# reads WHAT BYTES NUMBER: READ responses are bursts of the other side's. Time enough: what is asked for again, because it was late, comes packet by packet.
reads()
{
	local before after sent_by=$SERVER_DEV

	again=$(resent)
	before=$(counter_of "$sent_by" sent_pkts) after=$(ip netns exec rt-b cat /sys/class/net/rtb/statistics/tx_packets)
	new_port
	group "$1"
	group_pair "tcp:$PORT" "ib_read_bw -F -u 20 -p $PORT -d $SERVER_DEV -x $SERVER_GID4 -s $2 -n $3" \
		"ib_read_bw -F -u 20 -p $PORT -d $CLIENT_DEV -x $CLIENT_GID4 -s $2 -n $3 $SERVER_IP4"
	group_end
	again=$(($(resent) - again))
	sent=$(($(counter_of "$sent_by" sent_pkts) - before)) left=$(($(ip netns exec rt-b cat /sys/class/net/rtb/statistics/tx_packets) - after))
}

[ "$(cat "$setting")" = on ]
verdict $? "bursts are on at first"
talk_in_bursts "messages by IPv4" 0
in_supers YES
talk_in_bursts "messages by IPv6" 1
in_supers YES
echo lists >"$setting" && [ "$(cat "$setting")" = lists ]
verdict $? "they can be lists only"
talk_in_bursts "messages in lists" 0
in_supers NO

echo off >"$setting" && [ "$(cat "$setting")" = off ]
verdict $? "they can be switched off"
talk "messages without bursts" 0
one_by_one
in_supers NO
echo on >"$setting"
for word in maybe "" 2; do
	! echo "$word" 2>/dev/null >"$setting"
	verdict $? "'$word' is refused"
done

reads "READs" 65536 50
again=0 # these have time enough on any kernel, and are judged there
in_bursts

# Of a long stream most leave as one buffer what may leave as one: fifteen packets of four KiB.
mtu_of_both()
{
	ip netns exec rt-a ip link set rta mtu "$1" && ip netns exec rt-b ip link set rtb mtu "$1"
}
mtu_of_both 9000
verdict $? "a greater MTU"
between "a stream of long messages" "ib_write_bw -F -u 20 -d $SERVER_DEV -x $SERVER_GID4 -s 1048576 -n $((400 / PATIENCE))" \
	"ib_write_bw -F -u 20 -d $CLIENT_DEV -x $CLIENT_GID4 -s 1048576 -n $((400 / PATIENCE))"
# in_buffers NUMBER: on the average they were of so many packets, or more; of NUMBER of them at least.
in_buffers()
{
	if [ "$PATIENCE" -gt 1 ] && [ "$again" -gt 0 ]; then
		skip "they left in buffers of a burst" "$again were sent again, and so $sent packets left as $left"
		return
	fi
	verdict $((left * $1 > sent || sent < $2)) "they left in buffers of a burst" "$sent packets left as $left, $again were sent again"
}
in_buffers 6 $((256 * (400 / PATIENCE)))
mtu_of_both 1500
reads "long READs" 1048576 $((100 / PATIENCE))
in_buffers 6 $((1024 * (100 / PATIENCE)))

# A stream is seen to by whoever posts, by soft interrupts and by workers, on any CPU. What one CPU has sent must not be overtaken by what another one sends.
between "a stream by all CPUs" "ib_write_bw -F -u 20 -d $SERVER_DEV -x $SERVER_GID4 -s 1048576 -n $((800 / PATIENCE))" \
	"ib_write_bw -F -u 20 -d $CLIENT_DEV -x $CLIENT_GID4 -s 1048576 -n $((800 / PATIENCE))"
verdict $((missed != 0 || sent < 1024 * (800 / PATIENCE))) "none of its packets overtook another" "$missed gaps in $sent packets"

# together WHAT GID-NUMBER: short messages that are posted by one call.
together()
{
	export FAR_DEVICE=$SERVER_DEV FAR_GID=${SERVER_GIDS[$2]}
	timeout -k 2 $((120 * PATIENCE)) "$TESTS/alike" -d "$CLIENT_DEV" -g "${CLIENT_GIDS[$2]}" >"$TAP_DIR/alike" 2>&1
	relay "$TAP_DIR/alike" $?
	before=$(counter_of "$SERVER_DEV" rcvd_super_pkts)
	for type in rc_send uc_send ud_send; do
		"$TESTS/alike" -d "$CLIENT_DEV" -g "${CLIENT_GIDS[$2]}" $type >"$TAP_DIR/alike" 2>&1
		supers=$(($(counter_of "$SERVER_DEV" rcvd_super_pkts) - before)) before=$((before + supers))
		[ $((supers > 100)) = "$3" ]
		verdict $? "$1, $type: packets in super-packets: $supers"
	done
}
together "IPv4" 0 1
together "IPv6" 1 1
echo lists >"$setting"
together "lists" 0 0
echo on >"$setting"

# Taken apart by the stack in front of the netdev, as for a NIC.
ip netns exec rt-a ethtool -K rta gso off tx-udp-segmentation off tx-gso-list off >/dev/null 2>&1
talk "messages taken apart in software, IPv4" 0
one_by_one
in_supers NO
talk "messages taken apart in software, IPv6" 1
one_by_one
ip netns exec rt-a ethtool -K rta gso on tx-udp-segmentation on tx-gso-list on >/dev/null 2>&1
talk_in_bursts "messages whole again" 0
# While somebody looks, who shares the packets.
ip netns exec rt-a timeout $((60 * PATIENCE)) tcpdump -i rta -w "$TAP_DIR/pcap" -U >"$TAP_DIR/tcpdump" 2>&1 &
dump=$!
until_true 10 grep -q listening "$TAP_DIR/tcpdump"
talk_in_bursts "messages beside tcpdump" 0
kill $dump
[ "$(stat -c %s "$TAP_DIR/pcap")" -gt 1000000 ]
verdict $? "it saw them" "$(cat "$TAP_DIR/tcpdump")"
all_intact

modprobe -qa sch_netem sch_tbf
# lossy PERCENT: of what comes to b with payload. A lost last ACK would leave the other program without an answer, which is nobody's fault.
lossy()
{
	ip netns exec rt-b nft delete table netdev lossy 2>/dev/null
	ip netns exec rt-b nft -f - <<-END || bail "no nft"
		table netdev lossy {
			chain in {
				type filter hook ingress device rtb priority 0;
				udp dport 4791 meta length > 500 numgen random mod 100 < $1 drop
			}
		}
	END
}
before=$(resent)
lossy 10
talk "messages of which bursts are lost" 0
# Taken apart before, packets are lost one by one.
ip netns exec rt-a ethtool -K rta gso off tx-udp-segmentation off tx-gso-list off >/dev/null 2>&1
lossy 2
ip netns exec rt-b tc qdisc add dev rtb root netem duplicate 2%
talk "messages of which packets are lost" 0
[ $(($(resent) - before)) -gt 5 ]
verdict $? "some were sent again" "$(rdma statistic)"
ip netns exec rt-a ethtool -K rta gso on tx-udp-segmentation on tx-gso-list on >/dev/null 2>&1
ip netns exec rt-b tc qdisc del dev rtb root
ip netns exec rt-b nft delete table netdev lossy
ip netns exec rt-a tc qdisc add dev rta root netem delay 2ms 1ms 30%
talk "messages that overtake each other" 0
ip netns exec rt-a tc qdisc replace dev rta root tbf rate 100mbit burst 8000 limit 60000
talk "messages through a narrow path" 0
ip netns exec rt-a tc qdisc del dev rta root
all_intact

# What came whole so far, and so has no ICRC any more, is taken apart from now on, by a queue for which it is too long, and lost; and so on.
changes()
{
	until [ -e "$TAP_DIR/enough" ]; do
		sleep 0.1
		ip netns exec rt-a tc qdisc replace dev rta root tbf rate 2gbit burst 8000 limit 400000
		sleep 0.1
		ip netns exec rt-a tc qdisc del dev rta root
	done
}
before=$REPLY resent_before=$(resent)
changes &
changing=$!
MESSAGES=200 lost=$before
# Until it met with some; a program may be done between two changes.
for ((i = 0; i < 10 && lost == before; i++)); do
	talk "messages by a path that changes" 0
	damaged
	lost=$REPLY
done
MESSAGES=20
touch "$TAP_DIR/enough"
wait $changing
verdict $((lost <= before || $(resent) - resent_before < 1)) "some were lost and sent again" "$lost damaged, $(($(resent) - resent_before)) sent again"
talk_in_bursts "messages by one that does not" 0
in_supers YES
all_intact "$lost"

# A queue that no burst fits into: what is too much at once goes in smaller parts, without a failure and without long waits.
modprobe -q sch_prio
for ns in a b; do
	ip netns exec rt-$ns tc qdisc add dev rt$ns root handle 1: prio || bail "no prio"
	for band in 1 2 3; do ip netns exec rt-$ns tc qdisc add dev rt$ns parent 1:$band bfifo limit 20000 || bail "no bfifo"; done
done
PAIR_SECONDS=$((8 * PATIENCE))
before=$(counter_of "$CLIENT_DEV" xmit_backoff)
talk "messages through a queue shorter than a burst" 0
[ $(($(counter_of "$CLIENT_DEV" xmit_backoff) - before)) -gt 0 ]
verdict $? "some were refused" "$(rdma statistic)"
reads "READs through a queue shorter than a burst" 65536 50
for ns in a b; do ip netns exec rt-$ns tc qdisc del dev rt$ns root; done
all_intact "$lost"

# tunnel NAME ID UNDER NUMBER: by vxlan over the netdev UNDER, whose addresses are 10.NUMBER.0.; the devices on it, as the topology has them.
tunnel()
{
	local ns nr=1 gid below=$(($4 - 1))

	for ns in a b; do
		ip -n rt-$ns link add "$1" type vxlan id "$2" local "10.$below.0.$nr" remote "10.$below.0.$((3 - nr))" dstport "$((4780 + $2))" dev "${3/X/$ns}" ||
			bail "no vxlan"
		ip -n rt-$ns address add "10.$4.0.$nr/24" dev "$1"
		ip -n rt-$ns link set "$1" up
		link_add "$1" rt-$ns || bail "no device on $1"
		until_true 5 gid_of "$REPLY" "10.$4.0.$nr" || bail "no GID on $1"
		gid=$REPLY
		device_of "$1" rt-$ns
		if [ $ns = a ]; then CLIENT_DEV=$REPLY CLIENT_GIDS=("$gid"); else SERVER_DEV=$REPLY SERVER_GIDS=("$gid"); fi
		nr=2
	done
	until_true 10 ip netns exec rt-a ping -q -c 1 -W 1 "10.$4.0.2" >/dev/null
}
# shellcheck disable=SC2317 # lib/bursts.sh calls it
taken() { ip netns exec rt-a cat "/sys/class/net/$carrier/statistics/tx_packets"; }
for ns in a b; do ip -n rt-$ns link set rt$ns mtu 3000; done
carrier=rv1
tunnel rv1 1 rtX 1
talk_in_bursts "messages through a tunnel" 0
all_intact
# With more headers in front than packets have room for.
for inner in 2 3; do
	carrier=rv$inner
	tunnel rv$inner $inner rv$((inner - 1)) $inner
done
talk "messages through a tunnel in a tunnel in a tunnel" 0
one_by_one
all_intact
finish
