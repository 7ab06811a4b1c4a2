# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2317 # functions others are given to call
# Devices that belong to one namespace at a time, and move between them: while programs use them, and while their netdev or the namespace goes away.

storm_move()
{
	local mover inside seconds=$1

	clear_field
	if ! until_true "$LIMIT" rdma system set netns exclusive 2>/dev/null; then
		skip "move" "rdma system set netns exclusive: $(rdma system set netns exclusive 2>&1)"
		return
	fi
	make_movers
	moves "$seconds" &
	mover=$!
	timeout -k 2 $((seconds + 4 * HUNG)) ip netns exec rs-a storm-traffic -n 0 -s $((SEED + 1)) -t "$seconds" -w 3 -l "$HUNG" >"$TAP_DIR/inside" 2>&1 &
	inside=$!
	crew "move: programs whose devices move away do not hang" "$seconds" \
		storm-traffic -s "$SEED" -t "$seconds" -w 3 -l "$HUNG"
	wait $mover
	wait $inside
	verdict $? "move: nor do those in the namespace" "$(cat "$TAP_DIR/inside")"
	grep '^# traffic: seed' "$TAP_DIR/inside"
	all_succeeded move "device_move netdev_delete netdev_move namespace_delete link_add" "$TAP_DIR/times.moves"
	netdev_leaves_meanwhile
	ip netns del rs-init
	clear_field
	until_true "$LIMIT" rdma system set netns shared
	verdict $? "move: the namespaces are gone" "$(ip netns)"
}

# A name for the namespace of this script.
make_movers()
{
	ip netns add rs-a
	ip -n rs-a link set lo up
	ip netns attach rs-init $$
	mend_movers
}
mend_movers()
{
	[ -e /run/netns/rs-a ] || { ip netns add rs-a && ip -n rs-a link set lo up; }
	ip link show rs0 || { ip link add rs0 type dummy && ip address add 10.8.0.1/24 dev rs0 && ip link set rs0 up; }
	ip link show rs1 || { ip link add rs1 type dummy && ip address add 10.8.3.1/24 dev rs1 && ip link set rs1 up; }
	is_somewhere x_rs0 || timed link_add rdma link add x_rs0 type "$LINK_TYPE" netdev rs0
	is_somewhere x_rs1 || timed link_add rdma link add x_rs1 type "$LINK_TYPE" netdev rs1
} >/dev/null 2>&1

is_here() { rdma dev show "$1" >/dev/null 2>&1; }
is_there() { ip netns exec rs-a rdma dev show "$1" >/dev/null 2>&1; }
is_somewhere() { is_here "$1" || is_there "$1"; }

move_there() { timed device_move rdma dev set "$1" netns rs-a; }
move_back() { timed device_move ip netns exec rs-a rdma dev set "$1" netns rs-init; }

# With the netdev going at the same time.
move_and_delete()
{
	move_there "x_$1" &
	timed netdev_delete ip link del "$1"
	wait $!
}
# Its netdev moves; the device ends.
move_netdev() { timed netdev_move ip link set "$1" netns rs-a; timed netdev_delete ip -n rs-a link del "$1"; }
delete_namespace() { timed namespace_delete ip netns del rs-a; }

moves()
{
	local end=$((SECONDS + $1)) device

	RANDOM=$((SEED & 32767))
	TIMES=$TAP_DIR/times.moves
	while [ $SECONDS -lt $end ]; do
		mend_movers
		decide 2
		device=rs$REPLY
		decide 10
		case $REPLY in
		[0-2]) move_there x_$device ;;
		[3-5]) move_back x_$device ;;
		[6-7]) move_and_delete $device ;;
		8) move_netdev $device ;;
		9) delete_namespace ;;
		esac
	done
	# Programs here that had a device too seldom wait for one.
	mend_movers
	for device in rs0 rs1; do
		! is_there x_$device || move_back x_$device
	done
}

is_nowhere() { ! is_somewhere "$1"; }

# meanwhile WHAT COMMAND...: the netdev leaves by COMMAND while the core has the device out of everybody's way, so that what the netdev says does not find
# it. The device must end nevertheless.
meanwhile()
{
	local what=$1

	shift
	ip link add rs2 type dummy && ip link set rs2 up && rdma link add x_rs2 type "$LINK_TYPE" netdev rs2
	timed slow_device_move rdma dev set x_rs2 netns rs-a &
	sleep "$((7 * PATIENCE))e-1"
	timed netdev_leaves_meanwhile "$@"
	verdict $? "move: $what in the middle of a device's move returns" "$(dmesg | tail -n 3)"
	wait $!
	until_true "$LIMIT" is_nowhere x_rs2
	verdict $? "move: $what in the middle of a device's move takes the device along" "$(rdma dev; ip netns exec rs-a rdma dev)"
	is_nowhere x_rs2 || { rdma link delete x_rs2; ip netns exec rs-a rdma link delete x_rs2; } >/dev/null 2>&1
	[ ! -e /sys/class/net/rs2 ] || ip link del rs2
}

netdev_leaves_meanwhile()
{
	mend_movers
	if modprobe rox_slow_move ms=$((1500 * PATIENCE)); then
		meanwhile "netdev delete" ip link del rs2
		meanwhile "netdev move" ip link set rs2 netns rs-a
		rmmod rox_slow_move
	else
		skip "move: netdevs that leave in the middle of a device's move" "no rox_slow_move.ko, or no kprobes"
	fi
}
