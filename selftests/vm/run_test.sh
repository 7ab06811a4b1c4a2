#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Checks of tools/vm/run itself, in guests without anything built from this tree. KERNEL=6.1 etc. chooses another kernel.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
cd "$HERE/../.." || bail "no tree"
work=$TAP_DIR

# expect WHAT COMMAND...: one result; why it failed is what the last run said.
expect()
{
	"${@:2}"
	verdict $? "$1" "exit status $status
$(tail -n 40 "$work/said")"
}

# run OPTION... <SCRIPT: run a script in guests; leaves what it said in $work/said and its status in $status.
run()
{
	{ echo '#!/bin/bash'; cat; } >"$work/script"
	chmod +x "$work/script"
	tools/vm/run --no-build --kernel "${KERNEL:-6.12}" --cpus 1 --memory 512 "$@" "$work/script" >"$work/said" 2>&1 </dev/null
	status=$?
}

said() { grep -qE "$1" "$work/said"; }
status_is() { [ "$status" -eq "$1" ]; }

# scan <LOG: like run, for tools/vm/logscan.
scan()
{
	cat >"$work/log"
	tools/vm/logscan "$work/log" >"$work/said" 2>&1
	status=$?
}

scan <<-'END'
	[    0.000000] Linux version 6.12
	[    0.100000] tsc: Marking clocksource 'tsc' as unstable because the watchdog
	[    1.000000] rox: loading out-of-tree module taints kernel.
END
expect "logscan__clean" status_is 0

for fault in 'WARNING: CPU: 0 PID: 1 at drivers/x.c:3 f+0x1/0x2' 'BUG: KASAN: slab-use-after-free in f' \
	'WARNING: possible circular locking dependency detected' 'UBSAN: shift-out-of-bounds in x.c:3' \
	'INFO: task kworker blocked for more than 120 seconds.' 'rcu: INFO: rcu_preempt self-detected stall on CPU' \
	'unregister_netdevice: waiting for eth0 to become free. Usage count = 2' \
	'BUG: sleeping function called from invalid context at x.c:3' 'BUG: scheduling while atomic: a/1/0x00000002' \
	'ODEBUG: free active (active state 0) object: 00000000aabbccdd object type: timer_list hint: f+0x0/0x10' \
	'list_del corruption. prev->next should be ffff888, but was ffff999' 'refcount_t: underflow; use-after-free.' \
	'watchdog: BUG: soft lockup - CPU#1 stuck for 52s! [kworker/1:1:34]' 'WARNING: suspicious RCU usage' \
	'BUG kmalloc-64 (Not tainted): Poison overwritten' 'BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 60s!' \
	'kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)' 'ref_tracker: eth0@ffff888 has 1/2 users at' \
	'WARNING: a/12 still has locks held!' 'WARNING: SOFTIRQ-safe -> SOFTIRQ-unsafe lock order detected'; do
	scan <<<"[    1.000000] $fault"
	expect "logscan__finds $fault" status_is 1
done

# emulator <CONSOLE: like run, for what is not the script's fault.
emulator()
{
	cat >"$work/console"
	# shellcheck source=tools/vm/lib/emulator.sh
	(VM=tools/vm && . tools/vm/lib/emulator.sh && emulator_failed "$work/console")
	status=$?
}

emulator <<-'END'
	[    3.093098] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI
	[    3.093098] RIP: 0010:__mod_timer+0x1c3/0x370
END
expect "emulator_failed__knows_a_stale_breakpoint" status_is 0
emulator <<-'END'
	[    3.093098] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI
	[    3.093098] RIP: 0010:rox_f+0x1/0x2 [rox]
END
expect "emulator_failed__does_not_excuse_a_module" status_is 1
emulator <<<"[    3.093098] Oops: general protection fault: 0000 [#1] PREEMPT SMP NOPTI"
expect "emulator_failed__does_not_excuse_other_faults" status_is 1

emulator <<-'END'
	[    3.000000] BUG: KASAN: slab-use-after-free in f
	[    3.093098] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI
END
expect "emulator_failed__does_not_excuse_what_was_before" status_is 1

# race MODULE: the report of a data race in a function of MODULE and another one.
race()
{
	printf '[    1.000000] %s\n' ==================== "BUG: KCSAN: data-race in f / g" "" "write to 0xff of 4 bytes by task 1 on cpu 0:" \
		" f+0x1/0x2$1" " h+0x1/0x2" ====================
}
scan <<<"$(race '')"
expect "logscan__passes_over_races_of_others" status_is 0
scan <<<"$(race '')$(race ' [rox]')"
expect "logscan__finds_races_of_ours" status_is 1
expect "logscan__shows_the_race" said 'f\+0x1/0x2 \[rox\]'
scan <<<"unreferenced object 0xffff888 (size 64):"
expect "logscan__finds_leaks" status_is 1
scan <<<"[    1.000000] kmemleak: Cannot allocate a kmemleak_object structure"
expect "logscan__finds_that_nobody_looks_for_leaks" status_is 1
# It looks at more then, not at less.
scan <<<"[    1.000000] kmemleak: Cannot allocate a scan area, scanning the full object"
expect "logscan__passes_over_a_scan_of_more" status_is 0
scan <<<"page_owner: 4 pages are left that a module"
expect "logscan__finds_pages_left" status_is 1
scan <<<"lockdep is off: it says nothing"
expect "logscan__finds_lockdep_off" status_is 1

