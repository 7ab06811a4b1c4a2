#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Style of the sources: rules that a script can hold. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1

n=0
failed=0

# check NAME COMMAND...: passes if the command succeeds; its output is shown when not.
check() {
	local name=$1 out
	shift
	n=$((n + 1))
	if out=$("$@" 2>&1); then
		echo "ok $n - $name"
		grep '^#' <<<"$out"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' <<<"$out" | head -60
		failed=$((failed + 1))
	fi
}

c_files() {
	git ls-files | grep -E '\.[ch]$'
}

budgets() {
	git ls-files 'kernel/*.c' 'kernel/**/*.c' 'provider/*.c' | sort -u | xargs awk -f selftests/style/budgets.awk
}

versions_only_in_compat() {
	! git grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION *\(' -- kernel ':!kernel/compat' provider selftests/kmod
}

abi_versions_only_in_compat_h() {
	! git grep -nE 'IBVERBS_PABI_VERSION|RDMA_CORE_MAJOR' -- 'provider/*.c' 'provider/*.h' ':!provider/compat.h' ':!provider/abi_guard.c'
}

core_is_pure() {
	! grep -nE '^#include' kernel/proto/*.[ch] | grep -vE '"[a-z_]+\.h"|<rdma/rox-abi\.h>' | grep -v '^kernel/proto/types\.h:'
}

spdx() {
	local f bad=0
	while read -r f; do
		head -2 "$f" | grep -q 'SPDX-License-Identifier: .*Linux-OpenIB' || { echo "$f: no SPDX line"; bad=1; }
	done < <(c_files)
	return $bad
}

no_leftovers() {
	! git grep -nwE 'TODO|FIXME|XXX|HACK' -- '*.c' '*.h' '*.sh' '*.py' Makefile Kbuild ':!selftests/style/run.sh'
}

no_binaries() {
	! git ls-files | grep -E '\.(o|ko|so|a|pcap|mod)$'
}

shell() {
	git ls-files | while read -r f; do
		head -1 "$f" 2>/dev/null | grep -qE '^#!.*\b(ba)?sh\b' && echo "$f"
	done | xargs shellcheck -x -S warning -e SC1090,SC1091,SC2034,SC2154,SC2187
}

checkpatch() {
	local script
	script=$(selftests/style/checkpatch-fetch) || return 1
	git ls-files 'kernel/*.[ch]' 'kernel/**/*.[ch]' 'include/**/*.h' 'selftests/kmod/*.[ch]' 'selftests/vm/faults/*.c' |
		sort -u | xargs perl "$script" --no-tree --strict --quiet --terse --show-types \
			--ignore "$(grep -v '^#' selftests/style/checkpatch-ignored | paste -sd,)" -f |
		{ ! grep -v '^total: '; }
}

check "functions and files keep to their budgets" budgets
check "kernel versions are known under kernel/compat only" versions_only_in_compat
check "private ABI versions are known in provider/compat.h only" abi_versions_only_in_compat_h
check "the protocol core includes nothing from outside" core_is_pure
check "every C file has its licence line" spdx
check "nothing is left for later in the sources" no_leftovers
check "no binaries are committed" no_binaries
check "shell scripts pass shellcheck" shell
check "kernel sources pass checkpatch --strict" checkpatch

echo "1..$n"
exit $((failed > 0))
