#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# How fast between two namespaces, over a veth: rox, the in-tree driver where it works there (7.3), and TCP, in turns, medians of the rounds as a table.
#
#   wire.sh [--rounds N]	(3)
#
# Figures of an emulated machine mean something only beside each other.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
# shellcheck source=selftests/bench/lib.sh
. "$HERE/lib.sh"

rounds_option 3 "$@"
what=(write/1048576 read/1048576 send/1024 ud/1024)
mtus=(1500 9000)

# measure KIND/BYTES: MB/s, or thousands of messages a second.
measure()
{
	local bytes=${1#*/}

	case $1 in
	send/*) perftest 60 5 ib_send_bw -s "$bytes" -n 5000 | awk '{ printf "%.1f\n", $1 * 1000 }' ;;
	# Datagrams that nobody has room for are lost, so not too many at once.
	ud/*) perftest 60 5 ib_send_bw -c UD -s "$bytes" -n 5000 -t 32 -r 512 | awk '{ printf "%.1f\n", $1 * 1000 }' ;;
	*) perftest 60 4 "ib_${1%/*}_bw" -s "$bytes" -n 40 | awk '{ printf "%.0f\n", $1 * 1.048576 }' ;;
	esac
}

# device_in LETTER ADDRESS: a device there and its GID, in $REPLY.
device_in()
{
	link_add "rt$1" "rt-$1" || return
	DEVICE=$REPLY
	until_true 5 gid_of "$DEVICE" "$2"
}

measure_all()
{
	local mtu item

	for mtu in "${mtus[@]}"; do
		ip -n rt-a link set rta mtu "$mtu"
		ip -n rt-b link set rtb mtu "$mtu"
		for item in "${what[@]}"; do measure "$item" >>"$TAP_DIR/$1.$mtu.${item/\//.}"; done
		[ "$1" != rox ] || iperf 3 >>"$TAP_DIR/tcp.$mtu"
	done
}

make_ends()
{
	for ns in a b; do
		ip netns add rt-$ns
		at_exit "ip netns del rt-$ns"
		ip -n rt-$ns link set lo up
	done
	ip link add rta netns rt-a type veth peer name rtb netns rt-b
	addresses rta rt-a 1
	addresses rtb rt-b 2
	AT_SERVER=(ip netns exec rt-b) AT_CLIENT=(ip netns exec rt-a) SERVER_IP4=10.0.0.2
}

# with TYPE: the devices of that type, measured; nothing if there are none in namespaces.
with()
{
	LINK_TYPE=$1
	MODULE=$(module_of "$LINK_TYPE")
	load
	if device_in b 10.0.0.2; then
		SERVER_DEV=$DEVICE SERVER_GID4=$REPLY
		if device_in a 10.0.0.1; then
			CLIENT_DEV=$DEVICE CLIENT_GID4=$REPLY
			measure_all "$1"
			rdma link delete "$CLIENT_DEV"
		fi
		rdma link delete "$SERVER_DEV"
	fi 2>/dev/null
	modprobe -r "$MODULE"
}

make_ends
for ((i = 0; i < rounds; i++)); do
	with rox
	with rxe
done

printf '%-10s %-22s %10s %10s %10s\n' "MTU" "" "rox" "rdma_rxe" "TCP"
missing=0
for mtu in "${mtus[@]}"; do
	for item in "${what[@]}"; do
		case $item in
		send/*) name="SEND ${item#*/} B, 1000/s" ;;
		ud/*) name="UD SEND ${item#*/} B, 1000/s" ;;
		*) name="$(tr '[:lower:]' '[:upper:]' <<<"${item%/*}") $((${item#*/} / 1024)) KiB, MB/s" ;;
		esac
		rox=$(median "$TAP_DIR/rox.$mtu.${item/\//.}")
		printf '%-10s %-22s %10s %10s %10s\n' "$mtu" "$name" "$rox" "$(median "$TAP_DIR/rxe.$mtu.${item/\//.}")" "$(median "$TAP_DIR/tcp.$mtu")"
		[ "$rox" != - ] || missing=1
	done
done
verdict $missing "each was measured $rounds times on Linux $(uname -r), $(nproc) processors"
finish
