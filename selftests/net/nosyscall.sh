#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Posting receives, polling and arming make no system call; with a poller, posting sends makes none either, and who posts a stream makes few.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

load || bail "cannot load $MODULE"
ip link add rt0 type dummy
at_exit "ip link del rt0"
ip address add 10.0.0.1/24 dev rt0
ip link set rt0 up
link_add rt0 || bail "no device on a dummy netdev"
device=$REPLY
at_exit "rdma link delete $device"
until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID for 10.0.0.1"
gid=$REPLY

# measured WHAT SECONDS ARGS...: under strace; no system call between the marks.
measured()
{
	local what=$1 seconds=$2 calls

	shift 2
	check "$what under strace" "$seconds" strace -f -o "$TAP_DIR/trace" "$TESTS/nosyscall" -d "$device" -g "$gid" "$@"
	calls=$(awk '/getppid\(/ { between = !between; next } between' "$TAP_DIR/trace")
	grep -c 'getppid(' "$TAP_DIR/trace" | grep -qx 2
	verdict $? "the measured part is there" "$(tail -n 20 "$TAP_DIR/trace")"
	[ -z "$calls" ]
	verdict $? "no system call in it" "$(wc -l <<<"$calls") calls, first
$(head -n 10 <<<"$calls")"
}

measured "10,000 receives, arms and polls" 60
check "strace -c -f" 60 strace -c -f -o "$TAP_DIR/count" "$TESTS/nosyscall" -d "$device" -g "$gid"
total=$(awk '$NF == "total" { print $4 }' "$TAP_DIR/count")
[ "${total:-99999}" -lt 5000 ]
verdict $? "the whole program makes fewer than 5,000 (${total:-?})" "$(cat "$TAP_DIR/count")"

echo 1000000 >"/sys/class/infiniband/$device/poll_us"
measured "100,000 sends and their completions, with a poller," 60 sends
measured "100,000 sends and their completions, with a thread lent to rox_poll()," 60 lent

# Tracing functions ends when every task has been elsewhere than in what was traced.
tracer=/sys/kernel/tracing/instances/rox
mkdir "$tracer"
at_exit "rmdir $tracer"
echo vfs_statx >"$tracer/set_ftrace_filter"
"$TESTS/nosyscall" -d "$device" -g "$gid" idle &
lent=$!
sleep 1
echo function >"$tracer/current_tracer"
start=${EPOCHREALTIME/./}
echo nop >"$tracer/current_tracer"
took=$(((${EPOCHREALTIME/./} - start) / 1000))
kill -0 $lent 2>/dev/null && [ $took -lt 5000 ]
verdict $? "tracing of functions ends while a thread is lent ($took ms)"
wait $lent
verdict $? "the thread comes back"

# kicks WHAT ARGS...: a program that works; the kicks that it took, in $KICKS.
kicks()
{
	local what=$1 file=/sys/class/infiniband/$device/ports/1/hw_counters/kicks

	shift
	KICKS=$(<"$file")
	check "$what" 60 "$TESTS/nosyscall" -d "$device" -g "$gid" "$@"
	KICKS=$(($(<"$file") - KICKS))
}

# On a busy machine the guest's processors are not idle: one try of some has to do.
for ((i = 0; i < 6; i++)); do
	kicks "100,000 sends one by one, without a poller" stream
	[ "$KICKS" -ge 20000 ] || break
done
[ "$KICKS" -lt 20000 ]
verdict $? "a worker follows them: there are few kicks ($KICKS)"
kicks "10,000 sends, each when the one before is complete" waiting
[ "$KICKS" -ge 10000 ]
verdict $? "nobody follows those, each is kicked ($KICKS)"
busy=()
for ((i = 0; i < $(nproc); i++)); do
	taskset -c $i sh -c 'while :; do :; done' &
	busy+=($!)
done
tracing=/sys/kernel/tracing/events/workqueue
for event in start end; do echo 1 >$tracing/workqueue_execute_$event/enable; done
start=${EPOCHREALTIME/./}
kicks "100,000 sends one by one, and each processor has something else to do" stream
took=$((${EPOCHREALTIME/./} - start))
for event in start end; do echo 0 >$tracing/workqueue_execute_$event/enable; done
{ kill "${busy[@]}" && wait "${busy[@]}"; } 2>/dev/null
followed=$(grep stream_work /sys/kernel/tracing/trace | sed -E 's/^.* ([0-9]+)\.([0-9]{6}): workqueue_execute_(start|end): work struct ([^ :]*):? .*$/\3 \4 \1\2/' |
	awk '$1 == "start" { at[$2] = $3 } $1 == "end" && at[$2] { sum += $3 - at[$2]; at[$2] = 0 } END { print sum + 0 }')
grep -q 'execute_start.*stream_work' /sys/kernel/tracing/trace && [ $((followed * 10)) -lt $took ]
verdict $? "a worker takes next to no time from others ($followed of $took us)" "$(grep stream_work /sys/kernel/tracing/trace | head)"
[ "$KICKS" -lt 60000 ]
verdict $? "so a kick is for several ($KICKS kicks)"
echo 0 >"/sys/class/infiniband/$device/poll_us"
kicks "100,000 sends one by one, without permission to poll" stream
[ "$KICKS" -gt 5000 ] && [ "$KICKS" -lt 60000 ]
verdict $? "nobody follows them, and a kick is for several ($KICKS)"
# A quarter of the ring is eight.
kicks "100,000 sends one by one, through a ring of 32" small
[ "$KICKS" -ge 10000 ] && [ "$KICKS" -lt 20000 ]
verdict $? "there a kick is for eight ($KICKS)"
kicks "300 times a hundred, and then nothing" left
# 32,000 posts and more.
[ "$KICKS" -lt 32000 ]
verdict $? "the kernel sees to those that had no kick ($KICKS)"
# Whoever waits for something else than a post has no timer for posts.
timers=/sys/kernel/tracing/events/timer/hrtimer_expire_entry/enable
for way in direct wire; do
	echo $way >"/sys/class/infiniband/$device/local"
	echo >/sys/kernel/tracing/trace
	echo 1 >$timers
	kicks "$way: a stream, and then sends that nobody receives" blocked
	echo 0 >$timers
	fired=$(grep -c 'function=send_timer' /sys/kernel/tracing/trace)
	[ "$KICKS" -lt 9000 ] && [ "$fired" -lt 1500 ]
	verdict $? "$way: its timer fires seldom ($fired times, $KICKS kicks)"
done
echo direct >"/sys/class/infiniband/$device/local"
check "without permission to poll it works as well" 60 "$TESTS/nosyscall" -d "$device" -g "$gid" sends
finish
