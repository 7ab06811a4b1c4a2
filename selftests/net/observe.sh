#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Observation: counters, resources, tracepoints, and a reason for every packet that was dropped.
# shellcheck disable=SC2317 # functions others are given to call
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

load || bail "cannot load $MODULE"
for end in a b; do
	ip netns add rt-$end
	at_exit "ip netns del rt-$end"
	ip -n rt-$end link set lo up
done
# A namespace where the in-tree device may not be: both ends here, then.
ip link add rta type veth peer name rtb
at_exit "ip link del rta"
ip link set rtb netns rt-b
ip address add 10.3.0.1/24 dev rta
ip -n rt-b address add 10.3.0.2/24 dev rtb
ip link set rta up
ip -n rt-b link set rtb up
link_add rta || bail "no device on veth"
device=$REPLY
at_exit "rdma link delete $device"
until_true 5 gid_of "$device" 10.3.0.1 || bail "no GID"
gid=$REPLY

if [ "$LINK_TYPE" = rox ]; then
	read -r crc </sys/kernel/debug/rox/crc32
	# A kernel may be built without, as those that look for faults are.
	slow='^$'
	if [ "$(uname -m)" = x86_64 ] && { modprobe -qn crc32-pclmul || grep -qi 'crc32.*pclmul' /proc/kallsyms; }; then slow='tables|generic|crc32_le,'; fi
	[[ $crc =~ [1-9][0-9]*\ MB/s$ ]] && ! [[ $crc =~ $slow ]]
	verdict $? "the kernel's fastest CRC is chosen: $crc" "$(cat /proc/crypto)"
	# Who looks at it keeps nobody from unloading the module: at the end.
	exec {looks}</sys/kernel/debug/rox/crc32
fi

# ---- resources

timeout $((60 * PATIENCE)) ibv_rc_pingpong -d "$device" -g "$gid" -p 19999 >/dev/null 2>&1 &
server=$!
tcp_listens() { ss -Htln "sport = :$1" | grep -q .; }
until_true 10 tcp_listens 19999
for kind in qp cq mr pd; do
	rdma resource show $kind 2>/dev/null | grep -q "comm ibv_rc_pingpong"
	verdict $? "rdma resource shows a program's $kind" "$(rdma resource show; rdma resource show $kind)"
done
# Anybody may ask; who knows a PSN can send into the connection.
"$TESTS/hold" -d "$device" -g "$gid" >"$TAP_DIR/hold" 2>&1 &
holder=$!
until_true 10 grep -q holding "$TAP_DIR/hold"
shown=$(rdma resource show qp | grep 'comm hold')
grep -q 'type RC state RTS' <<<"$shown" && ! grep -qE '(rq|sq)-psn [1-9]' <<<"$shown"
verdict $? "psns_are_withheld: rdma resource does not show them" "$shown"
kill $holder
wait $holder 2>/dev/null
rdma resource show | grep -qE "$device: .*qp [2-9]"
verdict $? "rdma resource sums up" "$(rdma resource show)"
kill $server
wait $server 2>/dev/null

# While queue pairs come and go: who is shown one that is just destroyed must not wait for it, nor look at what is gone.
"$TESTS/storm-churn" -s 1 -t 4 -w 2 -k 1000 -l $((10 * PATIENCE)) >"$TAP_DIR/churn" 2>&1 &
churn=$!
shown=0 late=0
while kill -0 $churn 2>/dev/null && [ $late = 0 ]; do
	timeout -k 1 $((10 * PATIENCE)) rdma resource show qp >"$TAP_DIR/shown" 2>&1 || late=1
	shown=$((shown + $(grep -cE "lqpn [0-9]{2,}" "$TAP_DIR/shown")))
done
wait $churn
verdict $? "objects come and go while they are shown" "$(tail -n 20 "$TAP_DIR/churn")"
[ $late = 0 ] && [ $shown -gt 10 ]
verdict $? "rdma resource shows them meanwhile and never waits" "$shown shown, last: $(tail -n 5 "$TAP_DIR/shown")"

# ---- counters

