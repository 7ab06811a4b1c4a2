#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A slow link with a short queue: what waits for it waits, does not ask over and over, and does not wait for others.
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

# shellcheck disable=SC2317 # until_true calls it
clogged() { local before; before=$(stat); sleep 0.2; [ $(($(stat) - before)) -gt 10 ]; }
stat() { rdma statistic show link "$CLIENT_DEV/1" | grep -o 'xmit_backoff [0-9]*' | cut -d' ' -f2; }
pingpong()
{
	new_port
	group_pair "tcp:$PORT" "timeout $((10 * PATIENCE)) ibv_rc_pingpong -p $PORT -d $SERVER_DEV -g $SERVER_GID4 -s 60000 -n 10" \
		"timeout $((10 * PATIENCE)) ibv_rc_pingpong -p $PORT -d $CLIENT_DEV -g $CLIENT_GID4 -s 60000 -n 10 $SERVER_IP4"
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

# What waits for the hardware address of a neighbour that is gone is queued, too, and is somebody else's.
ip netns exec rt-a tc qdisc del dev rta root
ip -n rt-a neigh replace 10.0.0.77 lladdr 02:00:00:00:00:77 dev rta nud permanent
ip netns exec rt-a "$TESTS/shout" -d "$CLIENT_DEV" -g "$CLIENT_GID4" 10.0.0.77 >"$TAP_DIR/shout" 2>&1 &
shout=$!
until_true 10 grep -q shouting "$TAP_DIR/shout"
verdict $? "a program sends to a neighbour" "$(cat "$TAP_DIR/shout")"
ip -n rt-a neigh del 10.0.0.77 dev rta
until_true 5 clogged
verdict $? "which is gone: its packets fill the queue" "$(ip netns exec rt-a ss -uanm | head)"
new_port
PAIR_SECONDS=$((20 * PATIENCE))
group "another's datagrams get through meanwhile"
group_pair "tcp:$PORT" "ibv_ud_pingpong -p $PORT -d $SERVER_DEV -g $SERVER_GID4 -n 100" \
	"ibv_ud_pingpong -p $PORT -d $CLIENT_DEV -g $CLIENT_GID4 -n 100 $SERVER_IP4"
group_end
kill $shout
finish
