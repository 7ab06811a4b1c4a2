#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One end of a benchmark, in the namespace it is run in.
#
#   end.sh TYPE NETDEV ADDRESS	makes a device and says, as the last line, its name and the index of that address's GID
#   end.sh none NETDEV TYPE	takes it away, and the module if nobody else has a device of it
HERE=$(dirname "$(readlink -f "$0")")
LINK_TYPE=$1
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

if [ "$1" = none ]; then
	device_of "$2" && rdma link delete "$REPLY"
	modprobe -qr "$(module_of "$3")"
	exit
fi
LINK_NR=$$ # both ends may be of one machine
load && link_add "$2" || exit
device=$REPLY
until_true 5 gid_of "$device" "$3" || exit
echo "$device $REPLY"
