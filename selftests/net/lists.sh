#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What others do to packets that travel as one: a router hands them on or takes them apart, a program makes one piece of them, a device goes while some
# are being collected for it. And packets that are taken before the stack sees them. The ping-pongs compare their data.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
# shellcheck source=selftests/lib/bursts.sh
. "$HERE/../lib/bursts.sh"

MESSAGES=8
topology_routed
# shellcheck disable=SC2317 # lib/bursts.sh calls it
taken() { ip netns exec rt-a cat /sys/class/net/rta/statistics/tx_packets; }
# gro on|off NS NETDEV PEER-NS PEER: also what veths and routers do by themselves with it; what is collected waits a moment for more. A veth collects
# what was forwarded to its peer only if that has no TSO.
gro()
{
	local ns=(ip netns exec "$2") wait=0 tso=on

	[ "$1" = off ] || wait=2000000 tso=off
	"${ns[@]}" ethtool -K "$3" gro "$1" rx-gro-list "$1" rx-udp-gro-forwarding "$1" || bail "no GRO on $3"
	ip netns exec "$4" ethtool -K "$5" tso $tso >/dev/null || bail "TSO cannot be $tso on $5"
	"${ns[@]}" sh -c "echo $wait >/sys/class/net/$3/gro_flush_timeout; echo $((wait > 0)) >/sys/class/net/$3/napi_defer_hard_irqs"
}
gro_router() { gro "$1" rt-r rra rt-a rta; }
gro_receiver() { gro "$1" rt-b rtb rt-r rrb; }
# gso NS NETDEV on|off: off, the stack takes them apart in front of it.
gso() { ip netns exec "$1" ethtool -K "$2" gso "$3" tx-udp-segmentation "$3" tx-gso-list "$3" >/dev/null 2>&1; }
# few_lost: hardly any was lost or came before its turn, else those that get through do so one by one, sent again. How many are sent again does not tell: each
# time-out of a busy machine is a window of 130 packets, of which none was lost.
few_lost()
{
	verdict $((absent > sent / 100 + 5 || missed > 5 || sent < 1000)) "hardly any was lost" "$absent of $sent were lost, $missed gaps, $again sent again
$(rdma statistic)"
}

# ---- through a router

forwarded() { ip netns exec rt-r cat /sys/class/net/rrb/statistics/tx_packets; }
# What came to the receiver's IP, and without those that came as one with others; the stack counts both.
collected()
{
	# shellcheck disable=SC2016 # awk's
	ip netns exec rt-b sh -c 'cat /proc/net/netstat /proc/net/snmp /proc/net/snmp6' | awk '
		/^Ip6In(NoECT|ECT1|ECT0|CE)Pkts / { n += $2 }
		$1 == "Ip6InReceives" { n -= $2 }
		/^Ip/ && $1 ~ /:$/ {
			if ($1 != kind) { kind = $1; split($0, name); next }
			for (i = 2; i <= NF; i++)
				if (name[i] ~ /^In(NoECT|ECT1|ECT0|CE)Pkts$/) n += $i
				else if (name[i] == "InReceives") n -= $i
			kind = ""
		}
		END { print n }'
}
# routed WHAT: with both kinds of addresses. Of $total packets, in how many they left the router in $passed, how many came as one with others in $merged.
routed()
{
	passed=$(forwarded) merged=$(collected) total=0
	for kind in 0 1; do
		talk "$1, IPv$((4 + 2 * kind))" $kind
		few_lost
		total=$((total + sent))
	done
	passed=$(($(forwarded) - passed)) merged=$(($(collected) - merged))
}
# A quarter is for acknowledgements and the programs' own connection.
pass_as_one() { verdict $((passed * 4 > total || total < 1000)) "they pass the router as one" "$total packets in $passed"; }
pass_one_by_one() { verdict $((passed < total || total < 1000)) "they pass the router one by one" "$total packets in $passed"; }
come_merged() { verdict $((merged * 4 < total || total < 1000)) "they come as one" "$merged of $total came with others"; }
come_one_by_one() { verdict $((merged * 20 > total || total < 1000)) "they come one by one" "$merged of $total came with others"; }

# bursts WHICH: the setting, of both.
bursts()
{
	local device

	for device in "$CLIENT_DEV" "$SERVER_DEV"; do echo "$1" >"/sys/class/infiniband/$device/bursts" || bail "no bursts $1"; done
}

routed "super-packets through a router"
in_bursts
in_supers YES
pass_as_one
gso rt-r rrb off
routed "a router makes packets of them"
in_bursts
in_supers NO
pass_one_by_one
come_one_by_one
gso rt-r rrb on
all_intact

# The other kind, which is what NICs get of long messages.
bursts lists
routed "messages through a router"
in_bursts
in_supers NO
pass_as_one
come_merged
gso rt-r rrb off
routed "a router takes them apart"
in_bursts
pass_one_by_one
come_one_by_one
gso rt-r rrb on
# They come to the router one by one, which has sockets of its own devices that could collect them.
gso rt-a rta off
gro_router on
routed "a router does not collect what is not for it"
one_by_one
pass_one_by_one
come_one_by_one
gro_receiver on
routed "the receiver does"
pass_one_by_one
come_merged
gro_router off
gso rt-a rta on
routed "and is given lists as well"
in_bursts
pass_as_one
come_merged
all_intact

