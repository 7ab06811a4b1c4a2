#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# How fast, beside the in-tree driver, TCP and plain copies: two programs that poll, all ways in turns, medians of the rounds as a table. Leaves all figures
# in $OUT/figures for "report".
#
#   compare.sh [--rounds N] [--full] [--ways 'WAY...'] [--only PATTERN] self|netns|wire
#
# Three rounds; both on one device, between namespaces, or between two guests; items whose name matches.
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

rounds=3 full='' ways=() NOTE=''
while [[ ${1-} = --* ]]; do
	case $1 in
	--rounds) rounds=$2; shift ;;
	--full) full=yes ;;
	--ways) read -ra ways <<<"$2"; shift ;;
	--only) ONLY=$2; shift ;;
	*) bail "no such option: $1" ;;
	esac
	shift
done
topology=${1-self}

# ---- what is measured

# messages BYTES: how many of them, so that the slowest way takes some seconds at most, and how it begins counts for little, as the first of a stream are
# kicked one by one.
messages()
{
	case $1 in
	[0-9] | [0-9][0-9] | [0-9][0-9][0-9]) echo 50000 ;;
	????) echo 20000 ;;
	?????) echo 300 ;;
	??????) echo 100 ;;
	*) echo $((80000000 / $1)) ;;
	esac
}
# shellcheck disable=SC2016 # for awk
bandwidth=('MB/s=$4 * 1.048576' '1000/s=$5 * 1000')
# shellcheck disable=SC2016 # for awk
latency=('us=$5' '99 % us=$8' '99.9 % us=$9')
bw() { measure "$(tr '[:lower:]' '[:upper:]' <<<"$1") $2 B$NOTE" "${bandwidth[@]}" -- "ib_$1_bw" -s "$2" -n "$(messages "$2")"; }
lat() { measure "$(tr '[:lower:]' '[:upper:]' <<<"$1") $2 B latency$NOTE" "${latency[@]}" -- "ib_$1_lat" -s "$2" -n 1000; }
# Datagrams that nobody has room for are lost, so not too many at once.
ud() { measure "UD SEND $1 B$NOTE" "${bandwidth[@]}" -- ib_send_bw -c UD -s "$1" -n 30000 -t 32 -r 512; }
# qps NUMBER BYTES: by so many queue pairs.
qps() { measure "WRITE $2 B, $1 QPs$NOTE" "${bandwidth[@]}" -- ib_write_bw -s "$2" -q "$1" -n $(($(messages "$2") / $1 + 5)); }

