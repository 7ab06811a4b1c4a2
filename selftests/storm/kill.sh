# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Programs die by SIGKILL at any point, or end with everything open, or fork and exec, while others of their kind go on and notice nothing.

storm_kill()
{
	make_field || not_ok "kill: the devices have their GIDs" "$(rdma link show)"
	crew "kill: traffic goes on while others are killed" "$1" \
		storm-traffic -x -s "$SEED" -t "$1" -w 6 -k $((150 * PATIENCE)) -l "$HUNG"
	until_true "$LIMIT" no_objects
	verdict $? "kill: the dead leave no object" "$(no_objects; rdma resource show)"
	clear_field
}
# Those of the kernel, the connection manager's among them, stay.
no_objects()
{
	local kind

	for kind in qp cq mr pd ctx; do
		! rdma resource show $kind | grep 'comm storm' || return
	done
}
