# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# What the tree gives to a guest, built outside of it: the kernel modules, the provider, the C tests.

# built: where this tree's builds are kept.
built() { echo "$ROX_CACHE/build/$(echo "$TREE" | digest)"; }

# build WHAT FOR FOLDER: bring build_WHAT's place for FOR up to date and copy its result into FOLDER, one at a time for each place.
build()
{
	local place

	place=$(built)/$1-$2
	mkdir -p "$place/result" "$3"
	touch "$(built)"
	cache_locked "build-${place//\//-}" build_into "build_$1" "$place" "$3"
}

build_into()
{
	"$1" "$2" && cp -a "$2/result/." "$3/"
}

# outdated PLACE PATH...: bring PLACE/src up to date with those of the tree's PATHs that exist; true if PLACE must be built again. By content: what is
# unchanged keeps its time, so make rebuilds only what it must. The tree's own build products stay behind, the copy's survive.
outdated()
{
	local place=$1 path have=() changes

	for path in "${@:2}"; do
		[ ! -e "$TREE/$path" ] || have+=("./$path")
	done
	mkdir -p "$place/src"
	changes=$(cd "$TREE" && rsync -irlpcR --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' --exclude='.*.cmd' \
		--exclude='.tmp*' --exclude=Module.symvers --exclude=modules.order "${have[@]}" "$place/src/") || die "cannot copy the tree"
	if [ -z "$changes" ] && [ -e "$place/done" ]; then return 1; fi
	rm -f "$place/done"
}

# compile LOG ROOT BIND... -- COMMAND...: in ROOT; what the compiler says is shown, its paths as they are in the tree.
compile()
{
	local log=$1 status

	shift
	enter "$@" >"$log" 2>&1
	status=$?
	sed -Ei 's,(^|[^[:alnum:]])/src/,\1,g' "$log"
	if [ $status -ne 0 ]; then
		cat "$log" >&2
	else
		grep -E -A 8 '(warning|WARNING):' "$log" | grep -v 'the compiler differs' >&2
	fi
	return $status
}

# Folders of modules for tests.
test_modules=(selftests/kmod selftests/vm/faults)

# build_modules PLACE: rox.ko and the test modules for the kernel at hand, into PLACE/result.
build_modules()
{
	local place=$1 binds=("$1/src:/src") kdir=$K_MODULES/build module

	[ -f "$TREE/kernel/Kbuild" ] || [ -f "$TREE/Kbuild" ] || die "no kernel/ to build in $TREE yet (--no-build boots without)"
	outdated "$place" Makefile Kbuild kernel include tools/build "${test_modules[@]}" || return 0
	case $K_MODULES in
	"$K_TOOLS"/*) kdir=${K_MODULES#"$K_TOOLS"}/build ;;
	*) binds+=("${K_MODULES%/lib/modules/*}:${K_MODULES%/lib/modules/*}") ;;
	esac
	compile "$place/log" "$K_TOOLS" "${binds[@]}" -- make -s -C /src -j"$(nproc)" modules KDIR="$kdir" || die "building rox.ko for $K_VERSION failed"
	for module in "${test_modules[@]}"; do
		[ ! -e "$place/src/$module" ] ||
			compile "$place/log" "$K_TOOLS" "${binds[@]}" -- make -s -C "/src/$module" -j"$(nproc)" KDIR="$kdir" ROX_SRC=/src ||
			die "building $module for $K_VERSION failed"
	done
	rm -rf "$place/result"
	mkdir "$place/result"
	find "$place/src" -name '*.ko' -exec cp -pt "$place/result" {} + && touch "$place/done"
}

# build_provider PLACE: the provider for the user space at hand, installed below PLACE/result.
build_provider()
{
	local place=$1

	[ -d "$TREE/provider" ] || die "no provider/ to build in $TREE yet (--no-build boots without)"
	outdated "$place" Makefile provider include tools/build || return 0
	rm -rf "$place/result"
	mkdir -p "$place/build" "$place/result"
	compile "$place/log" "$U_ROOT" "$place/src:/src" "$place/build:/build" "$place/result:/result" -- \
		make -C /src install-provider RDMA_CORE_SRC=/usr/src/rdma-core BUILD=/build DESTDIR=/result ||
		die "building the provider for $U_NAME failed"
	touch "$place/done"
}

# build_tests PLACE: the C tests for the user space at hand, below PLACE/result.
build_tests()
{
	local place=$1 folder

	outdated "$place" Makefile include provider/include kernel/proto selftests || return 0
	mkdir -p "$place/result/usr/lib/rox-selftests"
	for folder in bench bench/profile net verbs storm fuzz/uverbs fuzz/packets; do
		compile "$place/log" "$U_ROOT" "$place/src:/src" "$place/result:/result" -- \
			make -s -C /src/selftests/$folder -j"$(nproc)" OUT=/result/usr/lib/rox-selftests ||
			die "building selftests/$folder for $U_NAME failed"
	done
	touch "$place/done"
}
