#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the C tests on a device with a port of MTU 4096. One result for each of their tests.
#
#   run.sh [--local direct|wire] [--poll US] [PROGRAM [NAME-PART]]
#
#   --poll: the programs have pollers
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

way=direct
[ "${1-}" != --local ] || { way=$2; shift 2; }
[ "${1-}" != --poll ] || { export ROX_POLL_US=$2; shift 2; }

load || bail "cannot load $MODULE"
ip link add rt0 mtu 9000 type dummy
at_exit "ip link del rt0"
ip address add 10.0.0.1/24 dev rt0
ip link set rt0 up
ip route add 224.0.0.0/4 dev rt0
link_add rt0 || bail "no device on a dummy netdev"
device=$REPLY
at_exit "rdma link delete $device"
until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID for 10.0.0.1"
gid=$REPLY
until_true 5 link_is "$device" ACTIVE
[ "$LINK_TYPE" != rox ] || echo "$way" >"/sys/class/infiniband/$device/local" || bail "no way $way"

# numbered PROGRAM: its results among ours, and one more that fails unless there is one for each test it planned and it ended as they say. Its output comes
# on standard input, its exit status in the last line.
numbered()
{
	local line name reason='' log='' nr=0 failed=0 plan=none status=none

	while IFS= read -r line; do
		name="$1: ${line#*ok [0-9]* }"
		case $line in
		"ok "*"# SKIP") skip "${name% # SKIP}" "${reason# }"; nr=$((nr + 1)) log='' reason='' ;;
		"ok "*)
			ok "$name"
			[ -z "$log" ] || comment <<<"${log%$'\n'}"
			nr=$((nr + 1)) log=''
			;;
		"not ok "*) not_ok "$name" "$log"; nr=$((nr + 1)) failed=$((failed + 1)) log='' ;;
		"# SKIP "*) reason=${line#"# SKIP"} ;;
		"" | "# Totals"* | TAP*) ;;
		1..*) plan=${line#1..} ;;
		"status "*) status=${line#status } ;;
		*) log+=${line#"# "}$'\n' ;;
		esac
	done
	if [ "$plan" != $nr ] || [ $nr = 0 ] || [ "$status" != $((failed > 0)) ]; then
		not_ok "$1: it runs to its end" "exit status $status, $nr results, $failed of them bad, $plan planned
$log"
	fi
}

for program in ${1:-ops states transitions errors events resize memory limits bounds order}; do
	numbered "$program" < <(
		timeout -k 2 $((600 * PATIENCE)) "$TESTS/$program" -d "$device" -g "$gid" ${2:+"$2"} 2>&1
		echo $'\n'"status $?"
	)
done
finish
