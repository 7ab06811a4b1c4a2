#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Does a kernel that looks for faults find them? Commits each in a guest, where the kernel must report it at once, and outside, where the run must fail and
# name it.
#
#   faults.sh KERNEL	debug-6.12, debug-7.3 or kcsan
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
cd "$HERE/../.." || bail "no tree"
kernel=${1:-debug-6.12}

# What the log says of each fault; of those that are only found when the script is over, outside. Locks come first: other reports turn lockdep off.
at_once='
rcu_without_lock	suspicious RCU usage
abba	possible circular locking dependency
sleep_in_atomic	sleeping function called from invalid context
undefined_shift	UBSAN: shift-out-of-bounds
free_live_timer	ODEBUG: free active
list_corruption	list_del corruption
refcount_underflow	refcount_t: decrement hit 0
use_after_free	KASAN: slab-use-after-free
out_of_bounds	KASAN: slab-out-of-bounds
soft_lockup	BUG: soft lockup'
at_the_end='
leak	unreferenced object
page_leak	page_owner: 4 pages are left'
locks_off=yes
# What tests rely on: some would find nothing without it.
offers='/proc/self/fail-nth /sys/kernel/debug/kcov /sys/kernel/debug/page_owner_stacks/show_stacks'
case $kernel in
kcsan)
	at_once='
data_race	KCSAN: data-race in .*racer
sleep_in_atomic	sleeping function called from invalid context
list_corruption	list_del corruption'
	at_the_end='' locks_off='' offers=''
	;;
esac

# In the guest: commit each of the faults named and tell which were reported.
cat >"$TAP_DIR/commit" <<'END'
#!/bin/bash
for file in $2; do [ ! -e "$file" ] || echo "there is $file"; done
while IFS=$'\t' read -r fault says; do
	[ "$fault" ] || continue
	# A lockup takes twice as many seconds; for others the host may be too busy.
	[ "$fault" != soft_lockup ] || echo 1 >/proc/sys/kernel/watchdog_thresh
	before=$(dmesg | wc -l)
	timeout 100 modprobe rox_faults_test fault="$fault" || echo "# $fault: modprobe says $?"
	timeout 100 rmmod rox_faults_test
	[ "$fault" != soft_lockup ] || echo 10 >/proc/sys/kernel/watchdog_thresh
	[ "$says" != at-the-end ] || continue
	if dmesg | tail -n "+$((before + 1))" | grep -qE "$says"; then
		echo "caught $fault"
	else
		dmesg | tail -n "+$((before + 1))" | sed 's/^/# /'
	fi
done <<<"$1"
END
chmod +x "$TAP_DIR/commit"

# commit FAULTS: in one guest; what the run says, with the faults in its log, is in $said.
commit()
{
	said=$(tools/vm/run --kernel "$kernel" --timeout 600 --out "$TAP_DIR/out" "$TAP_DIR/commit" "$1" "$offers" 2>&1 </dev/null)
	status=$?
}

commit "$at_once$(sed 's/\t.*/\tat-the-end/' <<<"$at_the_end")"
while IFS=$'\t' read -r fault says; do
	[ "$fault" ] || continue
	grep -qx "caught $fault" <<<"$said"
	verdict $? "$kernel catches $fault" "$(tail -n 60 <<<"$said")"
	sed -n '/faults in the kernel log/,$p' <<<"$said" | grep -qE "$says"
	verdict $? "the run names $fault"
done <<<"$at_once"
while IFS=$'\t' read -r fault says; do
	[ "$fault" ] || continue
	grep -qE "$says" <<<"$said"
	verdict $? "the run finds and names $fault" "$(tail -n 60 <<<"$said")"
done <<<"$at_the_end"
for file in $offers; do
	grep -qx "there is $file" <<<"$said"
	verdict $? "$kernel has $file"
done
[ "$status" = 99 ]
verdict $? "the run fails though its script passes" "exit status $status"
if [ "$locks_off" ]; then
	grep -q 'lockdep is off' <<<"$said"
	verdict $? "the run says that lockdep was off at its end"
fi

commit ''
verdict "$status" "a run without faults passes" "$(tail -n 60 <<<"$said")"
finish
