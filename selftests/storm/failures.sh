# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Each allocation fails in turn. Stock kernels cannot do that.

storm_failures()
{
	local first=1

	if [ ! -e /proc/self/fail-nth ]; then
		skip "failures" "this kernel has no fault injection (CONFIG_FAULT_INJECTION)"
		return
	fi
	make_field || not_ok "failures: the devices have their GIDs" "$(rdma link show)"
	inject_everywhere
	# The short form begins somewhere, the long one at the beginning and goes on until none fails.
	if [ "$LONG" = 0 ]; then decide 40; first=$((REPLY + 1)); fi
	crew "failures: whatever fails, the next one works" "$1" storm-failures "$1" $first rs0
	clear_field
}

# Only what /proc/self/fail-nth asks for: the probabilities stay 0.
inject_everywhere()
{
	local point=/sys/kernel/debug

	for point in /sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc /sys/kernel/debug/fail_usercopy; do
		[ -d $point ] || continue
		echo 0 >$point/verbose
		echo 0 >$point/probability
		echo -1 >$point/times
		[ ! -e $point/ignore-gfp-wait ] || echo N >$point/ignore-gfp-wait
		[ ! -e $point/ignore-gfp-highmem ] || echo N >$point/ignore-gfp-highmem
		[ ! -e $point/min-order ] || echo 0 >$point/min-order
	done
}
