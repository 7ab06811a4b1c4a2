#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Hostile programs of an unprivileged user on one device, in a memory cgroup; then the module must unload and have given all memory back.
#
#	run.sh [--kcov] [SECONDS [SEED [PROGRAMS]]]
#
# --kcov: guided by the coverage of the module, which is written to $OUT/uverbs.points; on a debug kernel.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../../lib/rdma.sh"

guide=() points=${OUT:-/tmp}/uverbs.points
[ "${1-}" != --kcov ] || { guide=(-k "$points"); shift; }
seconds=${1:-20} seed=${2:-$RANDOM} programs=${3:-2}
GROUP=/sys/fs/cgroup/rox-hostile

# kernel_kib: what the kernel has for itself.
kernel_kib() { awk '/^(SUnreclaim|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo; }

load || bail "cannot load $MODULE"
before=$(kernel_kib)
ip link add rt0 mtu 9000 type dummy
ip address add 10.0.0.1/24 dev rt0
ip link set rt0 up
link_add rt0 || bail "no device on a dummy netdev"
device=$REPLY
until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID for 10.0.0.1"
gid=$REPLY
until_true 5 link_is "$device" ACTIVE

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p $GROUP
echo 300M >$GROUP/memory.max
# in_group COMMAND...: with all its children.
in_group() { (echo 0 >$GROUP/cgroup.procs && exec "$@"); }

at_exit "echo 1 >$GROUP/cgroup.kill"
in_group timeout -k 5 $((seconds + 60 * PATIENCE)) "$TESTS/uverbs" -d "$device" -g "$gid" -s "$seed" -t "$seconds" -p "$programs" "${guide[@]}" \
	>"$TAP_DIR/log" 2>&1 &
# theirs: what the device has of programs; what the kernel has of its own is in brackets, and of one that is gone no name is left.
theirs() { for kind in qp cq mr pd ctx; do rdma resource show $kind; done 2>/dev/null | grep "[ /]${device}[ /]" | grep -v 'comm \['; }
until_true 20 theirs >"$TAP_DIR/theirs"
verdict $? "what programs have of the device is seen" "$(for kind in qp cq mr pd ctx; do rdma resource show $kind; done)"
wait $!
relay "$TAP_DIR/log" $?
# covered: of all places that are watched.
covered()
{
	local all

	all=$(objdump -dr "$(modinfo -n "$MODULE")" | grep -c 'R_X86_64.*__sanitizer_cov_trace_pc')
	echo "# coverage: $(wc -l <"$points") of $all points of the module"
}
[ ${#guide[@]} -eq 0 ] || covered
awk '{ print "# memory: " $0 }' $GROUP/memory.events

# A smaller group for one that only takes. On a slow kernel each object is larger.
LITTLE=/sys/fs/cgroup/rox-exhaust
mkdir -p $LITTLE
at_exit "echo 1 >$LITTLE/cgroup.kill"
echo $((PATIENCE > 1 ? 96 : 24))M >$LITTLE/memory.max
timeout -k 5 $((300 + 60 * PATIENCE)) "$TESTS/exhaust" -d "$device" -g "$gid" -c $LITTLE >"$TAP_DIR/log" 2>&1
relay "$TAP_DIR/log" $?

# tasks: that the kernel has something of, running or gone. What was freed may be kept in the cache: KASAN does so, to see its later use.
tasks()
{
	echo 1 >/sys/kernel/slab/task_struct/shrink
	awk '$1 == "task_struct" { print $2 }' /proc/slabinfo
}
few_more() { [ $(($(tasks) - tasks_before)) -lt 100 ]; }
tasks_before=$(tasks)
[ "${tasks_before:-0}" -gt 0 ] || bail "no cache of slabs for tasks"
check "400 programs are refused the device" $((30 * PATIENCE)) "$TESTS/refused" "$device" 400
until_true 20 few_more
verdict $? "nothing stays of programs that were refused" "$tasks_before tasks before, $(tasks) now"

nothing_left() { ! theirs; }
until_true 10 nothing_left >/dev/null
verdict $? "nothing of theirs is left" "$(theirs)"
check "the device goes" 20 rdma link delete "$device"
ip link del rt0
check "the module unloads" 20 modprobe -r "$MODULE"
# given_back: but for what caches keep.
given_back() { [ $(($(kernel_kib) - before)) -lt 24000 ]; }
until_true 20 given_back
verdict $? "the memory is given back" "$before KiB before, $(kernel_kib) KiB now"
echo "# kernel memory: $before KiB before, $(kernel_kib) KiB after"
finish