# ---- made one piece of

ip netns exec rt-b "$TESTS/xdp-pass" rtb >"$TAP_DIR/xdp" 2>&1 &
xdp=$!
# shellcheck disable=SC2317 # until_true calls it
attached_or_dead() { grep -q attached "$TAP_DIR/xdp" || ! kill -0 "$xdp" 2>/dev/null; }
until_true 10 attached_or_dead
if grep -q attached "$TAP_DIR/xdp"; then
	routed "messages by a program of XDP"
	in_bursts
	gro_receiver off
	routed "by one without collecting"
	kill $xdp
	all_intact
else
	wait $xdp
	[ $? = $KSFT_SKIP ] || bail "no program of XDP: $(cat "$TAP_DIR/xdp")"
	skip "messages by a program of XDP" "this kernel has no BPF"
fi

# ---- taken early

gso rt-a rta off
gro_receiver on
# early on|off: the receiver's setting
early() { echo "$1" 2>/dev/null >"/sys/class/infiniband/$SERVER_DEV/early"; }
# What IP of the receiver saw.
received_by_ip() { ip netns exec rt-b nstat -asz IpInReceives Ip6InReceives | awk '$1 ~ /InReceives$/ { n += $2 } END { print n }'; }
# taken_early WHAT: as routed; how many were so in $taken, and how many IP saw in $seen.
taken_early()
{
	local taken_before seen_before

	taken_before=$(counter_of "$SERVER_DEV" rcvd_early_pkts) seen_before=$(received_by_ip)
	routed "$1"
	taken=$(($(counter_of "$SERVER_DEV" rcvd_early_pkts) - taken_before)) seen=$(($(received_by_ip) - seen_before))
}
# A twentieth is for the programs' own connection.
all_are_taken() { verdict $((taken * 20 < total * 19 || seen * 20 > total || total < 1000)) "all are taken before IP sees them" "$taken of $total, IP saw $seen"; }
none_is_taken() { verdict $((taken != 0 || total < 1000)) "none is taken before IP sees it" "$taken of $total"; }

[ "$(cat "/sys/class/infiniband/$SERVER_DEV/early")" = off ]
verdict $? "nothing is taken early at first"
! early maybe
verdict $? "early is on or off"
taken_early "packets that are not taken early"
none_is_taken
early on && [ "$(cat "/sys/class/infiniband/$SERVER_DEV/early")" = on ]
verdict $? "it can be chosen"
taken_early "packets that are"
all_are_taken
gso rt-a rta on
taken_early "lists beside those that are"
bursts on
taken_early "super-packets that are"
in_supers YES
all_are_taken
if ip -n rt-b link add rtm link rtb type macvlan 2>/dev/null; then
	gso rt-a rta off
	taken_early "packets by a netdev that others share"
	none_is_taken
	ip -n rt-b link del rtm
else
	skip "packets by a netdev that others share" "this kernel has no macvlan"
fi
early off
taken_early "packets that are not any more"
none_is_taken
all_intact
bursts lists

# ---- while the device goes

# Packets come one by one, and are held for a while to be collected, or taken early; meanwhile their socket goes.
gso rt-a rta off
gro_receiver on
# How many came in the way that is tried.
came() { if [ "$how" = on ]; then counter_of "$SERVER_DEV" rcvd_early_pkts; else collected; fi; }
# shellcheck disable=SC2317 # until_true calls it
flows() { [ "$(($(counter_of "$SERVER_DEV" rcvd_pkts) - before))" -gt 2000 ] && [ "$(($(came) - came_before))" -gt 500 ]; }
# shellcheck disable=SC2317 # until_true calls it
listens() { ip netns exec rt-b ss -ltnH "sport = :$PORT" | grep -q .; }
flowing=0 gone=0 longest=0
for how in off off off off on on; do
	new_port
	early $how || bail "early cannot be $how"
	before=$(counter_of "$SERVER_DEV" rcvd_pkts) came_before=$(came)
	gid_list SERVER_GIDS "$SERVER_DEV" 10.2.0.2
	ip netns exec rt-b timeout $((40 * PATIENCE)) ib_write_bw -F -D 20 -p $PORT -d "$SERVER_DEV" -x "${SERVER_GIDS[0]}" >"$TAP_DIR/server" 2>&1 &
	server=$!
	until_true 10 listens
	ip netns exec rt-a timeout $((40 * PATIENCE)) ib_write_bw -F -D 20 -p $PORT -d "$CLIENT_DEV" -x "$CLIENT_GID4" 10.2.0.2 >"$TAP_DIR/client" 2>&1 &
	sender=$!
	! until_true 10 flows || flowing=$((flowing + 1))
	bounded 10 rdma link delete "$SERVER_DEV" && gone=$((gone + 1))
	[ "$TOOK" -le $longest ] || longest=$TOOK
	kill $server $sender 2>/dev/null
	wait $server $sender 2>/dev/null
	link_add rtb rt-b || bail "no device again"
	SERVER_DEV=$REPLY
done
[ $flowing = 6 ]
verdict $? "packets come and are collected or taken" "$flowing of 6 times: $(cat "$TAP_DIR/client" "$TAP_DIR/server")"
[ $gone = 6 ]
verdict $? "the device goes meanwhile, in $longest ms at most" "$gone of 6 times: $REPLY"
finish
