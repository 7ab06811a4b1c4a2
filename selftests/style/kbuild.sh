#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds the module for every supported kernel with W=1, and for one of them
# under sparse with endian checks; with --clang, by that, which takes some
# minutes. Warnings fail. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1

n=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build NAME KERNEL MAKE-ARGUMENT...: in a copy of the tree, in the kernel's root.
build() {
	local name=$1 kernel=$2
	shift 2
	compile "$name" "kernel-$kernel" "make -s -j2 -C /lib/modules/*/build M=/src $* modules"
}

# compile NAME ROOT COMMAND: in a copy of the tree, /src.
compile() {
	local name=$1 root=$2 out
	n=$((n + 1))
	mkdir -p "$work/$root"
	cp -a Kbuild Makefile kernel include tools "$work/$root/"
	if out=$(tools/vm/enter "$root" "$work/$root:/src" -- sh -c "$3" 2>&1) &&
		! grep -qE '(warning|error):' <<<"$out"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' <<<"$out" | head -80
		failed=$((failed + 1))
	fi
}

gcc() {
	local kernel
	for kernel in 6.1 6.12 7.3; do
		build "the module builds for $kernel with W=1" $kernel W=1
	done
	find "$work/kernel-6.12" -name '*.o' -delete
	build "the module passes sparse with endian checks" 6.12 C=2 CF=-D__CHECK_ENDIAN__
}

# A kernel that was configured for clang: Debian's headers are for gcc. Only what modules need of it is built, which modpost has to say.
clang() {
	mkdir -p "$work/clang-7.3"
	cp tools/vm/kernels/base.config "$work/clang-7.3/"
	compile "the module builds with clang with W=1" clang-7.3 "
		set -e
		mkdir /tmp/linux && cd /tmp/linux
		tar -xf /usr/src/linux-source-*.tar.xz --strip-components=1
		make -s LLVM=1 KCONFIG_ALLCONFIG=/src/base.config allnoconfig
		make -s -j2 LLVM=1 modules_prepare >/src/prepare.log 2>&1 || { tail -n 20 /src/prepare.log; exit 1; }
		make -s -j2 LLVM=1 M=/src W=1 KBUILD_MODPOST_WARN=1 modules >/src/build.log 2>&1 || { cat /src/build.log; exit 1; }
		grep -v 'WARNING: modpost\|WARNING: Module.symvers' /src/build.log || true
		test -f /src/rox.ko"
}

if [ "${1-}" = --clang ]; then clang; else gcc; fi

echo "1..$n"
exit $((failed > 0))
