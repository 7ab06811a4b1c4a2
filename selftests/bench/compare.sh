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
# shellcheck source=selftests/bench/lib.sh
. "$HERE/lib.sh"

rounds_option 3 "$@"
what=(write/65536 write/1048576 read/65536 read/1048576 send/65536 send/1048576 rate/64 polled/64 lat/8)

# measure KIND/BYTES: MB/s, thousands of messages a second, or microseconds.
measure()
{
	local bytes=${1#*/}

	case $1 in
	rate/*) perftest 60 5 ib_write_bw -s "$bytes" -n 20000 | awk '{ printf "%.1f\n", $1 * 1000 }' ;;
	# With a thread that is lent, as who wants more sets it: no system call. It is nothing to rdma_rxe.
	polled/*) ROX_POLL_US=2000 perftest 60 5 ib_write_bw -s "$bytes" -n 20000 | awk '{ printf "%.1f\n", $1 * 1000 }' ;;
	lat/*) perftest 60 5 ib_write_lat -s "$bytes" -n 1000 ;;
	*) perftest 60 4 "ib_${1%/*}_bw" -s "$bytes" -n $((bytes > 500000 ? 60 : 200)) | awk '{ printf "%.0f\n", $1 * 1.048576 }' ;;
	esac
}

measure_all() { local item; for item in "${what[@]}"; do measure "$item" >>"$TAP_DIR/$1.${item/\//.}"; done; }

make_netdev
for ((i = 0; i < rounds; i++)); do
	in_turn measure_all
	! command -v iperf3 >/dev/null || iperf 3 >>"$TAP_DIR/tcp"
done

printf '%-22s %10s %10s %10s\n' "" "rox" "rox, wire" "rdma_rxe"
missing=0
for item in "${what[@]}"; do
	case $item in
	rate/*) name="WRITE ${item#*/} B, 1000/s" ;;
	polled/*) name="with a poller, 1000/s" ;;
	lat/*) name="WRITE ${item#*/} B, us" ;;
	*) name="$(tr '[:lower:]' '[:upper:]' <<<"${item%/*}") $((${item#*/} / 1024)) KiB, MB/s" ;;
	esac
	figures=()
	for variant in direct wire rxe; do figures+=("$(median "$TAP_DIR/$variant.${item/\//.}")"); done
	printf '%-22s %10s %10s %10s\n' "$name" "${figures[@]}"
	[[ " ${figures[*]} " != *" - "* ]] || missing=1
done
[ ! -s "$TAP_DIR/tcp" ] || printf '%-22s %10s\n' "TCP, MB/s" "$(median "$TAP_DIR/tcp")"
verdict $missing "each was measured $rounds times on Linux $(uname -r), $(nproc) processors"
finish
