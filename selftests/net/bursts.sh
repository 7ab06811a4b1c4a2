#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Packets of a message leave as one, and arrive as the packets they are: through a wire that carries them whole, one that takes them apart before, one
# that loses some, and one whose netdev cannot do it. Data is compared.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"

BYTES=200000
topology_netns
setting=/sys/class/infiniband/$CLIENT_DEV/bursts

# What the netdev took to send, and what the device says it sent.
taken() { ip netns exec rt-a cat /sys/class/net/rta/statistics/tx_packets; }
stat() { rdma statistic show link "$1/1" | grep -o " $2 [0-9]*" | cut -d' ' -f3; }

# talk WHAT GID-NUMBER: messages of many packets there and back, compared; how many packets were sent in $sent, as how many in $left.
talk()
{
	local before after

	before=$(stat "$CLIENT_DEV" sent_pkts) after=$(taken)
	new_port
	group "$1"
	group_pair "tcp:$PORT" "ibv_rc_pingpong -c -p $PORT -d $SERVER_DEV -g ${SERVER_GIDS[$2]} -s $BYTES -n 20" \
		"ibv_rc_pingpong -c -p $PORT -d $CLIENT_DEV -g ${CLIENT_GIDS[$2]} -s $BYTES -n 20 $SERVER_IP4"
	group_end
	sent=$(($(stat "$CLIENT_DEV" sent_pkts) - before)) left=$(($(taken) - after))
}
# in_bursts: there were less than a quarter, which the acknowledgements and the program's own connection leave room for.
in_bursts() { verdict $((left * 4 > sent)) "they left as one" "$sent packets left as $left"; }
one_by_one() { verdict $((left < sent)) "they left one by one" "$sent packets left as $left"; }
all_intact()
{
	local bad

	bad=$(($(stat "$SERVER_DEV" drop_icrc) + $(stat "$CLIENT_DEV" drop_icrc) + $(stat "$SERVER_DEV" drop_length)))
	verdict $((bad != 0)) "none was damaged" "$(rdma statistic)"
}

[ "$(cat "$setting")" = on ]
verdict $? "bursts are on at first"
talk "messages by IPv4" 0
in_bursts
talk "messages by IPv6" 1
in_bursts

echo off >"$setting" && [ "$(cat "$setting")" = off ]
verdict $? "they can be switched off"
talk "messages without bursts" 0
one_by_one
echo on >"$setting"
for word in maybe "" 2; do
	! echo "$word" 2>/dev/null >"$setting"
	verdict $? "'$word' is refused"
done

# READ responses are bursts of the other side's.
before=$(stat "$SERVER_DEV" sent_pkts) after=$(ip netns exec rt-b cat /sys/class/net/rtb/statistics/tx_packets)
new_port
group "READs"
group_pair "tcp:$PORT" "ib_read_bw -F -p $PORT -d $SERVER_DEV -x $SERVER_GID4 -s 65536 -n 50" \
	"ib_read_bw -F -p $PORT -d $CLIENT_DEV -x $CLIENT_GID4 -s 65536 -n 50 $SERVER_IP4"
group_end
sent=$(($(stat "$SERVER_DEV" sent_pkts) - before)) left=$(($(ip netns exec rt-b cat /sys/class/net/rtb/statistics/tx_packets) - after))
in_bursts

# Taken apart by the stack in front of the netdev, as for a NIC.
ip netns exec rt-a ethtool -K rta gso off tx-udp-segmentation off tx-gso-list off >/dev/null 2>&1
talk "messages taken apart in software, IPv4" 0
one_by_one
talk "messages taken apart in software, IPv6" 1
one_by_one
# In pieces of memory, too.
ip netns exec rt-a ethtool -K rta sg off >/dev/null 2>&1
talk "messages by a netdev without scatter" 0
ip netns exec rt-a ethtool -K rta sg on gso on tx-udp-segmentation on tx-gso-list on >/dev/null 2>&1
all_intact

modprobe -q sch_netem
ip netns exec rt-a tc qdisc add dev rta root netem loss 3% || bail "no netem"
ip netns exec rt-b tc qdisc add dev rtb root netem loss 3% duplicate 2%
talk "messages of which some packets are lost, and whole bursts" 0
ip netns exec rt-a tc qdisc replace dev rta root netem delay 2ms 1ms 30%
talk "messages that overtake each other" 0
ip netns exec rt-a tc qdisc del dev rta root
ip netns exec rt-b tc qdisc del dev rtb root
# A queueing discipline that takes bursts apart to send a part in time.
modprobe -q sch_tbf
ip netns exec rt-a tc qdisc add dev rta root tbf rate 100mbit burst 8000 limit 60000 || bail "no tbf"
talk "messages through a narrow path" 0
ip netns exec rt-a tc qdisc del dev rta root
all_intact
finish
