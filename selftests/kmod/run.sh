#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Uses the device from inside the kernel: rox_kverbs_test.ko runs its tests as it is loaded, then stays to see the device go.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

load || bail "cannot load $MODULE"
modinfo rox_kverbs_test >/dev/null 2>&1 || bail "there is no rox_kverbs_test.ko for this kernel"
at_exit "rmmod rox_kverbs_test"

make_device()
{
	ip link del rt0 2>/dev/null
	ip link add rt0 type dummy
	ip address add 10.0.0.1/24 dev rt0
	ip link set rt0 up
	link_add rt0 || bail "no device on a dummy netdev"
	device=$REPLY
	until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID for 10.0.0.1"
	gid=$REPLY
}
at_exit "ip link del rt0"

# log: what the test module said since it was last asked.
LOG_SEEN=0
log()
{
	dmesg | sed -n 's/.*rox_kverbs_test: //p' >"$TAP_DIR/log"
	REPLY=$(tail -n "+$((LOG_SEEN + 1))" "$TAP_DIR/log")
	LOG_SEEN=$(wc -l <"$TAP_DIR/log")
}

make_device
busy() { cat "/sys/class/infiniband/$device/ports/1/hw_counters/drop_busy"; }
before=$(busy)
bounded 60 modprobe rox_kverbs_test "device=$device" "gid=$gid" "patience=$PATIENCE"
status=$? said=$REPLY
log
why='' nr=0 plan=none
while IFS= read -r line; do
	case $line in
	"ok "* | "not ok "*) nr=$((nr + 1)) ;;&
	"ok "*) ok "${line#ok * }"; why= ;;
	"not ok "*) not_ok "${line#not ok * }" "$why"; why= ;;
	1..*) plan=${line#1..} ;;
	"# "*) why+=${line#"# "}$'\n' ;;
	esac
done <<<"$REPLY"
verdict $status "every test of the module passes" "$said"
[ $nr = "$plan" ] && [ $nr -gt 0 ]
verdict $? "the log has a result of each" "$nr results, $plan planned"
# Of 1500 packets for a receive side that was busy, 512 may wait.
sleep 0.1 # until the counters are read anew
dropped=$(($(busy) - before))
if [ "$(nproc)" -lt 2 ]; then
	skip "packets wait for a busy receive side, but not too many" "needs two CPUs"
else
	[ $dropped -ge 988 ] && [ $dropped -lt 1100 ]
	verdict $? "packets wait for a busy receive side, but not too many" "$dropped of 1500 were dropped"
fi
[ $status -ne 0 ] || check "the module unloads" 5 rmmod rox_kverbs_test

# gone COMMAND...: a kernel user lets go when the device goes away by COMMAND.
gone()
{
	check "load a kernel user that stays" 10 modprobe rox_kverbs_test "device=$device" "gid=$gid" "patience=$PATIENCE" hold=1 || return
	for ((i = 0; i < 15 * PATIENCE; i++)); do tick; done # 0.3 s
	check "$1 while a kernel user holds the device" 5 "${@:2}"
	in_a_second "$1"
	log
	grep -q "let go: [1-9]" <<<"$REPLY"
	verdict $? "the kernel user sent something and let go" "$REPLY"
	check "the kernel user unloads" 5 rmmod rox_kverbs_test
}

gone "rdma link delete" rdma link delete "$device"
make_device
gone "netdev removal" ip link del rt0
check "$MODULE unloads" 5 modprobe -r "$MODULE"
finish
