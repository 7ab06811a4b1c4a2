# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2317 # functions others are given to call
# Devices that belong to one namespace at a time, and move between them: while programs use them, and while their netdev or the namespace goes away.

storm_move()
{
	local pids=() seconds=$1

	clear_field
	if ! until_true "$LIMIT" rdma system set netns exclusive 2>/dev/null; then
		skip "move" "rdma system set netns exclusive: $(rdma system set netns exclusive 2>&1)"
		return
	fi
	make_movers
	moves "$seconds" &
	pids+=($!)
	ip netns exec rs-a storm-traffic -s $((SEED + 1)) -t "$seconds" -w 3 -l "$LIMIT" >"$TAP_DIR/inside" 2>&1 &
	pids+=($!)
	crew "move: programs whose devices move away do not hang" "$seconds" \
		storm-traffic -s "$SEED" -t "$seconds" -w 3 -l "$LIMIT"
	wait "${pids[@]}"
	comment <"$TAP_DIR/inside"
	! grep -qE 'hangs|cannot be killed' "$TAP_DIR/inside"
	verdict $? "move: nor do those in the namespace" "$(cat "$TAP_DIR/inside")"
	race_netdev
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
}

is_nowhere() { ! is_somewhere "$1"; }
no_netdev() { [ ! -e "/sys/class/net/$1" ]; }

# The netdev goes at a random moment of the move, over and over without anything else: the core takes the device out of the way for part of it, and what
# the netdev says then must be made up for. Both commands are given to programs that run already, or the start of them would decide.
race_netdev()
{
	local i rounds=$((40 * (1 + LONG * 9))) ip rdma

	mend_movers
	exec {ip}> >(exec ip -force -batch - >/dev/null 2>&1)
	exec {rdma}> >(exec rdma -f -b - >/dev/null 2>&1)
	for ((i = 0; i < rounds; i++)); do
		echo "link add rs2 type dummy" >&"$ip"
		until_true "$LIMIT" test -e /sys/class/net/rs2 || break
		echo "link add x_rs2 type $LINK_TYPE netdev rs2" >&"$rdma"
		until_true "$LIMIT" is_here x_rs2 || break
		echo "dev set x_rs2 netns rs-a" >&"$rdma"
		decide 20
		read -rt "0.0$((10 + REPLY))" -u "$TAP_TICK" _
		echo "link del rs2" >&"$ip"
		until_true "$LIMIT" no_netdev rs2 && until_true "$LIMIT" is_nowhere x_rs2 || break
	done
	[ "$i" = $rounds ]
	verdict $? "move: netdev delete at any moment of a device's move" "round $i of $rounds: $(rdma dev; ip netns exec rs-a rdma dev; ip link show rs2)"
	exec {ip}>&- {rdma}>&-
}
