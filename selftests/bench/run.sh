#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the benchmark in guests; what it measured, as JSON and with --full as charts, is in build/bench/TOPOLOGY.
#
#   run.sh [--full] self|netns|wire...
#
# On KERNEL=6.12.
set -u -o pipefail
HERE=$(dirname "$(readlink -f "$0")")
TREE=$(readlink -f "$HERE/../..")
options=()
[ "${1-}" != --full ] || { options=(--rounds 5 --full); shift; }

# charts FIGURES DIR: by Debian's matplotlib, which is installed if it is not there.
charts()
{
	local python=/usr/bin/python3 as_root

	$python -c 'import matplotlib' 2>/dev/null || {
		as_root=()
		[ "$(id -u)" = 0 ] || as_root=(sudo)
		"${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends python3-matplotlib >/dev/null || return
	}
	$python "$HERE/report" --charts "$2" "$1"
}

for topology; do
	out=$TREE/build/bench/$topology
	nodes=()
	[ "$topology" != wire ] || nodes=(--nodes 2 --cpus 1)
	mkdir -p "$out"
	rm -f "$out"/figures "$out"/*/figures
	"$TREE/tools/vm/run" --kernel "${KERNEL:-6.12}" "${nodes[@]}" --timeout 7200 --out "$out" "$HERE/compare.sh" "${options[@]}" "$topology" || exit
	[ "$topology" != wire ] || cp "$out/1/figures" "$out/figures"
	"$HERE/report" --json "$out/figures" >"$out/figures.json" || exit
	[ ${#options[@]} = 0 ] || charts "$out/figures" "$out" || exit
done
