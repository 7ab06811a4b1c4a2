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
link_add rt0 || bail "no device on a dummy netdev"
device=$REPLY
at_exit "rdma link delete $device"
until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID for 10.0.0.1"
gid=$REPLY
until_true 5 link_is "$device" ACTIVE
[ "$LINK_TYPE" != rox ] || echo "$way" >"/sys/class/infiniband/$device/local" || bail "no way $way"

# numbered: one program's results among ours.
numbered()
{
	local line name
	while IFS= read -r line; do
		name="$1: ${line#*ok [0-9]* }"
		case $line in
		"ok "*"# SKIP") skip "${name% # SKIP}" "${reason# }" ;;
		"ok "*) ok "$name" ;;
		"not ok "*) not_ok "$name" "$log" ;;
		"# SKIP "*) reason=${line#"# SKIP"} ;;
		"# Totals"* | TAP* | 1..*) continue ;;
		"# "*) log+=${line#"# "}$'\n'; continue ;;
		esac
		log=
	done
}

for program in ${1:-ops states errors events resize memory limits bounds}; do
	log='' reason=''
	numbered "$program" < <(timeout -k 2 $((600 * PATIENCE)) "$TESTS/$program" -d "$device" -g "$gid" ${2:+"$2"} 2>&1 || echo "# status $?")
done
finish
