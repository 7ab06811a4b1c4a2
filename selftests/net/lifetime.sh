#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The device goes away while programs hold it and traffic runs: at once, with an event to the programs, and nothing stays behind.
#
#   lifetime.sh [--rounds N]	rounds of load, link add, traffic, link delete, unload (10)
#
# shellcheck disable=SC2317 # functions others are given to call
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

rounds=10
[ "${1-}" != --rounds ] || rounds=$2

# make_device [NS]: a fresh dummy netdev with a device on it; sets device and gid.
make_device()
{
	local ns=${1:--}

	in_ns "$ns" ip link add rt0 type dummy
	in_ns "$ns" ip address add 10.0.0.1/24 dev rt0
	in_ns "$ns" ip link set rt0 up
	link_add rt0 "$ns" || return
	device=$REPLY
	until_true 5 gid_of "$device" 10.0.0.1 || return
	gid=$REPLY
}
at_exit "ip link del rt0"

# hold NAME [NS] [idle]: a program that uses the device; its output in NAME.
HOLDERS=()
hold()
{
	local inside=()

	[ "${2:--}" = - ] || inside=(ip netns exec "$2")
	ROX_POLL_US=$((${#HOLDERS[@]} % 2 * 5000)) "${inside[@]}" timeout $((60 * PATIENCE)) "$TESTS/hold" -d "$device" -g "$gid" ${3:+"$3"} >"$TAP_DIR/$1" 2>&1 &
	HOLDERS+=($!)
	until_true 10 grep -q holding "$TAP_DIR/$1" || not_ok "a program holds the device" "$(cat "$TAP_DIR/$1")"
}

gone() { ! rdma link show | grep -q "^link $device/"; }

# removed WHAT COMMAND...: the device goes by COMMAND while the holders use it.
removed()
{
	local what=$1 pid i=0

	shift
	bounded 20 "$@"
	verdict $? "$what: returns" "$* $REPLY"
	in_a_second "$what"
	until_true 1 gone
	verdict $? "$what: the device is gone" "$(rdma link show)"
	for pid in "${HOLDERS[@]}"; do
		i=$((i + 1))
		wait "$pid"
		verdict $? "$what: program $i has its event, then errors, and ends well" "$(tail -n +1 "$TAP_DIR"/h*)"
	done
	HOLDERS=()
	rm -f "$TAP_DIR"/h*
}

unloads()
{
	check "$1: the module unloads" 10 modprobe -r "$MODULE"
	# The kernel itself waits for several grace periods when a module goes.
	in_seconds 3 "$1: unload"
}

# ---- each way to go, held

load || bail "cannot load $MODULE"
[ -x "$TESTS/hold" ] || bail "the C tests are not installed in $TESTS"

make_device || bail "no device"
hold h1
hold h2
hold h3 - idle
removed "link delete" rdma link delete "$device"
ip link del rt0
unloads "link delete"

# Since 7.3 the module does not need ib_uverbs, so that may be loaded after it, and then is told of a device's end before.
modprobe -r "$MODULE" rdma_ucm ib_umad ib_uverbs
modprobe "$MODULE" && modprobe -a ib_uverbs rdma_ucm ib_umad
make_device
hold h1
hold h2
removed "link delete with ib_uverbs loaded last" rdma link delete "$device"
ip link del rt0
unloads "link delete with ib_uverbs loaded last"

load
make_device
hold h1
hold h2 - idle
removed "netdev removal" ip link del rt0
unloads "netdev removal"

load
ip netns add rt-a
ip -n rt-a link set lo up
if make_device rt-a; then
	hold h1 rt-a
	hold h2 - idle
	# The namespace ends when the last process in it does, some time after its name went.
	ip netns del rt-a
	kill "${HOLDERS[0]}"
	unset 'HOLDERS[0]'
	HOLDERS=("${HOLDERS[@]}")
	removed "namespace removal" until_true 10 gone
else
	ip netns del rt-a
	not_ok "a device in a namespace"
fi
unloads "namespace removal"

# A module in use may be refused to go; rmmod with links but no user takes the links along or says that it is in use, and never waits.
load
make_device
bounded 10 rmmod "$MODULE"
case $? in
0) ok "rmmod with a link: takes it along" ;;
124) not_ok "rmmod with a link: waits" ;;
*)
	grep -qi 'in use\|busy' <<<"$REPLY"
	verdict $? "rmmod with a link: says that the module is in use" "$REPLY"
	;;
esac
lsmod | grep -q "^$MODULE " || load
rdma link delete "$device" 2>/dev/null
ip link del rt0

