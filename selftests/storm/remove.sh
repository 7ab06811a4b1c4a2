# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2317 # functions others are given to call
# Devices go away in every way there is, and their netdevs change in every way, under the traffic of programs and of a kernel user.

# mend: what the others broke is made again.
mend()
{
	loaded || timed module_load modprobe "$MODULE"
	make_namespaces
	piece rs0 - 10.8.0.1 ip link add rs0 mtu 9000 type dummy
	piece rsa rs-a 10.8.1.1 make_veth
	piece rsb rs-b 10.8.1.2 true
	piece rs1 - 10.8.3.1 ip link add rs1 type dummy
	make_wire
	piece rso - 10.8.2.1 ip link add rso type bond mode active-backup
	mend_bond
	piece rsv - 10.8.4.1 ip link add link rs0 name rsv type vlan id 5
}
# Its one slave from the beginning.
mend_bond()
{
	[ -e /sys/class/net/rsd ] || ip link add rsd type dummy
	[ -e /sys/class/net/rsd/master ] || { ip link set rsd down && timed enslave ip link set rsd master rso; }
	ip link set rsd up
} 2>/dev/null

# pick WORD...: one of them, in $REPLY.
pick() { decide $#; shift "$REPLY"; REPLY=$1; }

# ---- removals

remove_link() { pick x_rs0 x_rs0 x_rsa x_rsb x_rs1 x_rso x_rsv x_rsw; timed link_delete rdma link delete "$REPLY"; }
remove_netdev() { pick rs0 rs1 rso rsv rsd rsw; timed netdev_delete ip link del "$REPLY"; }
remove_veth() { timed veth_delete ip -n rs-a link del rsa; }
remove_namespace() { pick rs-a rs-b; timed namespace_delete ip netns del "$REPLY"; }
remove_module() { timed module_unload modprobe -r "$MODULE"; }

# A kernel user of one device: another one each time it is loaded.
change_kernel_user()
{
	timed kernel_user_unload rmmod rox_kverbs_test
	gid_of x_rs0 10.8.0.1 && timed kernel_user_load modprobe rox_kverbs_test device=x_rs0 "gid=$REPLY" hold=1
}

# Programs that do not run cannot let go of anything.
stop_programs()
{
	pkill -STOP -x storm-traffic -n
	"$1"
	pkill -CONT -x storm-traffic
}

removals()
{
	local end=$((SECONDS + $1)) ways

	RANDOM=$((SEED & 32767))
	TIMES=$TAP_DIR/times.removals
	ways=(remove_link remove_link remove_link remove_netdev remove_netdev remove_veth remove_namespace remove_module
		change_kernel_user change_kernel_user "stop_programs remove_link" "stop_programs remove_netdev")
	while [ $SECONDS -lt $end ]; do
		mend
		decide 4
		[ "$REPLY" != 0 ] || sleep 0.3
		decide ${#ways[@]}
		${ways[REPLY]}
	done
	timed kernel_user_unload rmmod rox_kverbs_test
}

# ---- changes

change_address()
{
	pick "rs0 10.8.0.1" "rs1 10.8.3.1" "rsv 10.8.4.1" "rso 10.8.2.1"
	read -ra where <<<"$REPLY"
	timed address_delete ip address del "${where[1]}/24" dev "${where[0]}"
	decide 50 && timed address_add ip address add "10.8.9.$REPLY/24" dev "${where[0]}"
	timed address_add ip address add "${where[1]}/24" dev "${where[0]}"
}
change_mtu() { pick rs0 rs1 rso rsv rsw; local netdev=$REPLY; decide 8000; timed mtu ip link set "$netdev" mtu $((1280 + REPLY)); }
change_veth_mtu() { decide 8000; timed mtu ip -n rs-a link set rsa mtu $((1280 + REPLY)); }
change_state() { pick rs0 rs1 rso rsv rsd rsw; timed down ip link set "$REPLY" down; timed up ip link set "$REPLY" up; }
change_carrier() { timed down ip -n rs-b link set rsb down; timed up ip -n rs-b link set rsb up; }
change_bond() { timed enslave ip link set rs1 down; timed enslave ip link set rs1 master rso; timed release ip link set rs1 nomaster; timed up ip link set rs1 up; }
change_vlan() { timed vlan_add ip link add link rs0 name rsx type vlan id 9; timed vlan_delete ip link del rsx; }

# The netdev's queue stands still for a while, then is thrown away or goes on.
stop_queue()
{
	if modprobe -q sch_plug; then
		timed queue_plug tc -n rs-a qdisc replace dev rsa root handle 1: plug limit 65536
		sleep 0.2
		decide 2
		[ "$REPLY" = 0 ] || timed queue_release tc -n rs-a qdisc change dev rsa root handle 1: plug release_indefinite
	else
		timed queue_delay tc -n rs-a qdisc replace dev rsa root handle 1: netem delay 1s limit 1000
		sleep 0.2
	fi
	timed queue_delete tc -n rs-a qdisc del dev rsa root
}

changes()
{
	local end=$((SECONDS + $1)) ways

	RANDOM=$(((SEED + 77) & 32767))
	TIMES=$TAP_DIR/times.changes
	ways=(change_address change_mtu change_veth_mtu change_state change_carrier change_bond change_vlan stop_queue)
	while [ $SECONDS -lt $end ]; do
		decide ${#ways[@]}
		${ways[REPLY]}
	done
}

KINDS="link_add link_delete netdev_delete veth_delete namespace_delete module_load module_unload kernel_user_load kernel_user_unload
	address_add address_delete mtu down up enslave release vlan_add vlan_delete queue_delete"

storm_remove()
{
	local programs pids=()

	mend
	removals "$1" &
	pids+=($!)
	changes "$1" &
	pids+=($!)
	crew "remove: programs whose devices come and go do not hang" "$1" \
		storm-traffic -s "$SEED" -t "$1" -w 6 -k $((300 * PATIENCE)) -l "$HUNG"
	wait "${pids[@]}"
	all_succeeded remove "$KINDS" "$TAP_DIR/times.removals" "$TAP_DIR/times.changes"
	# Whoever came last may have left it broken.
	mend
	until_true "$LIMIT" gid_of x_rs0 10.8.0.1
	verdict $? "remove: a new device works after it all" "$(rdma link show; ip address)"
	crew "remove: so does traffic on it" 2 storm-traffic -x -d x_rs0 -s "$SEED" -t $((1 * PATIENCE)) -w 2 -l "$HUNG"
	clear_field
}
