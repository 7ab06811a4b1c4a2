# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Allocations fail: of each operation in turn, and of what the device does in the background at random. Stock kernels cannot do that.

POINTS=/sys/kernel/debug

storm_failures()
{
	local all=() seconds=$(($1 * 4 / 5))

	if [ ! -e /proc/self/fail-nth ]; then
		skip "failures" "this kernel has no fault injection (CONFIG_FAULT_INJECTION)"
		return
	fi
	make_field || not_ok "failures: the devices have their GIDs" "$(rdma link show)"
	# A netdev without a device, for "link add".
	ip link add rs1 type dummy && ip address add 10.8.3.1/24 dev rs1 && ip link set rs1 up
	inject_everywhere
	# As many as there is time for. All of them take so long that they are a storm of their own.
	if [ "$FULL" = 1 ] && [ ${#storms[@]} = 1 ]; then
		modprobe rox_sites || not_ok "failures: rox_sites.ko chooses what fails"
		all=(-a)
	fi
	crew "failures: whatever fails, the next one works" $seconds storm-failures "${all[@]}" $seconds "$SEED" x_rs0 x_rsw rs1
	[ ${#all[@]} = 0 ] || rmmod rox_sites
	fail_in_background $(($1 / 5 + 2))
	clear_field
}

# Only what /proc/self/fail-nth asks for: the probabilities stay 0. And nothing of what the kernel's own checks allocate, which is as much as all else.
inject_everywhere()
{
	local point cache

	for cache in /sys/kernel/slab/*/failslab; do
		[ -e "$cache" ] || continue
		case $cache in
		*/kmemleak_* | */debug_objects_cache/*) ;;
		*) echo 1 >"$cache" ;;
		esac
	done
	set_point failslab cache-filter Y

	for point in failslab fail_page_alloc fail_usercopy; do
		[ -d $POINTS/$point ] || continue
		set_point $point verbose 0
		set_point $point probability 0
		set_point $point times -1
		set_point $point ignore-gfp-wait N
		set_point $point ignore-gfp-highmem N
		set_point $point min-order 0
	done
}
set_point() { [ ! -e "$POINTS/$1/$2" ] || echo "$3" >"$POINTS/$1/$2"; }

# fail_in_background SECONDS: of what is allocated in any context with a function of the module among the callers, 2 % fail, while programs send packets to
# each other. What they do may fail, or be slow; others of the kernel notice nothing, as many of its parts say a lot when they have no memory.
fail_in_background()
{
	local from to point left injected=0 most=1000000

	read -r from to < <(awk -v module="[$MODULE]" '$4 == module && tolower($2) == "t" { print $1 }' /proc/kallsyms | sort | sed -n '1p;$p' | tr '\n' ' ')
	if [ -z "${to-}" ] || [ ! -e $POINTS/failslab/require-start ]; then
		skip "failures: at random in the background" "this kernel cannot choose callers (CONFIG_FAULT_INJECTION_STACKTRACE_FILTER)"
		return
	fi
	for point in failslab fail_page_alloc; do
		set_point $point task-filter N
		set_point $point interval 1
		set_point $point stacktrace-depth 32
		set_point $point require-start "0x$from"
		set_point $point require-end "$(printf '0x%x' $((0x$to + 4096)))"
		# So many that it is no limit; it counts them.
		set_point $point times $most
		set_point $point probability 2
	done
	crew "failures: at random in the background: nothing hangs" "$1" storm-traffic -d x_rsw -s "$SEED" -t "$1" -w 4 -l "$HUNG"
	for point in failslab fail_page_alloc; do
		read -r left <$POINTS/$point/times
		injected=$((injected + most - left))
		set_point $point probability 0
		set_point $point require-start 0
		set_point $point require-end 0xffffffffffffffff
		set_point $point times -1
	done
	[ $injected -gt 0 ]
	verdict $? "failures: at random in the background: $injected failed"
	crew "failures: afterwards nothing fails" 2 storm-traffic -x -d x_rsw -s "$SEED" -t $((1 * PATIENCE)) -w 2 -l "$HUNG"
}
