# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# The cache outside the tree, shared by all clones: entries appear whole or not at all.

ROX_CACHE=${ROX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rox}

# cache_open: make the cache folder; hold it against tools/vm/clean while this process and its children live.
cache_open()
{
	mkdir -p "$ROX_CACHE/tmp" "$ROX_CACHE/lock" || die "cannot make $ROX_CACHE (set ROX_CACHE to a folder you can write)"
	exec 8>"$ROX_CACHE/lock/use"
	flock -s 8
}

# cache_locked NAME COMMAND...: one at a time among those using NAME. Its children keep the lock too: an interrupted one may outlive this process.
cache_locked()
{
	local lock=$ROX_CACHE/lock/${1//\//-}

	shift
	(
		flock 9
		"$@"
	) 9>"$lock"
}

# cache_entry ENTRY COMMAND...: the entry's path in $REPLY. A missing one is made first: COMMAND fills the folder it is given.
cache_entry()
{
	local entry=$1

	shift
	REPLY=$ROX_CACHE/$entry
	[ -e "$REPLY" ] || cache_locked "$entry" cache_fill "$entry" "$@" || return
	touch "$REPLY"
}

# cache_expire KIND DAYS: remove its entries that nobody has used for so long.
cache_expire() { find "$ROX_CACHE/$1" -mindepth 1 -maxdepth 1 -mtime "+$2" -exec rm -rf {} + 2>/dev/null; }

cache_fill()
{
	local entry=$1 tmp=$ROX_CACHE/tmp/${1//\//-}

	shift
	[ ! -e "$ROX_CACHE/$entry" ] || return 0 # another process made it meanwhile
	rm -rf "$tmp"                            # what an interrupted one left
	mkdir -p "$tmp" "$(dirname "$ROX_CACHE/$entry")"
	"$@" "$tmp" || return
	mv -T "$tmp" "$ROX_CACHE/$entry"
}

# digest: of standard input, short enough for a file name.
digest() { sha256sum | cut -c1-12; }
