#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The storms: what a machine goes through in years, in seconds or for as long as one likes. Each leaves the machine as it was or fails.
#
#   run.sh [--seconds N] [--seed N] [--full] [STORM...]	N seconds for all together (60); --full, or ten minutes: with the full numbers of objects;
#								"--full failures": at each place an allocation fails
#
# shellcheck disable=SC2034 # for the storms
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

seconds=60 SEED=$((RANDOM + 1)) FULL=0
while [ $# -gt 0 ]; do
	case $1 in
	--full) FULL=1; shift; continue ;;
	--seconds) seconds=$2 ;;
	--seed) SEED=$2 ;;
	*) break ;;
	esac
	shift 2
done
storms=("$@")
[ $# -gt 0 ] || storms=(kill remove move churn failures calm scale)
[ "$seconds" -lt 600 ] || FULL=1
PATH=$TESTS:$PATH
# shellcheck source=selftests/storm/lib.sh
. "$HERE/lib.sh"
for storm in "${storms[@]}"; do . "$HERE/$storm.sh" || bail "no such storm: $storm"; done
echo "# seed $SEED, $seconds s, full $FULL, $(uname -r), patience $PATIENCE"

# parts STORM: of the time, compared with the others.
parts()
{
	REPLY=10
	case $1 in
	kill | churn) REPLY=15 ;;
	remove) REPLY=25 ;;
	failures) [ -e /proc/self/fail-nth ] && REPLY=20 || REPLY=1 ;;
	esac
}

# share STORM: its seconds.
share()
{
	local all=0 storm

	for storm in "${storms[@]}"; do parts "$storm"; all=$((all + REPLY)); done
	parts "$1"
	REPLY=$((seconds * REPLY / all))
	[ $REPLY -ge 3 ] || REPLY=3
}

# What the first use of everything caches is no leak.
warm_up()
{
	load && make_field && storm-traffic -s 1 -t 1 -w 2 >/dev/null
	clear_field
	modprobe -r "$MODULE"
}
STORM=warm-up TIMES=$TAP_DIR/times.warm
warm_up
until_true 3 false
for storm in "${storms[@]}"; do
	baseline
	begin_storm "$storm"
	share "$storm"
	"storm_$storm" "$REPLY"
	end_storm
done
finish
