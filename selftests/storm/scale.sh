# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Very many objects, over and over; and very many connections by the connection manager.

storm_scale()
{
	local numbers=(1024 4096 100 4) connects=50 seconds=60

	if [ "$FULL" = 1 ]; then
		numbers=(16384 65536 5000 20) connects=1000 seconds=1800
		# A kernel that looks for faults executes 14 million instructions for a connection.
		[ "$PATIENCE" = 1 ] || numbers=(4096 16384 500 5) connects=200
	fi
	make_field || not_ok "scale: the devices have their GIDs" "$(rdma link show)"
	crew "scale: ${numbers[0]} QPs, ${numbers[1]} MRs, ${numbers[3]} times ${numbers[2]} connections" $seconds \
		storm-scale "${numbers[@]}"
	crew "scale: $connects connections by librdmacm" $seconds storm-connect $connects 10.8.0.1
	clear_field
}
