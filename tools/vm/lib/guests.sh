# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Guests of one run: what each is given, its QEMU, and what became of it.

# stage NODE-FOLDER: the part of the guest's root that comes from the tree.
stage()
{
	local stage=$1/stage

	mkdir -p "$stage/usr/bin" "$stage/usr/lib/rox-vm"
	cp "$VM"/guest/{start,verify,pages-left} "$stage/usr/lib/rox-vm/"
	cp "$VM"/guest/rox-* "$stage/usr/bin/"
}

# stage_modules MODULE...: the kernel at hand's folder of modules with these added, in $REPLY. Hard links, so it costs little.
stage_modules()
{
	local plain

	modules || return
	plain=$REPLY
	cache_entry "staged/$K_ID-$(cat "$@" /dev/null | digest)" stage_modules_make "$plain" "$@"
}

stage_modules_make()
{
	local plain=$1 dir=${!#} folder=${!#}/lib/modules/$K_VERSION

	cp -al "$plain/." "$dir/" || return
	[ $# -eq 2 ] || {
		mkdir "$folder/updates"
		cp "${@:2:$#-2}" "$folder/updates/"
	}
	depmod -b "$dir" "$K_VERSION"
}

# A busy host may keep an emulated CPU waiting for long: what is stuck is stuck for longer, and an interrupt that is late at boot, or a clock that seems
# to be behind another, is no reason to stop or to leave it.
patience="watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60 no_timer_check tsc=reliable"

# describe NODE: its QEMU's command line, into its folder.
describe()
{
	local node=$1 dir=$RUN/$1 command=()

	command=("${QEMU[@]}" "${MACHINE[@]}" -smp "$cpus" -m "$memory" -nodefaults -no-user-config -display none -no-reboot
		-kernel "$BOOT/kernel" -initrd "$BOOT/initrd"
		-append "console=ttyS0 loglevel=5 log_buf_len=1M panic=-1 oops=panic mitigations=off nokaslr $patience $K_APPEND $append"
		-chardev "file,id=console,path=$dir/console" -serial chardev:console
		-device virtio-serial-pci -chardev "file,id=output,path=/dev/fd/3" -device "virtserialport,chardev=output,name=output"
		-device "$(port 76 "$node")") # eth0: up, and nobody at its other end
	[ -z "$device" ] || command+=(-device "$device")
	[ -z "$plugin" ] || command+=(-plugin "$plugin")
	share user "$U_ROOT" readonly=on
	share stage "$dir/stage" readonly=on
	share modules "$MODULES/lib/modules/$K_VERSION" readonly=on
	share tree "$TREE" readonly=on
	share node "$dir" readonly=off
	share out "$(out_of "$node")" readonly=off
	share wire "$RUN/wire" readonly=off
	[ "$nodes" = 1 ] || wire "$node"
	declare -p command >"$dir/command"
}

# share TAG FOLDER readonly=on|off: for guest/init to mount.
share() { command+=(-virtfs "local,mount_tag=$1,path=$2,security_model=none,multidevs=remap,$3"); }

# port NETWORK NODE: a network device for it there.
# The long ring, for a guest that is slow to look at it.
port() { printf 'virtio-net-pci,rx_queue_size=1024,mac=52:54:00:%s:00:%02x,romfile=' "$@"; }

# with_wire ARG...: begin again with both ends of a wire between two guests open, in $ROX_WIRE. A socket that keeps packets apart: on a stream QEMU lets
# packets overtake each other while the receiver is slow, and a hub lets go of them.
with_wire()
{
	[ -z "${ROX_WIRE-}" ] || return 0
	exec python3 -c 'import fcntl, os, socket, sys
ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
os.environ["ROX_WIRE"] = " ".join(str(fcntl.fcntl(end, fcntl.F_DUPFD, 100)) for end in ends)
os.execv(sys.argv[1], sys.argv[1:])' "$VM/run" "$@"
}

# wire NODE: its port on the one wire; of more than two nodes a hub inside node 0's QEMU that the others connect to.
wire()
{
	local node=$1 other ends

	read -ra ends <<<"${ROX_WIRE-}"
	if [ "$nodes" = 2 ]; then
		command+=(-netdev "dgram,id=wire,local.type=fd,local.str=${ends[node]}")
	elif [ "$node" != 0 ]; then
		command+=(-netdev "stream,id=wire,server=off,addr.type=unix,addr.path=$RUN/wire.$node")
	else
		command+=(-netdev "hubport,id=wire,hubid=0")
		for ((other = 1; other < nodes; other++)); do
			command+=(-netdev "stream,id=wire$other,server=on,addr.type=unix,addr.path=$RUN/wire.$other"
				-netdev "hubport,id=port$other,hubid=0,netdev=wire$other")
		done
	fi
	command+=(-device "$(port 77 "$node"),netdev=wire")
}

# boot NODE: start its QEMU in the background.
boot()
{
	local node=$1 dir=$RUN/$1 command output tries

	# shellcheck source=/dev/null
	. "$dir/command"
	for ((tries = 0; node > 0 && nodes > 2 && tries < 200; tries++)); do
		[ ! -S "$RUN/wire.$node" ] || break
		sleep 0.05
	done
	exec {output}> >(show "$node")
	READERS[node]=$!
	timeout -k 2 "$timeout" "${command[@]}" 3>&"$output" {output}>&- >"$dir/qemu" 2>&1 </dev/null &
	GUESTS[node]=$!
	exec {output}>&-
}

# show NODE: its output as it comes; once it ended without a status, let nobody wait for it.
show()
{
	if [ "$nodes" = 1 ]; then cat; else sed -u "s/^/[$1] /"; fi
	[ -f "$RUN/$1/status" ] || touch "$RUN/wire/failed"
}
