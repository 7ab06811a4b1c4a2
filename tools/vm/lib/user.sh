# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# A Debian user space for the guests.

# user NAME: sets U_NAME and U_ROOT.
user()
{
	root "user-$1" || return
	U_NAME=$1
	U_ROOT=$REPLY
}
