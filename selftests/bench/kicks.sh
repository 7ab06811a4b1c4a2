#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What a kick costs, by each way there is for it: see kicks.c. In a guest of --icount: nanoseconds are instructions.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
# shellcheck source=selftests/bench/lib.sh
. "$HERE/lib.sh"

ends self
begin rox || bail "no device: $REPLY"
at_exit finish_way
check "candidates for a kick" 60 "$TESTS/kicks" "$CLIENT_DEV"
comment <<<"$REPLY"
finish
