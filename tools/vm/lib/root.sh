# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Debian roots by recipe: recipes/NAME says which packages, the archive says which versions.

ROOT_FORMAT=1 # counts changes here that old roots in a cache would lack

# root NAME: its path in $REPLY.
root()
{
	local recipe=$VM/recipes/$1

	[ -f "$recipe" ] || die "there is no $1 in tools/vm/recipes"
	cache_entry "root/$1-$({ grep -v '^#' "$recipe"; echo $ROOT_FORMAT; } | digest)" root_make "$1"
}

# debian_mirror: where this machine's apt gets Debian from.
debian_mirror()
{
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; found = 1; exit } END { exit !found }' ||
		die "no Debian mirror found in apt's configuration: add one to sources.list and run apt-get update"
}

# apt_options: this machine's ways to reach the archive (proxies, clock checks), as mmdebstrap takes them.
apt_options()
{
	apt-config dump | grep -E '^Acquire::([a-z]+::Proxy|Check-(Date|Valid-Until)|Retries)' | sed 's/^/--aptopt=/'
}

root_make()
{
	local name=$1 dir=$2 suite packages backports='' variant=apt source_package='' mirror log=$ROX_CACHE/tmp/$1.log
	local sources options=()

	# shellcheck source=/dev/null
	. "$VM/recipes/$name"
	mirror=$(debian_mirror) || return
	sources="deb $mirror $suite main"
	[ -z "$backports" ] || {
		sources+=$'\n'"deb $mirror $suite-backports main"
		options+=(--setup-hook="$(declare -f root_prefer); root_prefer '$suite-backports' \"\$1\"")
	}
	[ -z "$source_package" ] || {
		sources+=$'\n'"deb-src $mirror $suite main"
		options+=(--customize-hook="$(declare -f root_source); root_source '$source_package' \"\$1\"")
	}
	mapfile -t -O "${#options[@]}" options < <(apt_options)
	say "making $name from Debian $suite (once; log in $log)"
	options+=(--dpkgopt=force-unsafe-io --dpkgopt=path-exclude='/usr/share/man/*' --dpkgopt=path-exclude='/usr/share/locale/*'
		--dpkgopt=path-exclude='/usr/share/doc/*' --dpkgopt=path-include='/usr/share/doc/rdma-core/*')
	set -- --quiet --variant="$variant" --include="$(echo $packages)" "${options[@]}" "$suite"
	root_write "$dir" "$@" <<<"$sources" 2>"$log" || {
		tail -n 20 "$log" >&2
		die "could not make $name"
	}
	rm -f "$log"
}

# root_write DIR OPTION...: mmdebstrap's work in DIR, with the files owned as who will run the guests can have them: root's are written in place,
# anybody else's go through tar. Without device nodes: the guests and enter() bring theirs.
root_write()
{
	export INITRD=No

	if [ "$(id -u)" = 0 ]; then
		mmdebstrap --mode=root --format=directory "${@:2}" "$1" - && find "$1/dev" -mindepth 1 -delete
	else
		mmdebstrap --format=tar "${@:2}" - - | tar -C "$1" -x --exclude='./dev/*'
	fi
}

# root_prefer SUITE ROOT: take from SUITE what it has.
root_prefer()
{
	mkdir -p "$2/etc/apt/preferences.d"
	printf 'Package: *\nPin: release n=%s\nPin-Priority: 600\n' "$1" >"$2/etc/apt/preferences.d/$1"
}

# root_source PACKAGE ROOT: unpack what upstream released as PACKAGE in ROOT/usr/src/PACKAGE.
root_source()
{
	set -e
	chroot "$2" sh -ec 'mkdir /tmp/source; cd /tmp/source; apt-get -qq source --download-only --tar-only "$1"' - "$1"
	mkdir "$2/usr/src/$1"
	tar -C "$2/usr/src/$1" --strip-components=1 -xf "$2"/tmp/source/*.orig.tar.*[!c]
	rm -r "$2/tmp/source"
}
