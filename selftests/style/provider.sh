#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds the provider with gcc and clang against each rdma-core there is a root
# for, and runs its own unit tests. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1

n=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		tail -40 "$work/log" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

for user in trixie sid; do
	rm -rf "$work/src"
	mkdir -p "$work/src"
	cp -a Makefile provider include tools "$work/src/"
	inside=(tools/vm/enter "user-$user" "$work/src:/src" --)
	"${inside[@]}" make -s -C /src provider RDMA_CORE_SRC=/usr/src/rdma-core BUILD=/src/out >"$work/log" 2>&1
	result $? "the provider builds for the rdma-core of $user"
	"${inside[@]}" make -s -C /src/provider test BUILD=/src/out >"$work/log" 2>&1
	result $? "its unit tests pass with that"
	for program in post_test freed_test verbs_test abi_guard_test; do
		grep -q "^ok .* $program-rdma-core-" "$work/log"
		result $? "$program is one of them"
	done
done

echo "1..$n"
exit $((failed > 0))
