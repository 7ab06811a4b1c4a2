#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What an operation costs in instructions, user space and kernel together, beside the in-tree driver. In a guest of --icount, whose clock counts them: a
# nanosecond is an instruction, so the figures are the same on a busy machine. Compared with the file budget: none may grow by more than 8 %.
#
#   cost.sh [--rounds N]	(1; medians)
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

GROWTH=8 # percent
rounds=1
[ "${1-}" != --rounds ] || rounds=$2

# What, the tool and options, the column of its figure, and what makes instructions of it.
# shellcheck disable=SC2016 # for awk
items='
write-64	ib_write_bw -s 64 -n 3000	5	1000 / $1
write-4096	ib_write_bw -s 4096 -n 1000	5	1000 / $1
write-KiB	ib_write_bw -s 65536 -n 100	4	1e9 / ($1 * 1024)
read-KiB	ib_read_bw -s 65536 -n 100	4	1e9 / ($1 * 1024)
send-half-trip	ib_send_lat -e -s 8 -n 300	5	$1 * 1000
write-64-list	ib_write_bw -s 64 -n 3200 -l 32	5	1000 / $1'

# shellcheck disable=SC2317 # until_true calls it
tcp_listens() { ss -Htln "sport = :$1" | grep -q .; }

# measure TOOL-AND-OPTIONS COLUMN FORMULA
measure()
{
	local tool server

	read -ra tool <<<"$1"
	new_port
	timeout 100 "${tool[@]}" -F -p "$PORT" -d "$device" -x "$gid" >"$TAP_DIR/server" 2>&1 &
	server=$!
	until_true 20 tcp_listens "$PORT"
	timeout 100 "${tool[@]}" -F -p "$PORT" -d "$device" -x "$gid" localhost >"$TAP_DIR/client" 2>&1 || kill "$server"
	wait "$server"
	awk -v column="$2" 'found { print $column; exit } /#bytes/ { found = 1 }' "$TAP_DIR/client" | awk "\$1 > 0 { printf \"%.0f\n\", $3 }"
}

# round_of SUBJECT
round_of()
{
	local name tool column formula

	load
	link_add rt0 || bail "no $LINK_TYPE device"
	device=$REPLY
	until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID"
	gid=$REPLY
	case $1 in
	direct | wire) echo "$1" >"/sys/class/infiniband/$device/local" ;;
	esac
	while IFS=$'\t' read -r name tool column formula; do
		[ -z "$name" ] || measure "$tool" "$column" "$formula" >>"$TAP_DIR/$1.$name"
	done <<<"$items"
	rdma link delete "$device"
	modprobe -r "$MODULE"
}

median() { sort -n "$1" 2>/dev/null | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'; }

ip link add rt0 mtu 1500 type dummy
ip address add 10.0.0.1/24 dev rt0
ip link set rt0 up
for ((i = 0; i < rounds; i++)); do
	for subject in direct wire rxe; do
		LINK_TYPE=rox
		[ $subject != rxe ] || LINK_TYPE=rxe
		MODULE=$(module_of "$LINK_TYPE")
		round_of $subject
	done
done

printf '# %-16s %10s %10s %10s   instructions, Linux %s\n' "" rox "rox, wire" rdma_rxe "$(uname -r)"
while IFS=$'\t' read -r name _; do
	[ "$name" ] || continue
	printf '# %-16s %10s %10s %10s\n' "$name" "$(median "$TAP_DIR/direct.$name")" "$(median "$TAP_DIR/wire.$name")" "$(median "$TAP_DIR/rxe.$name")"
done <<<"$items"

# The budget: NAME WAY INSTRUCTIONS. A figure that is less than allowed by as much is worth a new budget.
while read -r name way allowed; do
	case $name in '' | '#'*) continue ;; esac
	now=$(median "$TAP_DIR/$way.$name")
	[ "$now" != - ] && [ "$now" -le $((allowed * (100 + GROWTH) / 100)) ]
	verdict $? "$name, $way: $now instructions, budget $allowed" "$(tail -n 20 "$TAP_DIR/server" "$TAP_DIR/client")"
	[ "$now" = - ] || [ "$now" -ge $((allowed * (100 - GROWTH) / 100)) ] || echo "# $name, $way: the budget can be lowered to $now"
done <"$HERE/budget"
finish
