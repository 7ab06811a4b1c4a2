# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# What the machine itself must have.

# A command and its package for each.
host_tools='
mmdebstrap	mmdebstrap
rsync	rsync
cpio	cpio
xz	xz-utils
zstd	zstd
depmod	kmod
unshare	util-linux
flock	util-linux
python3	python3-minimal
'
[ "$(id -u)" = 0 ] || host_tools+='
newuidmap	uidmap
'

# host_missing: the packages whose tools this machine lacks.
host_missing()
{
	local tool package

	while read -r tool package; do
		[ -z "$tool" ] || PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null || echo "$package"
	done <<<"$host_tools" | sort -u | paste -sd' '
}

host_check()
{
	local missing

	PATH=$PATH:/usr/sbin:/sbin
	missing=$(host_missing)
	[ -z "$missing" ] || die "missing host tools: apt-get install $missing (or run tools/vm/setup)"
}
