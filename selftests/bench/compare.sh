#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# How fast, beside the in-tree driver and TCP: one guest, two programs on it that poll, in turns, medians of the rounds as a table.
#
#   compare.sh [--rounds N]	(3)
#
# Figures of an emulated machine mean something only beside each other.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

rounds=3
[ "${1-}" != --rounds ] || rounds=$2
what=(write/65536 write/1048576 read/65536 read/1048576 send/65536 send/1048576 rate/64 lat/8)

# perftest COLUMN TOOL OPTION...: one column of its line of figures; nothing if it failed.
perftest()
{
	local column=$1 server

	shift
	new_port
	timeout 60 "$@" -F -p "$PORT" -d "$device" -x "$gid" >"$TAP_DIR/server" 2>&1 &
	server=$!
	until_true 10 tcp_listens "$PORT"
	timeout 60 "$@" -F -p "$PORT" -d "$device" -x "$gid" localhost >"$TAP_DIR/client" 2>&1 || kill "$server"
	wait "$server"
	awk -v column="$column" 'found { print $column; exit } /#bytes/ { found = 1 }' "$TAP_DIR/client"
}
# shellcheck disable=SC2317 # until_true calls it
tcp_listens() { ss -Htln "sport = :$1" | grep -q .; }

# measure KIND/BYTES: MB/s, thousands of messages a second, or microseconds.
measure()
{
	local bytes=${1#*/}

	case $1 in
	rate/*) perftest 5 ib_write_bw -s "$bytes" -n 5000 | awk '{ printf "%.1f\n", $1 * 1000 }' ;;
	lat/*) perftest 5 ib_write_lat -s "$bytes" -n 1000 ;;
	*) perftest 4 "ib_${1%/*}_bw" -s "$bytes" -n $((bytes > 500000 ? 60 : 200)) | awk '{ printf "%.0f\n", $1 * 1.048576 }' ;;
	esac
}

# round_of SUBJECT
round_of()
{
	local item

	load
	link_add rt0 || bail "no $LINK_TYPE device"
	device=$REPLY
	until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID"
	gid=$REPLY
	case $1 in
	direct | wire) echo "$1" >"/sys/class/infiniband/$device/local" ;;
	esac
	for item in "${what[@]}"; do measure "$item" >>"$TAP_DIR/$1.${item/\//.}"; done
	rdma link delete "$device"
	modprobe -r "$MODULE"
}

round_of_tcp()
{
	iperf3 -s -1 -p 5201 >/dev/null 2>&1 &
	until_true 10 tcp_listens 5201
	iperf3 -c 127.0.0.1 -p 5201 -t 3 -f m 2>/dev/null |
		awk '/receiver/ { for (i = 1; i < NF; i++) if ($(i + 1) == "Mbits/sec") printf "%.0f\n", $i / 8 }' >>"$TAP_DIR/tcp"
	wait
}

median() { sort -n "$1" 2>/dev/null | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'; }

ip link add rt0 mtu 1500 type dummy
ip address add 10.0.0.1/24 dev rt0
ip link set rt0 up
for ((i = 0; i < rounds; i++)); do
	for subject in direct wire rxe; do
		LINK_TYPE=rox
		[ $subject != rxe ] || LINK_TYPE=rxe
		MODULE=$(module_of "$LINK_TYPE")
		round_of $subject
	done
	! command -v iperf3 >/dev/null || round_of_tcp
done

printf '%-22s %10s %10s %10s\n' "" "rox" "rox, wire" "rdma_rxe"
missing=0
for item in "${what[@]}"; do
	case $item in
	rate/*) name="WRITE ${item#*/} B, 1000/s" ;;
	lat/*) name="WRITE ${item#*/} B, us" ;;
	*) name="$(tr '[:lower:]' '[:upper:]' <<<"${item%/*}") $((${item#*/} / 1024)) KiB, MB/s" ;;
	esac
	figures=()
	for subject in direct wire rxe; do figures+=("$(median "$TAP_DIR/$subject.${item/\//.}")"); done
	printf '%-22s %10s %10s %10s\n' "$name" "${figures[@]}"
	[[ " ${figures[*]} " != *" - "* ]] || missing=1
done
[ ! -s "$TAP_DIR/tcp" ] || printf '%-22s %10s\n' "TCP, MB/s" "$(median "$TAP_DIR/tcp")"
verdict $missing "each was measured $rounds times on Linux $(uname -r), $(nproc) processors"
finish
