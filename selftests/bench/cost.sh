#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What an operation costs in instructions, user space and kernel together, beside the in-tree driver. In a guest of --icount, whose clock counts them: a
# nanosecond is an instruction, so the figures are the same on a busy machine. Compared with the file budget: none may grow by more than 8 %.
#
#   cost.sh [--rounds N]	(2; the least of them: what else happens in the guest only adds)
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/bench/lib.sh
. "$HERE/lib.sh"

GROWTH=8 # percent
rounds_option 2 "$@"

# What, the tool and options, the column of its figure, and what makes instructions of it.
# shellcheck disable=SC2016 # for awk
items='
write-64	ib_write_bw -s 64 -n 3000	5	1000 / $1
write-4096	ib_write_bw -s 4096 -n 3000	5	1000 / $1
write-KiB	ib_write_bw -s 65536 -n 500	4	1e9 / ($1 * 1024)
read-KiB	ib_read_bw -s 65536 -n 500	4	1e9 / ($1 * 1024)
send-half-trip	ib_send_lat -e -s 8 -n 300	5	$1 * 1000
write-64-list	ib_write_bw -s 64 -n 3200 -l 32	5	1000 / $1'

measure_all()
{
	local name tool column formula

	while IFS=$'\t' read -r name tool column formula; do
		[ "$name" ] || continue
		# shellcheck disable=SC2086 # a tool and its options
		perftest 100 "$column" $tool | awk "\$1 > 0 { printf \"%.0f\\n\", $formula }" >>"$TAP_DIR/$1.$name"
	done <<<"$items"
}

make_netdev
for ((i = 0; i < rounds; i++)); do in_turn measure_all; done

printf '# %-16s %10s %10s %10s   instructions, Linux %s\n' "" rox "rox, wire" rdma_rxe "$(uname -r)"
while IFS=$'\t' read -r name _; do
	[ "$name" ] || continue
	printf '# %-16s %10s %10s %10s\n' "$name" "$(least "$TAP_DIR/direct.$name")" "$(least "$TAP_DIR/wire.$name")" "$(least "$TAP_DIR/rxe.$name")"
done <<<"$items"

# The budget: NAME WAY INSTRUCTIONS. A figure that is less than allowed by as much is worth a new budget.
while read -r name way allowed; do
	case $name in '' | '#'*) continue ;; esac
	now=$(least "$TAP_DIR/$way.$name")
	[ "$now" != - ] && [ "$now" -le $((allowed * (100 + GROWTH) / 100)) ]
	verdict $? "$name, $way: $now instructions, budget $allowed" "$(tail -n 20 "$TAP_DIR/server" "$TAP_DIR/client")"
	[ "$now" = - ] || [ "$now" -ge $((allowed * (100 - GROWTH) / 100)) ] || echo "# $name, $way: the budget can be lowered to $now"
done <"$HERE/budget"
finish
