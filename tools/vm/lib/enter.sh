# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Commands inside a root: its files as they are underneath, what is written over them gone afterwards.

# enter ROOT [SOURCE:TARGET]... -- COMMAND...: run COMMAND as root inside ROOT with the SOURCEs writable at their TARGETs.
enter()
{
	local options=(--mount --pid --fork --kill-child)

	[ "$(id -u)" = 0 ] || options+=(--map-root-user)
	mkdir -p "$ROX_CACHE/mnt"
	# Who is killed takes what it started along.
	setpriv --pdeathsig KILL unshare "${options[@]}" bash -ec "$(declare -f enter_inside); enter_inside \"\$@\"" enter "$ROX_CACHE/mnt" "$@" 8>&-
}

enter_inside()
{
	local mnt=$1 root=$1/root

	mount -t tmpfs tmpfs "$mnt"
	mkdir "$mnt"/{root,data,work}
	mount -t overlay -o "lowerdir=$2,upperdir=$mnt/data,workdir=$mnt/work" overlay "$root"
	shift 2
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	while [ "$1" != -- ]; do
		mkdir -p "$root${1#*:}"
		mount --bind "${1%%:*}" "$root${1#*:}"
		shift
	done
	shift
	# Not exec: the first process must reap orphans and heed signals, which the shell does and make does not.
	chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
}
