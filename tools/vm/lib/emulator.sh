# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# QEMU: the newest Debian offers by name, run from its own root; where that cannot be had, the system's.

# emulator: sets the array QEMU, the start of its command line, and QEMU_VERSION.
emulator()
{
	local lib

	if (root qemu); then
		root qemu
		lib=$REPLY/usr/lib/x86_64-linux-gnu
		QEMU=("$REPLY/usr/lib64/ld-linux-x86-64.so.2" --library-path "$lib" "$REPLY/usr/bin/qemu-system-x86_64"
			-L "$REPLY/usr/share/qemu" -L "$REPLY/usr/share/seabios" -L "$REPLY/usr/lib/ipxe/qemu")
	else
		QEMU=(qemu-system-x86_64)
	fi
	QEMU_VERSION=$("${QEMU[@]}" --version | head -n 1) || die "no QEMU: apt-get install qemu-system-x86"
}

# machine ICOUNT: the options in the array MACHINE that say what executes the kernel at hand.
machine()
{
	MACHINE=(-M "$K_MACHINE")
	if [ "$1" ]; then
		MACHINE+=(-accel "tcg,thread=single,tb-size=512" -cpu "max,-erms,-fsrm" -icount "shift=0,sleep=off")
	elif hardware_boots; then
		MACHINE+=(-accel kvm -cpu host)
	else
		# Without string moves copied bytewise, which emulation is slow at.
		MACHINE+=(-accel "tcg,thread=multi,tb-size=512" -cpu "max,-erms,-fsrm")
	fi
}

# hardware_boots: does hardware virtualisation boot the kernel at hand? Tried once for each kernel, host kernel and QEMU: a device that opens may not.
hardware_boots()
{
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return
	cache_entry "kvm/$K_ID-$(echo "$(uname -r) $QEMU_VERSION" | digest)" hardware_probe || return
	grep -q "rox probe" "$REPLY/console"
}

hardware_probe()
{
	bootable || return
	timeout -k 2 15 "${QEMU[@]}" -M "$K_MACHINE" -accel kvm -cpu host -m 512 -nodefaults -no-user-config -display none -no-reboot \
		-kernel "$REPLY/kernel" -initrd "$REPLY/initrd" -append "console=ttyS0 quiet panic=-1 rox.probe" \
		-chardev "file,id=console,path=$1/console" -serial chardev:console >"$1/qemu" 2>&1 </dev/null
	touch "$1/console"
}

# emulator_failed CONSOLE: a kernel changes its own instructions while it runs, by way of a breakpoint. QEMU may keep the breakpoint translated, if one
# processor translates it between another's look at what is translated and its write, a moment that a busy host makes long. The kernel dies of a breakpoint
# that it has no longer. One in a module is not excused, nor is one after another fault.
emulator_failed()
{
	grep -aq 'int3: 0000' "$1" && ! grep -aqE 'RIP: .*\[[a-z0-9_]+\]' "$1" && "$VM/logscan" <(sed '/int3: 0000/,$d' "$1") >/dev/null
}
