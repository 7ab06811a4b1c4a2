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

way=$1 counter=sent_pkts
shift
case $way in
netns) topology_netns ;;
*)
	[ "$way" != rxe ] || { LINK_TYPE=rxe; MODULE=$(module_of rxe); }
	load && make_netdev
	link_add rt0 || bail "no device"
	CLIENT_DEV=$REPLY SERVER_DEV=$REPLY SERVER_IP4=127.0.0.1
	until_true 5 gid_of "$REPLY" 10.0.0.1 || bail "no GID"
	CLIENT_GID4=$REPLY SERVER_GID4=$REPLY
	[ "$way" = rxe ] || echo "$way" >"/sys/class/infiniband/$CLIENT_DEV/local"
	[ "$way" != direct ] || counter=direct_msgs
	;;
esac
count() { rdma statistic show link "$CLIENT_DEV/1" | grep -o " $counter [0-9]*" | cut -d' ' -f3; }
in_server() { if [ "$way" = netns ]; then ip netns exec rt-b "$@"; else "$@"; fi; }
in_client() { if [ "$way" = netns ]; then ip netns exec rt-a "$@"; else "$@"; fi; }
# shellcheck disable=SC2317 # until_true calls it
listens() { in_server ss -Htln "sport = :$PORT" | grep -q .; }
# shellcheck disable=SC2317 # until_true calls it
flows() { [ "$(($(count) - before))" -gt 500 ]; }

# Both at the same addresses, and for longer than we look.
new_port
tool=(setarch -R "$@" -F -D 600 -p "$PORT")
in_server timeout 800 "${tool[@]}" -d "$SERVER_DEV" -x "$SERVER_GID4" >"$TAP_DIR/server" 2>&1 &
pids=($!)
until_true 20 listens || bail "no server: $(cat "$TAP_DIR/server")"
before=$(count)
in_client timeout 800 "${tool[@]}" -d "$CLIENT_DEV" -x "$CLIENT_GID4" "$SERVER_IP4" >"$TAP_DIR/client" 2>&1 &
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
