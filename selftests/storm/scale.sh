# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Very many objects, over and over.

storm_scale()
{
	local numbers=(1024 4096 100 4) seconds=60

	if [ "$LONG" = 1 ]; then numbers=(16384 65536 5000 20) seconds=1800; fi
	make_field || not_ok "scale: the devices have their GIDs" "$(rdma link show)"
	crew "scale: ${numbers[0]} QPs, ${numbers[1]} MRs, ${numbers[3]} times ${numbers[2]} connections" $seconds \
		storm-scale "${numbers[@]}"
	clear_field
}
