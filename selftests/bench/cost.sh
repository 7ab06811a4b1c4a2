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
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
# shellcheck source=selftests/bench/lib.sh
. "$HERE/lib.sh"

GROWTH=8 # percent
rounds=2
[ "${1-}" != --rounds ] || rounds=$2

ways=(rox packets rxe)
# What, the tool and options, and what makes instructions of its line of figures.
# shellcheck disable=SC2016 # for awk
items='
write-64	ib_write_bw -s 64 -n 3000	1000 / $5
write-4096	ib_write_bw -s 4096 -n 3000	1000 / $5
write-KiB	ib_write_bw -s 65536 -n 500	1e9 / ($4 * 1024)
read-KiB	ib_read_bw -s 65536 -n 500	1e9 / ($4 * 1024)
send-half-trip	ib_send_lat -e -s 8 -n 300	$5 * 1000
write-64-list	ib_write_bw -s 64 -n 3200 -l 32	1000 / $5'

measure_all()
{
	local name tool formula

	while IFS=$'\t' read -r name tool formula; do
		[ "$name" ] || continue
		# shellcheck disable=SC2086 # a tool and its options
		measure "$name" "instructions=$formula" -- $tool
	done <<<"$items"
}
# least NAME WAY: of the rounds.
least() { awk -F '\t' -v way="$2" -v item="$1" '$1 == way && $2 == item && (!n++ || $4 < v) { v = $4 } END { print n ? int(v) : "-" }' "$TAP_DIR/figures"; }

ends self
for ((i = 0; i < rounds; i++)); do
	for way in "${ways[@]}"; do
		begin "$way" || bail "no $way: $REPLY"
		measure_all
		finish_way
	done
done

printf '# %-16s %10s %10s %10s   instructions, Linux %s\n' "" "${ways[@]}" "$(uname -r)"
while IFS=$'\t' read -r name _; do
	[ "$name" ] || continue
	printf '# %-16s %10s %10s %10s\n' "$name" "$(least "$name" rox)" "$(least "$name" packets)" "$(least "$name" rxe)"
done <<<"$items"

# The budget: NAME WAY INSTRUCTIONS. A figure that is less than allowed by as much is worth a new budget.
while read -r name way allowed; do
	case $name in '' | '#'*) continue ;; esac
	now=$(least "$name" "$way")
	[ "$now" != - ] && [ "$now" -le $((allowed * (100 + GROWTH) / 100)) ]
	verdict $? "$name, $way: $now instructions, budget $allowed"
	[ "$now" = - ] || [ "$now" -ge $((allowed * (100 - GROWTH) / 100)) ] || echo "# $name, $way: the budget can be lowered to $now"
done <"$HERE/budget"
finish
