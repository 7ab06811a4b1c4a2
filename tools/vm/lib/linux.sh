# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Kernels built here from Debian's source: kernels/NAME says from which source, with which of the configurations beside it (but for the options in gone,
# which that source no longer has), and what it is booted with.

# linux NAME: in $REPLY a folder with vmlinuz, lib/modules/VERSION, and what modules are built against. Built once: that takes a quarter of an hour.
linux()
{
	local name=$1 source configs append gone

	linux_description "$name"
	root "$source" || return
	cache_entry "linux/$name-$(linux_identity "$REPLY" | digest)" linux_make "$name" "$REPLY"
}

# linux_description NAME: sets source, configs, append and gone.
linux_description()
{
	gone=
	# shellcheck source=/dev/null
	. "$VM/kernels/$1"
	read -ra configs <<<"$configs"
	configs=("${configs[@]/%/.config}")
}

# linux_identity ROOT: what a built kernel depends on.
linux_identity()
{
	echo "${1##*/}"
	(cd "$VM/kernels" && cat "${configs[@]}")
	[ -z "$gone" ] || echo "$gone"
	declare -f linux_build linux_progress
}

linux_make()
{
	local name=$1 root=$2 dir=$3 work=$ROX_CACHE/tmp/linux-$1 log=$ROX_CACHE/tmp/linux-$1.log

	say "building the kernel $name (once, about a quarter of an hour; log in $log)"
	rm -rf "$work"
	mkdir -p "$work/kernels" "$ROX_CACHE/ccache"
	cp "$VM/kernels"/*.config "$work/kernels/"
	[ -z "$gone" ] || sed -i -E "/^CONFIG_(${gone// /|})=/d" "$work/kernels"/*.config
	enter "$root" "$work:/work" "$dir:/result" "$ROX_CACHE/ccache:/ccache" "$work/kernels:/kernels" -- \
		bash -ec "$(declare -f linux_build linux_progress); linux_build \"\$@\"" linux_build "$name" "$(nproc)" "${configs[@]}" \
		3> >(while read -r line; do say "kernel $name: $line"; done) 2>"$log" >&2 8>&- || {
		tail -n 20 "$log" >&2
		die "could not build the kernel $name"
	}
	rm -rf "$work" "$log"
}

# linux_build NAME JOBS CONFIG...: inside the root of its source, from /kernels into /result; what it is at goes to descriptor 3. A build that was
# interrupted finds what it had compiled in /ccache.
linux_build()
{
	local name=$1 jobs=$2 missing version

	shift 2
	export CCACHE_DIR=/ccache CCACHE_MAXSIZE=2G KBUILD_BUILD_USER=rox KBUILD_BUILD_HOST=rox KBUILD_BUILD_TIMESTAMP=@0
	cd /work
	echo "unpacking" >&3
	tar -xf /usr/src/linux-source-*.tar.xz --strip-components=1
	cp /kernels/*.config .
	echo "CONFIG_LOCALVERSION=\"-${name%-[0-9]*}\"" >name.config
	scripts/kconfig/merge_config.sh -n "$@" name.config >merge.log
	# An option that the source does not know, or that lacks what it depends on, would be a check that checks nothing.
	missing=$(sed -n '/not in final .config/{ p; n; p; n; p }' merge.log)
	[ -z "$missing" ] || { echo "$missing" >&2; return 1; }
	make CC="ccache gcc" -j"$jobs" bzImage modules | linux_progress
	version=$(make -s kernelrelease)
	make -s INSTALL_MOD_PATH=/result modules_install
	cp arch/x86/boot/bzImage /result/vmlinuz
	make -s CC="ccache gcc" run-command KBUILD_RUN_COMMAND='$(srctree)/scripts/package/install-extmod-build /result/build'
	rm -f "/result/lib/modules/$version"/{build,source}
	ln -s ../../../build "/result/lib/modules/$version/build"
}

# linux_progress: of make's output, how far it is.
linux_progress()
{
	local nr=0 line

	while read -r line; do
		echo "$line"
		case $line in
		CC*) ((++nr % 250)) || echo "$nr files compiled" >&3 ;;
		esac
	done
}
