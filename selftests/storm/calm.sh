# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2317 # functions others are given to call
# Everything is bounded: what a flood does to others, and what a device costs that nobody uses.

TRACING=/sys/kernel/tracing

storm_calm()
{
	make_field || not_ok "calm: the devices have their GIDs" "$(rdma link show)"
	# As programs are by default: the workers of the device are.
	CREW_NICE=0 crew "calm: a flood leaves others their turn" $((4 * $1 + 10)) \
		storm-calm flood $(($1 / 3 + 2)) 4 $((2000 * PATIENCE))
	quiet $((100 + LONG * 3900))
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
says() { grep -q "$1" "$TAP_DIR/idle"; }

# quiet CONNECTIONS: idle ones cause nothing at all. The same trace afterwards, when they are used, shows that it would have been seen.
quiet()
{
	local pid lines timers go

	mkfifo "$TAP_DIR/go" && exec {go}<>"$TAP_DIR/go"
	storm-calm idle "$1" <"$TAP_DIR/go" >"$TAP_DIR/idle" 2>&1 &
	pid=$!
	if ! until_true $((30 + $1 / 20)) says idle; then
		not_ok "calm: $1 connections" "$(cat "$TAP_DIR/idle")"
		kill -9 $pid
		return
	fi
	trace_on
	sleep $((2 * PATIENCE))
	trace_off >"$TAP_DIR/trace"
	lines=$(wc -l <"$TAP_DIR/trace")
	[ "$lines" = 0 ]
	verdict $? "calm: $1 idle connections: no timer, no work, no packet in $((2 * PATIENCE)) s" "$(head -n 20 "$TAP_DIR/trace")"
	timers=$(grep -c '\[rox\]' /proc/timer_list)
	[ "$timers" = 0 ]
	verdict $? "calm: $1 idle connections: none of the kernel's timers is the device's" "$(grep '\[rox\]' /proc/timer_list | head)"
	trace_on
	echo go >&"$go"
	wait $pid
	verdict $? "calm: they work again afterwards" "$(cat "$TAP_DIR/idle")"
	trace_off >"$TAP_DIR/trace"
	[ "$(wc -l <"$TAP_DIR/trace")" -ge 10 ]
	verdict $? "calm: what they do then is seen" "$(wc -l <"$TAP_DIR/trace") lines"
}
