# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Messages of the tools here.

say() { printf '%s: %s\n' "${0#"$TREE"/}" "$*" >&2; }
die() { say "$*"; exit 1; }
