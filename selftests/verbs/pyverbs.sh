#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the tests of rdma-core's pyverbs on a device. pyverbs.skips says which of them need what it does not have.
#
#   pyverbs.sh [NAME-PART]
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh" >/dev/null # pyverbs.py prints the TAP
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
SUITE=${SUITE:-/usr/src/rdma-core/tests}

[ -e "$SUITE/test_qp.py" ] || bail "the tests of pyverbs are not in $SUITE"
load || bail "cannot load $MODULE"
ip link add rt0 type dummy
at_exit "ip link del rt0"
ip address add 10.0.0.1/24 dev rt0
ip link set rt0 up
link_add rt0 || bail "no device on a dummy netdev"
device=$REPLY
at_exit "rdma link delete $device"
until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID for 10.0.0.1"
gid=$REPLY
until_true 5 link_is "$device" ACTIVE
echo 64 >/proc/sys/vm/nr_hugepages # some tests use them
python3 "$HERE/pyverbs.py" "$SUITE" "$HERE/pyverbs.skips" "$device" "$gid" "$@"
