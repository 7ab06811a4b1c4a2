# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034
# Two devices that reach each other. Each topology_* sets CLIENT and the agent, SERVER_DEV and CLIENT_DEV, SERVER_IP4 and SERVER_IP6, SERVER_GID4 and
# CLIENT_GID4, the lists SERVER_GIDS and CLIENT_GIDS (same kind of address at the same place), and MTU, the port's. Source after rdma.sh.

# addresses NETDEV NS NUMBER: up with 10.0.0.NUMBER and fd00::NUMBER.
addresses()
{
	in_ns "$2" ip address add "10.0.0.$3/24" dev "$1"
	in_ns "$2" ip address add "fd00::$3/64" dev "$1" nodad
	in_ns "$2" ip link set "$1" up
}

# port_mtu DEVICE
port_mtu() { ibv_devinfo -d "$1" | awk '$1 == "active_mtu:" { print $2 }'; }

# gid_list LIST DEVICE ADDRESS...: the indices of their GIDs, in this order, into the array named LIST.
gid_list()
{
	local -n list=$1
	local device=$2 address

	list=()
	for address in "${@:3}"; do
		until_true 5 gid_of "$device" "$address" || bail "$device has no GID for $address: $(gids "$device")"
		list+=("$REPLY")
	done
}

# link_local NETDEV NS: its address, in $REPLY, once it may be used.
link_local()
{
	until_true 5 link_local_try "$@" || bail "$1 has no usable link-local address"
}

link_local_try()
{
	REPLY=$(in_ns "$2" ip -6 -o address show dev "$1" scope link -tentative | awk '{ sub("/.*", "", $4); print $4; exit }')
	[ "$REPLY" ]
}

topology_self()
{
	load || bail "cannot load $MODULE"
	ip link add rt0 mtu 9000 type dummy
	at_exit "ip link del rt0"
	addresses rt0 - 1
	link_add rt0 || bail "no device on a dummy netdev"
	at_exit "rdma link delete $REPLY"
	SERVER_DEV=$REPLY CLIENT_DEV=$REPLY
	link_local rt0 -
	gid_list SERVER_GIDS "$SERVER_DEV" 10.0.0.1 fd00::1 "$REPLY"
	CLIENT_GIDS=("${SERVER_GIDS[@]}")
	SERVER_IP4=10.0.0.1 SERVER_IP6=fd00::1
	topology_common
	agent_here
}

topology_packets()
{
	topology_self
	echo wire >"/sys/class/infiniband/$SERVER_DEV/local" || bail "no way to choose packets"
}

# namespaces LETTER...: rt-LETTER.
namespaces()
{
	local letter

	for letter; do
		ip netns add "rt-$letter"
		at_exit "ip netns del rt-$letter"
		ip -n "rt-$letter" link set lo up
	done
}

# rt-a and rt-b with a veth between them, of numbers 1 and 2.
two_namespaces()
{
	namespaces a b
	ip link add rta netns rt-a type veth peer name rtb netns rt-b
	addresses rta rt-a 1
	addresses rtb rt-b 2
}

# b serves, a is the client.
topology_netns()
{
	local local_a

	load || bail "cannot load $MODULE"
	two_namespaces
	link_add rtb rt-b || bail "no device on a veth in a namespace"
	SERVER_DEV=$REPLY
	link_add rta rt-a || bail "no device on a second veth in another namespace"
	CLIENT_DEV=$REPLY
	at_exit "rdma link delete $SERVER_DEV; rdma link delete $CLIENT_DEV"
	link_local rta rt-a
	local_a=$REPLY
	link_local rtb rt-b
	gid_list SERVER_GIDS "$SERVER_DEV" 10.0.0.2 fd00::2 "$REPLY"
	gid_list CLIENT_GIDS "$CLIENT_DEV" 10.0.0.1 fd00::1 "$local_a"
	SERVER_IP4=10.0.0.2 SERVER_IP6=fd00::2
	topology_common
	CLIENT=(ip netns exec rt-a)
	agent_here ip netns exec rt-b
}

# far NETDEV NS NETWORK NUMBER: up with 10.NETWORK.0.NUMBER and fd00:NETWORK::NUMBER, and everything else by the router, number 9 there.
far()
{
	ip -n "$2" address add "10.$3.0.$4/24" dev "$1"
	ip -n "$2" address add "fd00:$3::$4/64" dev "$1" nodad
	ip -n "$2" link set "$1" up
	[ "$4" = 9 ] || { ip -n "$2" route add default via "10.$3.0.9" && ip -n "$2" route add default via "fd00:$3::9"; }
}

# As in topology_netns, with a router between them, which has devices, too.
topology_routed()
{
	local ns

	load || bail "cannot load $MODULE"
	namespaces a b r
	ip netns exec rt-r sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	ip link add rta netns rt-a type veth peer name rra netns rt-r
	ip link add rtb netns rt-b type veth peer name rrb netns rt-r
	far rra rt-r 1 9
	far rrb rt-r 2 9
	far rta rt-a 1 1
	far rtb rt-b 2 2
	for ns in rra rrb; do link_add $ns rt-r || bail "no device on a router's veth"; done
	link_add rtb rt-b || bail "no device behind a router"
	SERVER_DEV=$REPLY
	link_add rta rt-a || bail "no device before a router"
	CLIENT_DEV=$REPLY
	at_exit "rdma link delete $SERVER_DEV; rdma link delete $CLIENT_DEV"
	gid_list SERVER_GIDS "$SERVER_DEV" 10.2.0.2 fd00:2::2
	gid_list CLIENT_GIDS "$CLIENT_DEV" 10.1.0.1 fd00:1::1
	SERVER_IP4=10.2.0.2 SERVER_IP6=fd00:2::2
	topology_common
	CLIENT=(ip netns exec rt-a)
	agent_here ip netns exec rt-b
}

# Node 0 serves and does not come back from here.
topology_wire()
{
	[ "${ROX_NODES-1}" = 2 ] || bail "the wire topology needs two guests: tools/vm/run --nodes 2"
	load || bail "cannot load $MODULE"
	link_add eth1 || bail "no device on eth1"
	CLIENT_DEV=$REPLY
	at_exit "rdma link delete $CLIENT_DEV"
	link_local eth1 -
	gid_list CLIENT_GIDS "$CLIENT_DEV" "10.77.0.$((1 + ROX_NODE))" "fd77::$((1 + ROX_NODE))" "$REPLY"
	if [ "$ROX_NODE" = 0 ]; then
		rox-put server "$CLIENT_DEV ${CLIENT_GIDS[*]}"
		serve_agent 4790
		echo "1..0 # SKIP this node only serves"
		exit 0
	fi
	read -ra SERVER_GIDS <<<"$(rox-get server $((60 * PATIENCE)))"
	SERVER_DEV=${SERVER_GIDS[0]}
	SERVER_GIDS=("${SERVER_GIDS[@]:1}")
	SERVER_IP4=10.77.0.1 SERVER_IP6=fd77::1
	topology_common
	rox-barrier agent $((60 * PATIENCE))
	agent_at 10.77.0.1 4790 || bail "cannot reach node 0"
}

topology_common()
{
	SERVER_GID4=${SERVER_GIDS[0]} CLIENT_GID4=${CLIENT_GIDS[0]}
	MTU=$(port_mtu "$CLIENT_DEV")
}