stat() { rdma statistic show link "$device/1"; }
# count NAME: in $REPLY, 0 where there is none.
count() { REPLY=$(stat | tr ' ' '\n' | awk -v name="$1" 'found { print; exit } $0 == name { found = 1 }'); REPLY=${REPLY:-0}; }
stat | grep -qE '[a-z_]+ [0-9]+'
verdict $? "rdma statistic shows counters" "$(stat)"
ls /sys/class/infiniband/"$device"/ports/1/hw_counters/* >/dev/null
verdict $? "sysfs has hw_counters"

# talk: a ping-pong of the device with itself.
talk()
{
	new_port
	timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 50 -p "$PORT" -d "$device" -g "$gid" >"$TAP_DIR/server" 2>&1 &
	server=$!
	until_true 10 tcp_listens "$PORT"
	timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 50 -p "$PORT" -d "$device" -g "$gid" localhost >"$TAP_DIR/client" 2>&1 || kill $server
	wait $server
}
before=$(stat)
check "traffic" 30 talk
[ "$before" != "$(stat)" ]
verdict $? "traffic counts" "$(stat)"

if [ "$LINK_TYPE" != rox ]; then
	skip "the link setting, tracepoints and drop reasons" "they are rox's"
	finish
fi

# ---- the two ways within a host

SETTING=/sys/class/infiniband/$device/local
[ "$(cat "$SETTING")" = direct ]
verdict $? "a link begins with local=direct" "$(cat "$SETTING")"
# uses COUNTER NOT: traffic raises the one and not the other.
uses()
{
	local used not_used

	count "$1"; used=$REPLY
	count "$2"; not_used=$REPLY
	check "local=$(cat "$SETTING"): traffic" 30 talk
	count "$1"
	[ "$REPLY" -gt "$used" ]
	verdict $? "local=$(cat "$SETTING"): raises $1" "$(stat)"
	count "$2"
	[ "$REPLY" = "$not_used" ]
	verdict $? "local=$(cat "$SETTING"): leaves $2 alone" "$(stat)"
}
uses direct_msgs sent_pkts
! echo sideways >"$SETTING" 2>/dev/null
verdict $? "no other value is taken" "$(cat "$SETTING")"
echo wire >"$SETTING"
uses sent_pkts direct_msgs

# ---- tracepoints

TRACE=/sys/kernel/tracing
[ -d $TRACE/events ] || mount -t tracefs tracefs $TRACE
[ -d $TRACE/events/rox ]
verdict $? "there are tracepoints rox:*" "$(ls $TRACE/events)"
echo 1 >$TRACE/events/rox/enable
at_exit "echo 0 >$TRACE/events/rox/enable"
: >$TRACE/trace
talk
echo 0 >$TRACE/events/rox/enable
for event in rox_kick rox_wqe rox_send rox_recv rox_cqe; do
	grep -q "$event:" $TRACE/trace
	verdict $? "traffic fires $event" "$(ls $TRACE/events/rox; head -n 40 $TRACE/trace)"
done

# ---- drops: packets that are wrong, from the other end of the wire

dropped() { stat | tr ' ' '\n' | awk '/^drop_/ { name = $0; getline; sum += $0 } END { print sum + 0 }'; }
# shellcheck disable=SC2317 # until_true calls it
more_dropped() { [ "$(dropped)" -gt "$1" ]; }
echo 1 >$TRACE/events/rox/enable
# drop WHAT REASONS PYTHON: send what PYTHON prints as hexadecimal; one of the counters drop_REASON goes up and is in the trace.
drop()
{
	local reason before after=0 sum

	sum=$(dropped)
	before=$(stat)
	: >$TRACE/trace
	ip netns exec rt-b python3 -c "import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(3):
    s.sendto(bytes.fromhex('$3'), ('10.3.0.1', 4791))"
	until_true 1 more_dropped "$sum"
	verdict $? "$1: counted as a drop" "before: $before
after: $(stat)"
	for reason in $2; do
		count "drop_$reason"
		[ "$REPLY" = 0 ] || after=$REPLY
	done
	[ "$after" -gt 0 ]
	verdict $? "$1: with its reason ($2)" "$(stat)"
	grep -q 'rox_drop:' $TRACE/trace
	verdict $? "$1: in the trace" "$(cat $TRACE/trace)"
}
drop "five bytes" short 0102030405
#      op fl pkey   qpn      psn        payload          icrc
drop "an unknown opcode" "opcode icrc" "ff00ffff000000118000000100000000""00000000"
drop "a wrong ICRC" "icrc no_qp" "0400ffff000000118000000100000000""deadbeef"
drop "a wrong transport version" "version icrc" "040fffff000000118000000100000000""deadbeef"
rdma link delete "$device"
check "the module unloads while somebody looks at its choice of CRC" 20 modprobe -r "$MODULE"
exec {looks}<&-
finish
