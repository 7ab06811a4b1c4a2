#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A slow link with a short queue: what waits for it waits, and does not ask over and over.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"

topology_netns
modprobe -q sch_tbf
ip netns exec rt-a tc qdisc add dev rta root tbf rate 4mbit burst 6000 limit 12000 || bail "no tbf"
TRACE=/sys/kernel/tracing
echo 1 >$TRACE/events/timer/hrtimer_expire_entry/enable
at_exit "echo 0 >$TRACE/events/timer/hrtimer_expire_entry/enable"

stat() { rdma statistic show link "$CLIENT_DEV/1" | grep -o 'xmit_backoff [0-9]*' | cut -d' ' -f2; }
pingpong()
{
	new_port
	group_pair "tcp:$PORT" "timeout 10 ibv_rc_pingpong -p $PORT -d $SERVER_DEV -g $SERVER_GID4 -s 60000 -n 10" \
		"timeout 10 ibv_rc_pingpong -p $PORT -d $CLIENT_DEV -g $CLIENT_GID4 -s 60000 -n 10 $SERVER_IP4"
}

group "messages get through a short queue"
pingpong
group_end

# Nothing gets through: retransmissions are due while the queue is full, until the queue pair gives up.
ip netns exec rt-a tc qdisc replace dev rta root tbf rate 8kbit burst 3000 limit 9000
group ""
before=$(stat)
: >$TRACE/trace
pingpong
echo 0 >$TRACE/events/timer/hrtimer_expire_entry/enable
fired=$(grep -c 'function=send_timer' $TRACE/trace)
backoffs=$(($(stat) - before))
[ $backoffs -gt 10 ]
verdict $? "the queue was full" "$backoffs times"
[ "$fired" -lt $((200 + 4 * backoffs)) ]
verdict $? "a full queue is waited for" "the timer fired $fired times, the queue was full $backoffs times"
echo "# the timer fired $fired times, the queue was full $backoffs times"
finish
