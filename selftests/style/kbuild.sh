#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds the module for every supported kernel with W=1, and for one of them
# under sparse with endian checks. Warnings fail. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1

n=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build NAME KERNEL MAKE-ARGUMENT...: in a copy of the tree, in the kernel's root.
build() {
	local name=$1 kernel=$2 out
	shift 2
	n=$((n + 1))
	mkdir -p "$work/$kernel"
	cp -a Kbuild Makefile kernel include tools "$work/$kernel/"
	if out=$(tools/vm/enter "kernel-$kernel" "$work/$kernel:/src" -- \
		sh -c "make -s -j2 -C /lib/modules/*/build M=/src $* modules" 2>&1) &&
		! grep -qE '(warning|error):' <<<"$out"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' <<<"$out" | head -80
		failed=$((failed + 1))
	fi
}

for kernel in 6.1 6.12 7.3; do
	build "the module builds for $kernel with W=1" $kernel W=1
done
find "$work/6.12" -name '*.o' -delete
build "the module passes sparse with endian checks" 6.12 C=2 CF=-D__CHECK_ENDIAN__

echo "1..$n"
exit $((failed > 0))
