#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What others do to packets that travel as one: a router hands them on or takes them apart, a program makes one piece of them, a device goes while some
# are being collected for it. The ping-pongs compare their data.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
# shellcheck source=selftests/lib/bursts.sh
. "$HERE/../lib/bursts.sh"

topology_routed
# shellcheck disable=SC2317 # lib/bursts.sh calls it
taken() { ip netns exec rt-a cat /sys/class/net/rta/statistics/tx_packets; }
# gro NS NETDEV on|off: also what veths and routers do by themselves with it; what is collected waits a moment for more.
gro()
{
	local ns=(ip netns exec "$1") wait=0

	[ "$3" = off ] || wait=2000000
	"${ns[@]}" ethtool -K "$2" gro "$3" rx-gro-list "$3" rx-udp-gro-forwarding "$3" || bail "no GRO on $2"
	"${ns[@]}" sh -c "echo $wait >/sys/class/net/$2/gro_flush_timeout; echo $((wait > 0)) >/sys/class/net/$2/napi_defer_hard_irqs"
}
# gso NS NETDEV on|off: off, the stack takes them apart in front of it.
gso() { ip netns exec "$1" ethtool -K "$2" gso "$3" tx-udp-segmentation "$3" tx-gso-list "$3" >/dev/null 2>&1; }
# few_again BEFORE: hardly any was lost, else those that get through do so one by one, sent again. A kernel ten times slower keeps no time-out either.
few_again()
{
	local again=$(($(resent) - $1))

	if [ "$PATIENCE" -gt 1 ]; then
		echo "# $again of $sent were sent again"
		return
	fi
	verdict $((again > sent / 20 + 5)) "hardly any was sent again" "$again of $sent
$(rdma statistic)"
}

# ---- through a router

# Each with both kinds of addresses.
routed()
{
	local before

	for kind in 0 1; do
		before=$(resent)
		talk "$1, IPv$((4 + 2 * kind))" $kind
		few_again "$before"
	done
}
routed "messages through a router"
in_bursts
gso rt-r rrb off
routed "a router takes them apart"
gso rt-r rrb on
# They come to the router one by one, which has sockets of its own devices that could collect them.
gso rt-a rta off
gro rt-r rra on
forwarded() { ip netns exec rt-r cat /sys/class/net/rrb/statistics/tx_packets; }
before=$(forwarded)
routed "a router does not collect what is not for it"
one_by_one
forwarded=$(($(forwarded) - before))
[ $forwarded -ge "$sent" ]
verdict $? "they leave the router one by one" "$forwarded of more than $sent"
gro rt-b rtb on
routed "the receiver does"
gro rt-r rra off
gso rt-a rta on
routed "and is given lists as well"
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
	gro rt-b rtb off
	routed "by one without collecting"
	kill $xdp
	all_intact
else
	wait $xdp
	[ $? = $KSFT_SKIP ] || bail "no program of XDP: $(cat "$TAP_DIR/xdp")"
	skip "messages by a program of XDP" "this kernel has no BPF"
fi

# ---- while the device goes

# Packets come one by one, and are held for a while to be collected; meanwhile their socket goes.
gso rt-a rta off
gro rt-b rtb on
# shellcheck disable=SC2317 # until_true calls it
flows() { [ "$(($(counter_of "$SERVER_DEV" rcvd_pkts) - before))" -gt 2000 ]; }
# shellcheck disable=SC2317 # until_true calls it
listens() { ip netns exec rt-b ss -ltnH "sport = :$PORT" | grep -q .; }
flowing=0 gone=0 longest=0
for _ in 1 2 3 4 5 6; do
	new_port
	before=$(counter_of "$SERVER_DEV" rcvd_pkts)
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
verdict $? "packets come and are collected" "$flowing of 6 times: $(cat "$TAP_DIR/client" "$TAP_DIR/server")"
[ $gone = 6 ]
verdict $? "the device goes meanwhile, in $longest ms at most" "$gone of 6 times: $REPLY"
finish
