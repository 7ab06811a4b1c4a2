#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Which function executes how many of the instructions of a message: counted by QEMU, user space and kernel together, not sampled. A guest of its own.
#
#   profile.sh [--kernel K] rox|packets|rxe|netns[/MTU] TOOL OPTION...	as in "profile.sh rox ib_write_bw -s 64"
#
# rox, packets: one device, as its link setting "local" has it; rxe: the in-tree one; netns: rox between two namespaces, MTU 1500 or another.
set -u -o pipefail
HERE=$(dirname "$(readlink -f "$0")")
TREE=$(readlink -f "$HERE/../../..")
kernel=6.12
[ "${1-}" != --kernel ] || { kernel=$2; shift 2; }
case ${1-} in
rox | packets | rxe | netns | netns/*) ;;
*) sed -n 's/^#   //p' "$0" >&2; exit 2 ;;
esac

out=$TREE/build/profile
mkdir -p "$out"
rm -f "$out"/{counts,kallsyms,maps,messages}
make -s -C "$HERE" OUT="$out" plugin || exit
"$TREE/tools/vm/run" --kernel "$kernel" --icount --plugin "$out/count.so,out=$out/counts" --timeout 900 --out "$out" "$HERE/guest.sh" "$@" || exit
root=$("$TREE/tools/vm/setup" --user trixie 2>/dev/null | sed -n 's/^user space trixie: //p')
"$HERE/table" "$out" "$root"