# stack PAGES FUNCTION...: of those who asked for pages, from the latest call on.
stack()
{
	printf ' %s\n' __alloc_pages_noprof+0x1/0x2 "${@:2}"
	printf 'nr_base_pages: %s\n\n' "$1"
}
gone=0xffffffffc0a01234
printf '%s\n' "ffffffffc0a01000 t before [rox]" "ffffffffc0a01200 t culprit [rox]" "ffffffffc0a01300 t after [rox]" >"$work/symbols"
{
	stack 5 allocate_slab+0x1/0x2 $gone
	stack 6 handle_softirqs+0x1/0x2 $gone
	stack 7 $gone do_one_initcall+0x1/0x2
	stack 8 'other+0x1/0x2 [other]'
	stack 9 alloc_pages_noprof+0x1/0x2 $gone allocate_slab+0x1/0x2
} | tools/vm/guest/pages-left "$work/symbols" >"$work/said" 2>&1
expect "pages_left__finds_what_a_module_left" said '^page_owner: 9 pages are left'
expect "pages_left__names_its_function" said "$gone in culprit"
only_one() { [ "$(grep -c 'pages are left' "$work/said")" = 1 ]; }
expect "pages_left__passes_over_what_the_kernel_keeps" only_one

# A limit of lib/tap.sh: a function that is late ends with all it started, and one that is not is ended by nobody.
# shellcheck disable=SC2317 # bounded and until_true call them
late() { sleep 600 & echo $!; sleep 600; }
# shellcheck disable=SC2317
prompt() { true; }
# shellcheck disable=SC2317
gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.*zombie' "/proc/$1/status"; }
bounded 1 late
status=$?
verdict $((status != 124)) "bounded__says_that_a_function_was_late" "status $status"
until_true 1 gone "$REPLY"
verdict $? "bounded__ends_what_a_late_function_started" "process $REPLY is left"
bad=0
for ((i = 0; i < 50; i++)); do
	bounded 10 prompt || bad=$((bad + 1))
done
verdict $bad "bounded__bears_that_it_is_asked_often" "$bad of 50 failed"

mkdir "$work/bin"
ln -s /usr/bin/* /bin/* "$work/bin" 2>/dev/null
rm -f "$work/bin/rsync"
PATH=$work/bin run <<<true
expect "missing_tool__is_named" said 'apt-get install rsync'

run --out "$work/out" <<-'END'
	echo "node $ROX_NODE of $ROX_NODES"
	echo kept >"$OUT/file"
	ls /rox/tools/vm/run
	exit 7
END
expect "status__is_the_script's" status_is 7
expect "output__is_shown" said '^node 0 of 1$'
expect "tree__is_there" said '^/rox/tools/vm/run$'
expect "out__is_kept" grep -qx kept "$work/out/file"
expect "out__has_the_logs" grep -q 'Linux version' "$work/out/dmesg.log"

run <<<'echo "<4>WARNING: CPU: 0 PID: 1 at planted.c:1" >/dev/kmsg'
expect "fault__fails_the_run" status_is 99
expect "fault__is_shown" said 'planted.c:1'

run <<<'echo c >/proc/sysrq-trigger'
expect "crash__is_reported" said 'node 0 stopped before the script ended'
expect "crash__ends_the_run" status_is 125

run --timeout 20 <<<'sleep 1000'
expect "timeout__is_reported" said 'node 0 did not finish within 20 s'
expect "timeout__ends_the_run" status_is 124

run --nodes 2 <<-'END'
	set -e
	rox-barrier start
	ping -c 2 -i 0.2 10.77.0.$((2 - ROX_NODE))
	ping -c 2 -i 0.2 fd77::$((2 - ROX_NODE))
	[ $ROX_NODE = 1 ] || rox-put answer 42
	echo "answer $(rox-get answer)"
	rox-barrier end
END
expect "nodes__reach_each_other" status_is 0
expect "nodes__exchange_values" said '^\[1\] answer 42$'

run --nodes 2 <<<'[ $ROX_NODE = 1 ] && exit 3; rox-barrier never 600'
expect "nodes__do_not_wait_for_a_failed_one" said '\[0\] rox-barrier never: another node failed'

start=$SECONDS
run --nodes 2 <<<'[ $ROX_NODE = 1 ] && echo c >/proc/sysrq-trigger; sleep 300'
took=$((SECONDS - start))
ends_soon() { [ "$status" -ne 0 ] && [ $took -lt 150 ] && said 'node 1 stopped before'; }
expect "nodes__end_when_one_crashes" ends_soon

finish
