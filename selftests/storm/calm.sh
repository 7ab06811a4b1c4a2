# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2317 # functions others are given to call
# Everything is bounded: what a flood does to others, and what a device costs that nobody uses. On a device that copies, and on one that makes packets.

TRACING=/sys/kernel/tracing

storm_calm()
{
	local device way

	make_field || not_ok "calm: the devices have their GIDs" "$(rdma link show)"
	for device in x_rs0 x_rsw; do
		way=$(cat /sys/class/infiniband/$device/local)
		# As programs are by default: the workers of the device are.
		CREW_NICE=0 crew "calm, $way: a flood leaves others their turn" $((2 * $1 + 10)) \
			storm-calm flood $device $(($1 / 6 + 2)) 4 $((2000 * PATIENCE))
		quiet "calm, $way" $device $((100 + FULL * 3900))
	done
	clear_field
}

# What the device does by itself, in the trace: timers, work items, packets.
trace_on()
{
	local event

	echo >$TRACING/trace
	for event in rox timer/hrtimer_start timer/hrtimer_expire_entry workqueue/workqueue_execute_start workqueue/workqueue_queue_work; do
		echo 1 >$TRACING/events/$event/enable
	done
	echo 1 >$TRACING/tracing_on
}
trace_off()
{
	echo 0 >$TRACING/tracing_on
	echo 0 >$TRACING/events/enable
	grep -E '\[rox\]|: rox_|workqueue=rox' $TRACING/trace
}
says_idle() { grep -q '^idle' "$TAP_DIR/idle"; }
idle_or_dead() { says_idle || ! kill -0 "$1" 2>/dev/null; }

# quiet WHAT DEVICE CONNECTIONS: idle ones cause nothing at all. The same trace afterwards, when they are used, shows that it would have been seen.
quiet()
{
	local what="$1: $3 idle connections" pid lines timers go

	rm -f "$TAP_DIR/go"
	mkfifo "$TAP_DIR/go" && exec {go}<>"$TAP_DIR/go"
	storm-calm idle "$2" "$3" <"$TAP_DIR/go" >"$TAP_DIR/idle" 2>&1 &
	pid=$!
	until_true $((30 + $3 / 20)) idle_or_dead $pid
	if ! says_idle; then
		kill -9 $pid 2>/dev/null
		wait $pid
		not_ok "$what" "exit status $?
$(cat "$TAP_DIR/idle")"
		exec {go}>&-
		return
	fi
	trace_on
	sleep $((2 * PATIENCE))
	trace_off >"$TAP_DIR/trace"
	lines=$(wc -l <"$TAP_DIR/trace")
	[ "$lines" = 0 ]
	verdict $? "$what: no timer, no work, no packet in $((2 * PATIENCE)) s" "$(head -n 20 "$TAP_DIR/trace")"
	timers=$(grep -c '\[rox\]' /proc/timer_list)
	[ "$timers" = 0 ]
	verdict $? "$what: none of the kernel's timers is the device's" "$(grep '\[rox\]' /proc/timer_list | head)"
	trace_on
	echo go >&"$go"
	wait $pid
	verdict $? "$what: they work again afterwards" "$(cat "$TAP_DIR/idle")"
	trace_off >"$TAP_DIR/trace"
	[ "$(wc -l <"$TAP_DIR/trace")" -ge 10 ]
	verdict $? "$what: what they do then is seen" "$(wc -l <"$TAP_DIR/trace") lines"
	exec {go}>&-
}
