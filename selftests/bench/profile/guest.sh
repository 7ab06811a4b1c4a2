#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The part of profile.sh inside of its guest: two programs talk, and what is executed meanwhile is counted for half a second by the guest's clock, which is
# so many instructions. Leaves in $OUT: kallsyms; maps, where the client has its libraries; messages, how many there were, and what counted them.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../../lib/topology.sh"
# shellcheck source=selftests/bench/lib.sh
. "$HERE/../lib.sh"

way=$1 counter=sent_pkts SERVER=()
shift
if [ "${way%/*}" = netns ]; then
	ends netns
	[ "$way" = netns ] || mtu_of_both "${way#*/}" || bail "no such MTU: $REPLY"
	way=rox SERVER=(ip netns exec rt-b)
else
	ends self
	[ "$way" != rox ] || counter=direct_msgs
fi
begin "$way" || bail "no $way: $REPLY"
at_exit finish_way
count() { rdma statistic show link "$CLIENT_DEV/1" | grep -o " $counter [0-9]*" | cut -d' ' -f3; }
# shellcheck disable=SC2317 # until_true calls it
flows() { [ "$(($(count) - before))" -gt 500 ]; }

# shellcheck disable=SC2317 # until_true calls it
listens() { "${SERVER[@]}" ss -Htln "sport = :$PORT" | grep -q .; }

# Both at the same addresses, and for longer than we look.
new_port
tool=(setarch -R "$@" -F -D 600 -p "$PORT")
"${SERVER[@]}" timeout 800 "${tool[@]}" -d "$SERVER_DEV" -x "$SERVER_GID4" >"$TAP_DIR/server" 2>&1 &
pids=($!)
until_true 20 listens || bail "no server: $(cat "$TAP_DIR/server")"
before=$(count)
"${CLIENT[@]}" timeout 800 "${tool[@]}" -d "$CLIENT_DEV" -x "$CLIENT_GID4" "$SERVER_IP4" >"$TAP_DIR/client" 2>&1 &
pids+=($!)
until_true 20 flows || bail "no messages: $(cat "$TAP_DIR/client")"
cat /proc/kallsyms >"$OUT/kallsyms"
cat "/proc/$(pgrep -nx "$(basename "$1" | cut -c1-15)")/maps" >"$OUT/maps"

before=$(count)
"$TESTS/mark" begin
sleep 0.5
"$TESTS/mark" end
after=$(count)
echo "$((after - before)) $counter" >"$OUT/messages"
kill "${pids[@]}"
wait "${pids[@]}"
[ "$after" -gt "$before" ]
verdict $? "$((after - before)) $counter counted"
finish
