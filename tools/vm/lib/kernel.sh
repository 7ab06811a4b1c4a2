# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# A kernel to boot: a Debian one or one built here by name, or a folder that holds vmlinuz and lib/modules.

# kernel NAME|PATH: sets
#	K_ID		names it in the cache
#	K_IMAGE		what QEMU boots
#	K_VERSION	what uname -r says there
#	K_MODULES	its folder of modules
#	K_TOOLS		the root whose compiler builds modules for it
#	K_MACHINE	the QEMU machine it boots well on (a folder's file `machine`)
#	K_APPEND	arguments it is booted with (a folder's file `append`)
#	K_PACKED	yes: it must be booted as it is, not unpacked
kernel()
{
	case $1 in
	*/*) kernel_folder "$(readlink -f "$1")" ;;
	debug) kernel_built debug-6.12 ;;
	*) if [ -f "$VM/kernels/$1" ]; then kernel_built "$1"; else kernel_debian "$1"; fi ;;
	esac || return
	[ -f "$K_IMAGE" ] && [ -d "$K_MODULES" ] || die "no kernel in $1: it needs vmlinuz (or boot/vmlinuz-VERSION) and lib/modules/VERSION"
}

# kernel_root NAME|PATH: in $REPLY the recipe of the root that has its compiler, and a Debian one's image too.
kernel_root()
{
	local source configs append gone

	[ "$1" != debug ] || set -- debug-6.12
	case $1 in
	*/*) REPLY=$(cat "$1/tools" 2>/dev/null || echo kernel-6.12) ;;
	*) if [ -f "$VM/kernels/$1" ]; then linux_description "$1"; REPLY=$source; else REPLY=kernel-$1; fi ;;
	esac
}

kernel_debian()
{
	root "kernel-$1" || return
	K_ID=${REPLY##*/}
	K_TOOLS=$REPLY
	K_MODULES=$(echo "$REPLY"/usr/lib/modules/*)
	K_VERSION=${K_MODULES##*/}
	K_IMAGE=$REPLY/boot/vmlinuz-$K_VERSION
	K_MACHINE=pc K_APPEND='' K_PACKED=''
}

kernel_built()
{
	local built source configs append gone

	linux "$1" || return
	built=$REPLY
	linux_description "$1"
	root "$source" || return
	K_ID=${built##*/}
	K_TOOLS=$REPLY
	K_MODULES=$(echo "$built"/lib/modules/*)
	K_VERSION=${K_MODULES##*/}
	K_IMAGE=$built/vmlinuz
	# One with KASAN boots ten times slower on pc, where an ACPI method times out, and crashes at the entry that the unpacked one is started at: KASAN
	# is not ready for it.
	K_MACHINE=q35 K_APPEND=$append K_PACKED=yes
}

kernel_folder()
{
	K_MODULES=$(echo "$1"/lib/modules/*)
	K_VERSION=${K_MODULES##*/}
	K_IMAGE=$1/vmlinuz
	[ -f "$K_IMAGE" ] || K_IMAGE=$1/boot/vmlinuz-$K_VERSION
	K_ID=$(echo "$1" | digest)-$(stat -c %Y "$K_IMAGE" 2>/dev/null)
	K_MACHINE=$(cat "$1/machine" 2>/dev/null || echo pc)
	K_APPEND=$(cat "$1/append" 2>/dev/null) K_PACKED=''
	kernel_root "$1/"
	root "$REPLY" || return
	K_TOOLS=$REPLY
}

# bootable: in $REPLY a folder with what QEMU loads of the kernel at hand: `kernel` and `initrd`, the first file system, which holds busybox, the modules
# that reach the host's shares, and guest/init.
bootable()
{
	cache_entry "boot/$K_ID-$(cat "$VM/guest/init" "$VM/lib/kernel.sh" | digest)" bootable_make
}

# modules: in $REPLY a folder with lib/modules/VERSION of the kernel at hand, unpacked: depmod and an emulated modprobe are slow at that.
modules() { cache_entry "modules/$K_ID" modules_make; }

modules_make()
{
	say "unpacking the modules of $K_VERSION (once)"
	mkdir -p "$1/lib/modules"
	cp -a "$K_MODULES" "$1/lib/modules/" && rm -f "$1/lib/modules/$K_VERSION"/{build,source,vmlinuz} || return
	find "$1" -name '*.ko.xz' -exec xz -d {} + && find "$1" -name '*.ko.zst' -exec zstd -qd --rm {} + && find "$1" -name '*.ko.gz' -exec gzip -d {} + &&
		depmod -b "$1" "$K_VERSION"
}

bootable_make()
{
	[ -z "$K_PACKED" ] && kernel_unpack "$K_IMAGE" "$1/kernel" || cp "$K_IMAGE" "$1/kernel"
	initrd_make "$1"
}

# kernel_unpack IMAGE TO: the ELF file inside, if QEMU can start that (it has Xen's note PHYS32_ENTRY): emulated, unpacking is a fifth of the way to init.
kernel_unpack()
{
	local magic unpack at

	while read -r magic unpack; do
		at=$(LC_ALL=C grep -abo -m 1 -P "$magic" "$1" | head -n 1 | cut -d: -f1)
		[ "$at" ] || continue
		tail -c "+$((at + 1))" "$1" | $unpack >"$2" 2>/dev/null
		! LC_ALL=C grep -qaP '\x04\x00\x00\x00[\x04\x08]\x00\x00\x00\x12\x00\x00\x00Xen\x00' "$2" || return 0
	done <<-'END'
		\x28\xb5\x2f\xfd zstd -qdc
		\xfd7zXZ\x00 xz -qdc --single-stream
		\x1f\x8b\x08 gzip -dc
	END
	return 1
}

initrd_make()
{
	local dir=$1/tree nr=100 module file

	modules || return
	mkdir -p "$dir"/{bin,modules}
	cp "$U_ROOT/usr/bin/busybox" "$dir/bin/busybox"
	cp "$VM/guest/init" "$dir/init"
	for module in virtio_pci virtio_net virtio_console 9pnet_virtio 9p overlay; do
		modprobe -d "$REPLY" -S "$K_VERSION" --show-depends --ignore-install "$module" 2>/dev/null
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
		while read -r file; do
			cp "$file" "$dir/modules/$((nr++))-${file##*/}" || exit
		done || return
	(cd "$dir" && find . | cpio --quiet -o -H newc) >"$1/initrd" || return
	rm -r "$dir"
}