load
make_device
hold h1
bounded 10 rmmod "$MODULE"
status=$?
[ $status != 124 ]
verdict $? "rmmod with a program at work: returns" "$REPLY"
in_seconds 3 "rmmod with a program at work"
if lsmod | grep -q "^$MODULE "; then
	removed "link delete after a refused rmmod" rdma link delete "$device"
else
	removed "rmmod" true
fi
ip link del rt0
! lsmod | grep -q "^$MODULE " || unloads "rmmod with a program at work"

# Stopped and killed programs.
load
make_device
hold h1
pkill -STOP -x hold
bounded 20 rdma link delete "$device"
verdict $? "link delete with a stopped program: returns" "$REPLY"
in_a_second "link delete with a stopped program"
pkill -CONT -x hold
for pid in "${HOLDERS[@]}"; do wait "$pid"; verdict $? "the stopped program goes on and ends well" "$(cat "$TAP_DIR/h1")"; done
HOLDERS=()
ip link del rt0
make_device
for i in 1 2 3 4 5; do
	hold h1
	pkill -KILL -x hold
	wait "${HOLDERS[@]}" 2>/dev/null
	HOLDERS=()
done
no_qps() { ! rdma resource show qp | grep -q 'comm hold'; }
until_true 3 no_qps
verdict $? "killed programs leave no QP" "$(rdma resource show qp)"
removed "link delete after killed programs" rdma link delete "$device"
ip link del rt0
unloads "link delete after killed programs"

# Addresses that come and go all the time are looked at for each; this netdev is one that the core does not follow itself.
load
link_add lo
device=$REPLY
churn() { while [ -e "$TAP_DIR/churn" ]; do printf 'address add 10.9.%d.9/32 dev lo\naddress del 10.9.%d.9/32 dev lo\n' {1..200}{,} | ip -batch -; done; }
: >"$TAP_DIR/churn"
churn &
churns=$!
tick
bounded 20 rdma link delete "$device"
verdict $? "link delete while addresses come and go: returns" "$REPLY"
in_seconds 5 "link delete while addresses come and go" # it takes turns with them
until_true 1 gone
verdict $? "link delete while addresses come and go: the device is gone" "$(rdma link show)"
rm "$TAP_DIR/churn"
wait $churns
verdict $? "the addresses came and went until then"
unloads "link delete while addresses come and go"

# ---- rounds, and memory before and after

# memory: kilobytes in use that a leak would show in.
memory()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|Percpu|KernelStack|PageTables):/ { sum += $2 } END { print sum }' /proc/meminfo
}

round()
{
	local pid

	load && make_device || return
	# Every second program has a poller, which is in the kernel when the link goes.
	ROX_POLL_US=$((i % 2 * 5000)) timeout $((30 * PATIENCE)) "$TESTS/hold" -d "$device" -g "$gid" >"$TAP_DIR/round" 2>&1 &
	pid=$!
	until_true 10 grep -q holding "$TAP_DIR/round" || { cat "$TAP_DIR/round"; return 1; }
	tick
	bounded_inside rdma link delete "$device" || return
	wait "$pid" || { cat "$TAP_DIR/round"; return 1; }
	ip link del rt0 && timeout $((5 * PATIENCE)) modprobe -r "$MODULE"
}
# The longest link delete of all rounds goes to a file: a round is a process of its own.
bounded_inside()
{
	local start=${EPOCHREALTIME/./} took

	timeout $((10 * PATIENCE)) "$@" || return
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	[ "$took" -le "$(cat "$TAP_DIR/longest" 2>/dev/null || echo 0)" ] || echo "$took" >"$TAP_DIR/longest"
}

failed=0
for ((i = 0; i < 3; i++)); do bounded 30 round || break; done # what the first ones cache
before=$(memory)
for ((i = 0; i < rounds; i++)); do
	bounded 30 round || { failed=$((failed + 1)); comment <<<"round $i: $REPLY"; [ $failed -lt 3 ] || break; }
done
verdict $failed "$rounds rounds of load, link add, traffic, link delete, unload"
TOOK=$(cat "$TAP_DIR/longest" 2>/dev/null || echo 99999)
in_a_second "the longest link delete of them"
# What KASAN and lockdep keep of each thing they see for the first time is theirs; kmemleak looks for leaks there.
leaked() { after=$(memory); [ $((after - before)) -gt $(((1024 + rounds * 8) * PATIENCE)) ]; }
not_leaked() { ! leaked; }
until_true 5 not_leaked
verdict $? "memory is back ($before kB before, $after kB after)" "$(cat /proc/meminfo)"
! dmesg | grep -q 'unregister_netdevice: waiting'
verdict $? "no netdev reference is left" "$(dmesg | tail -n 20)"
finish
