#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# run.sh OUT SECONDS TARGET... - fuzzes each target for SECONDS, prints TAP.
#
# Each starts from corpus/TARGET and from what earlier runs found, which is kept
# in OUT/corpus/TARGET. A crash leaves its input in OUT/crash.

out=$1 seconds=$2
shift 2
mkdir -p "$out/crash"
echo "TAP version 13"
echo "1..$#"
nr=0 failed=0
for target; do
	nr=$((nr + 1))
	log=$out/$target.log
	mkdir -p "$out/corpus/$target" "corpus/$target"
	if "$out/$target" -max_total_time="$seconds" -max_len=512 -timeout=10 \
		-artifact_prefix="$out/crash/$target-" -print_final_stats=1 \
		"$out/corpus/$target" "corpus/$target" >"$log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		cover=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
		echo "ok $nr - $target # $runs runs, $cover edges"
		continue
	fi
	failed=$((failed + 1))
	echo "not ok $nr - $target"
	sed -n '/broken:\|ERROR:\|runtime error:\|SUMMARY:\|^ *#[0-9] /s/^/# /p' \
		"$log" | head -n 30
	input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
	echo "# log: $log"
	echo "# replay: make -C selftests/fuzz replay TARGET=$target INPUT=$input"
done
echo "# fuzz: $((nr - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