# busy: hundredths of a second that all CPUs have worked.
busy() { awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 }' /proc/stat; }
# cpu BYTES: what it costs programs that sleep, without their start: so many messages that it takes seconds, less few.
cpu()
{
	local item="SEND $1 B, events$NOTE" n=200 start used=() sent=()

	wanted "$item" || return 0
	until [ ${#used[@]} -gt 1 ] && [ "${used[-1]}" -gt 500 ]; do
		start=$(busy)
		perftest 60 ib_send_bw -e -s "$1" -n $n || { missed "$item" "$PAIR_LOG"; return; }
		used+=($(($(busy) - start)))
		sent+=("$n")
		n=$((n * 4))
	done
	REPLY="$((used[-1] - used[0])) $((sent[-1] - sent[0]))"
	figures "$item" 'CPU us/message=$1 * 1e4 / $2' "CPU s/GB=\$1 * 1e7 / \$2 / $1"
}

tcp()
{
	WAY=tcp
	wanted "stream$NOTE" || return 0
	new_port
	PAIR_SECONDS=40
	if pair "tcp:$PORT" "iperf3 -s -1 -p $PORT" "iperf3 -c $SERVER_IP4 -p $PORT -t 3 -f m"; then
		REPLY=$(awk '/receiver/ { for (i = 1; i < NF; i++) if ($(i + 1) == "Mbits/sec") print $i }' <<<"$CLIENT_LOG")
		figures "stream$NOTE" 'MB/s=$1 / 8'
	else
		missed "stream$NOTE" "$PAIR_LOG"
	fi
	[ "$full" ] || return
	new_port
	if pair "tcp:$PORT" "qperf -lp $PORT" "qperf -lp $PORT $SERVER_IP4 -t 2 -m 8 tcp_lat quit"; then
		REPLY=$(awk '$1 == "latency" { print $3 * ($4 == "ms" ? 1000 : 1) }' <<<"$CLIENT_LOG")
		figures "round trip, half$NOTE" 'us=$1'
	else
		missed "round trip, half$NOTE" "$PAIR_LOG"
	fi
}

# many QPS MRS: the same operation among so many queue pairs and regions.
many()
{
	local item="WRITE 64 B by $1 QPs, $2 MRs"

	wanted "$item" || return 0
	if REPLY=$(timeout 120 ${PREFIX}"$TESTS/many" "$CLIENT_DEV" "$1" "$2" 20000 2>&1); then figures "$item" '1000/s=$1'; else missed "$item" "$REPLY"; fi
}

# Of one piece, and again and again the same: the least that anybody pays.
copies()
{
	local bytes parameters=/sys/module/rox_memcpy/parameters

	wanted memcpy || return 0
	modprobe -q rox_memcpy || bail "no rox_memcpy"
	for bytes in 65536 1048576; do
		WAY=kernel
		REPLY=
		! echo $bytes >$parameters/bytes || REPLY=$(<$parameters/mb_per_s)
		figures "memcpy $bytes B" 'MB/s=$1'
		WAY=user
		REPLY=$("$TESTS/memcpy" $bytes)
		figures "memcpy $bytes B" 'MB/s=$1'
	done
	modprobe -r rox_memcpy
}

# ---- in which order

sizes=(65536 1048576)
[ -z "$full" ] || sizes=(2 64 1024 4096 16384 65536 262144 1048576 8388608)

on_one_device()
{
	local op size n

	[ "$full" ] || [ "$WAY" != poller ] || { bw write 64; return; }
	for op in write read send; do
		for size in "${sizes[@]}"; do bw $op "$size"; done
	done
	[ "$full" ] || bw write 64
	lat write 8
	[ "$full" ] || return
	lat send 8
	lat read 8
	lat write 4096
	for n in 16 256; do
		for size in 64 65536; do qps $n $size; done
	done
	for n in 2 16 256 4096 16384; do many $n 64; done
	for n in 1024 65536; do many 16 $n; done
	cpu 64
	cpu 65536
	ud 64
	ud 1024
	measure "FETCH_AND_ADD" "${bandwidth[@]}" -- ib_atomic_bw -A FETCH_AND_ADD -n 5000
	measure "FETCH_AND_ADD latency" "${latency[@]}" -- ib_atomic_lat -A FETCH_AND_ADD -n 1000
}

mtu()
{
	NOTE=", MTU $1"
	mtu_of_both "$1" || bail "no MTU of $1: $REPLY"
}

between_two()
{
	bw write 1048576
	bw read 1048576
	bw send 1024
	ud 1024
	[ "$full" ] || return
	bw write 64
	bw write 65536
	bw send 1048576
	lat write 8
	qps 16 65536
	cpu 65536
}

over_the_wire()
{
	local mtu

	for mtu in 1500 9000; do
		mtu $mtu
		between_two
	done
}

ends "$topology"
if [ "$topology" = self ]; then
	what=on_one_device all=(rox packets poller rxe)
else
	what=over_the_wire all=(rox rxe)
fi
[ ${#ways[@]} -gt 0 ] || ways=("${all[@]}")
for ((i = 0; i < rounds; i++)); do
	for way in "${ways[@]}"; do
		if begin "$way"; then $what; else missed "anything" "$REPLY"; fi
		finish_way
	done
	if [ "$topology" = self ]; then
		tcp
		[ -z "$full" ] || copies
	else
		for mtu in 1500 9000; do mtu $mtu; tcp; done
	fi
done

cp "$TAP_DIR/figures" "${OUT:-/tmp}/figures"
"$HERE/report" "$TAP_DIR/figures"
# What the in-tree driver cannot do is no fault of ours.
missing=$(grep -v '^rxe: ' "$TAP_DIR/missed" 2>/dev/null)
[ -s "$TAP_DIR/figures" ] && [ -z "$missing" ]
verdict $? "each was measured $rounds times on Linux $(uname -r), $(nproc) processors" "$missing"
finish
