# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154 # the topology's variables
# Messages of many packets between the two devices of a topology, and as how many packets they left. Source after topology.sh; the test has taken(): what
# the client's netdev took to send.

BYTES=200000
MESSAGES=20
counter_of() { rdma statistic show link "$1/1" | grep -o " $2 [0-9]*" | cut -d' ' -f3; }

# between WHAT SERVER CLIENT: two programs, without their port; how many packets were sent in $sent, as how many in $left, how many were sent again in
# $again, how many did not come to the server in $absent, and in $missed how often it told of a gap.
between()
{
	local before after

	before=$(counter_of "$CLIENT_DEV" sent_pkts) after=$(taken) again=$(resent) supers_before=$(counter_of "$SERVER_DEV" rcvd_super_pkts)
	absent=$(counter_of "$SERVER_DEV" rcvd_pkts) missed=$(counter_of "$CLIENT_DEV" packet_seq_err)
	new_port
	group "$1"
	group_pair "tcp:$PORT" "$2 -p $PORT" "$3 -p $PORT $SERVER_IP4"
	group_end
	sent=$(($(counter_of "$CLIENT_DEV" sent_pkts) - before)) left=$(($(taken) - after)) again=$(($(resent) - again))
	absent=$((sent - $(counter_of "$SERVER_DEV" rcvd_pkts) + absent)) missed=$(($(counter_of "$CLIENT_DEV" packet_seq_err) - missed))
}
# talk WHAT GID-NUMBER: messages of many packets there and back, compared.
talk()
{
	between "$1" "ibv_rc_pingpong -c -d $SERVER_DEV -g ${SERVER_GIDS[$2]} -s $BYTES -n $MESSAGES" \
		"ibv_rc_pingpong -c -d $CLIENT_DEV -g ${CLIENT_GIDS[$2]} -s $BYTES -n $MESSAGES"
}
# talk_in_bursts WHAT GID-NUMBER: the same, and judged by in_bursts. What is sent again makes packets go one by one for a while: a slow kernel, which is too
# late for the ping-pong's time-out, is judged by messages that have one of four seconds.
talk_in_bursts()
{
	talk "$@"
	[ "$PATIENCE" = 1 ] || between "$1, with time" "ib_write_bw -F -u 20 -d $SERVER_DEV -x ${SERVER_GIDS[$2]} -s $BYTES -n $MESSAGES" \
		"ib_write_bw -F -u 20 -d $CLIENT_DEV -x ${CLIENT_GIDS[$2]} -s $BYTES -n $MESSAGES"
	in_bursts
}
# in_supers YES|NO: more than half of the packets came in super-packets, or none did.
in_supers()
{
	local supers=$(($(counter_of "$SERVER_DEV" rcvd_super_pkts) - supers_before))

	if [ "$1" = YES ]; then
		verdict $((supers * 2 < sent || sent < 1000)) "most came in super-packets" "$supers of $sent"
	else
		verdict $((supers != 0 || sent < 1000)) "none came in super-packets" "$supers of $sent"
	fi
}
# in_bursts: there were less than a quarter, which the acknowledgements and the program's own connection leave room for.
# A kernel ten times slower may be late for a round trip as long as those before, which nothing can judge then.
in_bursts()
{
	if [ "$PATIENCE" -gt 1 ] && [ "$again" -gt 0 ] && [ $((left * 4)) -gt "$sent" ]; then
		skip "they left as one" "$again were sent again, and so $sent packets left as $left"
		return
	fi
	verdict $((left * 4 > sent || sent < 1000)) "they left as one" "$sent packets left as $left, $again were sent again"
}
one_by_one() { verdict $((left < sent || sent < 1000)) "they left one by one" "$sent packets left as $left"; }
# damaged: how many, of both devices, in $REPLY.
damaged()
{
	local device counter value

	REPLY=0
	for device in "$SERVER_DEV" "$CLIENT_DEV"; do
		for counter in drop_icrc drop_length drop_short; do
			value=$(counter_of "$device" $counter)
			REPLY=$((REPLY + ${value:-1}))
		done
	done
}
# all_intact [BUT]: none was damaged but so many.
all_intact()
{
	damaged
	verdict $((REPLY != ${1:-0})) "none was damaged" "$(rdma statistic)"
}
resent() { counter_of "$CLIENT_DEV" retransmits; }
