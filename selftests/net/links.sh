#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Links: on which netdevs there can be a device, what it shows of its netdev, and what is left when there cannot.
# shellcheck disable=SC2317 # functions others are given to call
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"

IB=/sys/class/infiniband

# ---- loading

no_gid() { ! gid_of "$device" "$1"; }
port_closed() { ! port_open; }
port_open() { ss -Huanp 2>/dev/null | grep -q ':4791 '; }
# shellcheck disable=SC2009 # kernel threads, by their brackets
threads() { ps -eo args= | grep -cE '^\[.*(rox|rxe)'; }

before=$(threads)
load || bail "cannot load $MODULE"
! port_open
verdict $? "the module alone opens no port" "$(ss -uan)"
[ "$(threads)" = "$before" ]
verdict $? "the module alone starts no thread" "$(ps -e)"
[ -z "$(rdma link show)" ]
verdict $? "the module alone makes no device" "$(rdma link show)"

# ---- kinds of netdevs

# carries DEVICE IP WHAT: a ping-pong of it with itself.
carries()
{
	local pid status

	until_true 5 gid_of "$1" "$2" || { not_ok "$3: has a GID for $2" "$(gids "$1")"; return; }
	new_port
	timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 20 -p "$PORT" -d "$1" -g "$REPLY" >"$TAP_DIR/server" 2>&1 &
	pid=$!
	until_true 10 tcp_listens "$PORT"
	timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 20 -p "$PORT" -d "$1" -g "$REPLY" localhost >"$TAP_DIR/client" 2>&1
	status=$?
	[ $status = 0 ] || kill $pid
	wait $pid && [ $status = 0 ]
	verdict $? "$3: carries a ping-pong" "$(cat "$TAP_DIR/server" "$TAP_DIR/client")"
}
has_carrier() { [ "$(cat "/sys/class/net/$1/carrier")" = 1 ]; }
tcp_listens() { ss -Htln "sport = :$1" | grep -q .; }

# kind WHAT NETDEV IP MAKE...: made by MAKE, a device on it works and goes.
kind()
{
	local what=$1 netdev=$2 ip=$3 device

	shift 3
	"$@" 2>"$TAP_DIR/make" || { not_ok "$what: can be made" "$(cat "$TAP_DIR/make")"; return; }
	ip link set "$netdev" up
	# A card negotiates first.
	until_true 10 has_carrier "$netdev" || not_ok "$what: has a carrier" "$(ip -d link show "$netdev")"
	[ "$ip" = 127.0.0.1 ] || ip address replace "$ip/24" dev "$netdev"
	link_add "$netdev" 2>"$TAP_DIR/add" || { not_ok "$what: link add" "$(cat "$TAP_DIR/add")"; return; }
	device=$REPLY
	ok "$what: link add"
	link_is "$device" ACTIVE
	verdict $? "$what: ACTIVE at once" "$(rdma link show)"
	carries "$device" "$ip" "$what"
	[ "$(cat "$IB/$device/node_guid")" != 0000:0000:0000:0000 ] && [ "$(cat "$IB/$device/sys_image_guid")" != 0000:0000:0000:0000 ]
	verdict $? "$what: has GUIDs" "$(cat "$IB/$device/node_guid")"
	check "$what: link delete" 5 rdma link delete "$device"
	in_a_second "$what: link delete"
	[ "$netdev" = lo ] || [ "$netdev" = eth0 ] || [ "$netdev" = eth1 ] || ip link delete "$netdev"
}

make_bridge() { ip link add rtb type bridge && ip link set eth0 master rtb; }
make_vlan() { ip link add link eth0 name rtv type vlan id 5; }
make_bond() { ip link add rto type bond mode active-backup && ip link add rtos type dummy && ip link set rtos master rto; }
# A tun without a program behind it has no carrier; one that reads nothing will do.
hold_tun()
{
	modprobe tun
	python3 -c 'import fcntl, struct, sys, time
f = open("/dev/net/tun", "r+b", buffering=0)
fcntl.ioctl(f, 0x400454ca, struct.pack("16sH", sys.argv[1].encode(), int(sys.argv[2], 0)))
time.sleep(60 * int(sys.argv[3]))' "$1" "$2" "$PATIENCE" &
	at_exit "kill $!"
	until_true 5 carrier "$1"
}
carrier() { ip link set "$1" up; [ "$(cat "/sys/class/net/$1/carrier" 2>/dev/null)" = 1 ]; }

kind "dummy" rtd 10.1.0.1 ip link add rtd type dummy
kind "veth" rtva 10.1.1.1 eval 'ip link add rtva type veth peer name rtvb && ip link set rtvb up'
kind "bridge" rtb 10.1.2.1 make_bridge
kind "VLAN child" rtv 10.1.3.1 make_vlan
kind "bond" rto 10.1.4.1 make_bond
ip link delete rtos 2>/dev/null
kind "macvlan" rtm 10.1.5.1 ip link add rtm link eth0 type macvlan mode bridge
kind "lo" lo 127.0.0.1 true
kind "virtio-net" eth0 10.76.0.1 true
kind "tun" rtt 10.1.6.1 hold_tun rtt 0x1001
kind "tap" rtp 10.1.7.1 hold_tun rtp 0x1002
modprobe -q e1000e
e1000=$(basename "$(readlink -f /sys/bus/pci/drivers/e1000e/*/net/* 2>/dev/null | head -n 1)" 2>/dev/null)
if [ -e "/sys/class/net/$e1000/device" ]; then
	kind "e1000e" "$e1000" 10.1.8.1 true
else
	skip "e1000e" "this guest has none"
fi
until_true 2 port_closed
verdict $? "the port closes with the last link" "$(ss -uan)"

# ---- several links

netdevs=(rs0 rs1 rs2 rs3)
devices=()
for i in "${!netdevs[@]}"; do
	ip link add "${netdevs[i]}" type dummy
	ip address add "10.2.$i.1/24" dev "${netdevs[i]}"
	ip link set "${netdevs[i]}" up
	link_add "${netdevs[i]}" && devices+=("$REPLY")
done
[ ${#devices[@]} = 4 ]
verdict $? "four links on four netdevs" "$(rdma link show)"
[ "$(for d in "${devices[@]}"; do cat "$IB/$d/node_guid"; done | sort -u | wc -l)" = 4 ]
verdict $? "each has its own GUID"
for i in 0 3; do carries "${devices[i]}" "10.2.$i.1" "link $i of four"; done
for device in "${devices[@]}"; do rdma link delete "$device"; done

# ---- namespaces, in both modes of rdma system

# talks_inside DEVICE GID WHAT: a ping-pong of programs in rt-x.
talks_inside()
{
	local pid status

	new_port
	ip netns exec rt-x timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 20 -p "$PORT" -d "$1" -g "$2" >"$TAP_DIR/server" 2>&1 &
	pid=$!
	until_true 10 inside_listens "$PORT"
	ip netns exec rt-x timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 20 -p "$PORT" -d "$1" -g "$2" localhost >"$TAP_DIR/client" 2>&1
	status=$?
	[ $status = 0 ] || kill $pid 2>/dev/null
	wait $pid && [ $status = 0 ]
	verdict $? "$3: carries a ping-pong" "$(cat "$TAP_DIR/server" "$TAP_DIR/client")"
}
no_link_inside() { ! rdma link show | grep -q inside; }
inside_listens() { ip netns exec rt-x ss -Htln "sport = :$1" | grep -q .; }
# The GID's index in $REPLY. sysfs as it is inside: an exclusive device is not seen from outside.
inside_has_gid()
{
	full_gid 10.4.0.1
	# shellcheck disable=SC2016 # inside
	REPLY=$(ip netns exec rt-x sh -c 'grep -lx "$1" /sys/class/infiniband/*/ports/1/gids/[0-9]' - "$REPLY" 2>/dev/null)
	device=${REPLY#/sys/class/infiniband/}
	device=${device%%/*}
	REPLY=${REPLY##*/}
	[ "$REPLY" ]
}

for mode in shared exclusive; do
	rdma system set netns $mode 2>"$TAP_DIR/mode" || { skip "namespaces, $mode" "$(cat "$TAP_DIR/mode")"; continue; }
	ip netns add rt-x
	ip -n rt-x link set lo up
	ip -n rt-x link add rx0 type dummy
	ip -n rt-x address add 10.4.0.1/24 dev rx0
	ip -n rt-x link set rx0 up
	check "namespaces, $mode: link add inside" 5 ip netns exec rt-x rdma link add inside type "$LINK_TYPE" netdev rx0
	device=inside
	# Until Linux 7 a new device is in the initial namespace, and moved.
	[ $mode = shared ] || ip netns exec rt-x rdma link show | grep -q 'netdev rx0' ||
		check "namespaces, $mode: the device follows" 5 rdma dev set inside netns rt-x
	if until_true 3 inside_has_gid; then
		talks_inside "$device" "$REPLY" "namespaces, $mode"
	else
		not_ok "namespaces, $mode: seen inside with its GID" "$(rdma link; ip netns exec rt-x rdma link)"
	fi
	check "namespaces, $mode: the namespace goes" 5 ip netns del rt-x
	until_true 5 no_link_inside
	verdict $? "namespaces, $mode: and takes the device with it" "$(rdma link show)"
	until_true 5 port_closed
	verdict $? "namespaces, $mode: no socket left"
done
rdma system set netns shared

# ---- the connection manager's datagrams find the right address: two namespaces joined by two veths, with a VLAN on each end of the first
#
#   a [ rta5 on rta ]---[ rtb5 on rtb ] b
#   a [ rtc ]-----------[ rtd ] b

# link_ends NETDEV...: links there; their devices, in this order, in $devices.
link_ends()
{
	local netdev ns

	devices=()
	for netdev; do
		ns=rt-a
		[[ $netdev != rt[bd]* ]] || ns=rt-b
		link_add "$netdev" $ns || { not_ok "a link on $netdev"; return 1; }
		devices+=("$REPLY")
	done
}
unlink_ends() { for device in "${devices[@]}"; do rdma link delete "$device"; done; }
# connects WHAT SERVER [CLIENT]: rping, to the address that each of the two knows.
connects()
{
	new_port
	pair "cm:$PORT" "rping -s -a $2 -p $PORT -V -C 10" "rping -c -a ${3-$2} -p $PORT -V -C 10"
	verdict $? "$1" "$PAIR_LOG
$(rdma link show)
$(for device in "${devices[@]}"; do gids "$device"; done)"
}
# have DEVICE ADDRESS...: each has its GID.
have()
{
	local device=$1 address

	for address in "${@:2}"; do until_true 5 gid_of "$device" "$address" || not_ok "$device has a GID for $address" "$(gids "$device")"; done
}

two_namespaces
ip link add rtc netns rt-a type veth peer name rtd netns rt-b
for end in a:rta:1 b:rtb:2; do
	IFS=: read -r ns netdev number <<<"$end"
	ip -n "rt-$ns" link add link "$netdev" name "${netdev}5" type vlan id 5
	ip -n "rt-$ns" address add "10.5.0.$number/24" dev "${netdev}5"
	ip -n "rt-$ns" link set "${netdev}5" up
done
for end in a:rta:1 a:rtc:1 b:rtb:2 b:rtd:2; do
	IFS=: read -r ns netdev number <<<"$end"
	ip -n "rt-$ns" link set "$netdev" up
	ip -n "rt-$ns" address add "fe80::$number/64" dev "$netdev" nodad
done
CLIENT=(ip netns exec rt-a)
agent_here ip netns exec rt-b
PAIR_SECONDS=$((20 * PATIENCE))

if link_ends rta5 rtb5; then
	have "${devices[0]}" 10.5.0.1
	have "${devices[1]}" 10.5.0.2
	connects "rdma_cm on a VLAN" 10.5.0.2
fi
unlink_ends
if link_ends rta rtb; then
	have "${devices[0]}" 10.0.0.1 10.5.0.1
	have "${devices[1]}" 10.0.0.2 10.5.0.2
	connects "rdma_cm below a VLAN" 10.0.0.2
	connects "rdma_cm below a VLAN, to the VLAN's address" 10.5.0.2
	# Both have the address that their MAC gives.
	link_local rtb5 rt-b
	address=$REPLY
	connects "rdma_cm below a VLAN, to the VLAN's link-local address" "$address%rtb5" "$address%rta5"
	connects "rdma_cm below a VLAN, to the link-local address that the VLAN has too" "$address%rtb" "$address%rta"
fi
unlink_ends
if link_ends rta rtb rtc rtd; then
	have "${devices[0]}" fe80::1
	have "${devices[1]}" fe80::2
	have "${devices[2]}" fe80::1
	have "${devices[3]}" fe80::2
	connects "rdma_cm to a link-local address that two links have, on the first" fe80::2%rtb fe80::2%rta
	connects "rdma_cm to a link-local address that two links have, on the second" fe80::2%rtd fe80::2%rtc
	CLIENT=(ip netns exec rt-b)
	connects "rdma_cm to a link-local address that two links have, on the second, from the same host" fe80::2%rtd
fi
unlink_ends
exec {AGENT_IN}>&- # it would keep the namespace
for ns in rt-a rt-b; do ip netns del $ns; done

# ---- refusals leave nothing behind

# refused_aloud COMMAND...: what it says, and what the kernel log does: not every kernel lets a driver answer the command itself.
refused_aloud()
{
	local lines status

	lines=$(dmesg | wc -l)
	"$@"
	status=$?
	dmesg | tail -n "+$((lines + 1))"
	return "$status"
}

# nothing_left WHAT: neither device, nor module reference, nor socket.
nothing_left()
{
	! port_open && [ -z "$(rdma link show)" ] && [ "$(lsmod | awk -v m="$MODULE" '$1 == m { print $3 }')" = 0 ]
	verdict $? "$1: nothing left behind" "$(rdma link show; ss -uan; lsmod | grep "$MODULE")"
}

check_fails "no such netdev" 5 . rdma link add x0 type "$LINK_TYPE" netdev nosuch
nothing_left "no such netdev"
if ip link add rtn type nlmon 2>/dev/null; then
	ip link set rtn up
	check_fails "a netdev that is no network: refused with a reason" 5 'rtn' \
		refused_aloud rdma link add x0 type "$LINK_TYPE" netdev rtn
	nothing_left "a netdev that is no network"
	ip link delete rtn
else
	skip "a netdev that is no network" "no nlmon on this kernel"
fi
rdma link add first type "$LINK_TYPE" netdev rs0
check_fails "a name that is taken" 5 . rdma link add first type "$LINK_TYPE" netdev rs1
[ "$(rdma link show | wc -l)" = 1 ]
verdict $? "a name that is taken: the first one stays, alone" "$(rdma link show)"
rdma link delete first
nothing_left "a name that is taken"

if [ "$LINK_TYPE" = rox ]; then
	other=rxe
else
	other=none
fi
if [ $other = rxe ] && modprobe rdma_rxe 2>/dev/null; then
	rdma link add other type rxe netdev rs1 2>/dev/null
	if port_open; then
		check_fails "the port is rdma_rxe's: refused, and the message says so" 5 4791 refused_aloud rdma link add x0 type rox netdev rs0
		rdma link delete other
		until_true 2 port_closed || modprobe -r rdma_rxe
		nothing_left "the port is rdma_rxe's"
	else
		skip "the port is rdma_rxe's" "rdma_rxe does not open it"
	fi
	modprobe -r rdma_rxe
	link_add rs0
	verdict $? "a link once the port is free"
	rdma link delete "$REPLY"
else
	skip "the port is rdma_rxe's" "there is no rdma_rxe, or it is under test"
fi

# ---- what the device shows of its netdev

link_add rs0
device=$REPLY
until_true 5 gid_of "$device" 10.2.0.1
port=$IB/$device/ports/1
info() { ibv_devinfo -v -d "$device"; }
shows() { info | grep -qE "$1"; }
for line in 'node_guid:.*[1-9a-f]' 'sys_image_guid:.*[1-9a-f]' 'transport:[[:space:]]*InfiniBand' 'link_layer:[[:space:]]*Ethernet' \
	'active_width:' 'active_speed:[[:space:]]*[0-9]' 'phys_state:[[:space:]]*LINK_UP' 'state:[[:space:]]*PORT_ACTIVE' 'port_lid:[[:space:]]*0' \
	'atomic_cap:[[:space:]]*ATOMIC_[HG]' 'GID\['; do
	shows "$line"
	verdict $? "ibv_devinfo -v shows $line" "$(info)"
done
! info | grep -q 'RoCE v1\|IB/RoCE'
verdict $? "every GID is RoCE v2" "$(gids "$device")"
rdma dev show "$device" | grep -qE 'node_type ca .*node_guid .*sys_image_guid'
verdict $? "rdma dev shows it" "$(rdma dev)"
for file in node_guid sys_image_guid node_type node_desc fw_ver ports/1/state ports/1/phys_state ports/1/rate ports/1/lid ports/1/sm_lid ports/1/cap_mask \
	ports/1/link_layer ports/1/gids/0 ports/1/pkeys/0 ports/1/gid_attrs/ndevs/0 ports/1/gid_attrs/types/0; do
	[ -n "$(cat "$IB/$device/$file" 2>&1)" ] || [ "$file" = fw_ver ]
	verdict $? "sysfs has $file"
done

mtu_is() { info | grep -qE "active_mtu:[[:space:]]*$1 "; }
for pair in 1280:1024 1500:1024 2048:1024 2200:2048 4150:2048 4200:4096 9000:4096; do
	ip link set rs0 mtu "${pair%:*}"
	until_true 3 mtu_is "${pair#*:}"
	verdict $? "netdev MTU ${pair%:*} is port MTU ${pair#*:}" "$(info | grep mtu)"
done
ip link set rs0 mtu 1500

# Events: what a program that watches sees.
timeout $((60 * PATIENCE)) stdbuf -oL ibv_asyncwatch -d "$device" >"$TAP_DIR/events" 2>&1 &
watch=$!
at_exit "kill $watch"
saw() { grep -qi "$1" "$TAP_DIR/events"; }
until_true 5 saw "$device"
ip link set rs0 down
until_true 3 link_is "$device" DOWN
verdict $? "the port is DOWN with the netdev" "$(rdma link show)"
until_true 3 saw 'port error\|PORT_ERR'
verdict $? "who watches is told that it went down" "$(cat "$TAP_DIR/events")"
ip link set rs0 up
until_true 3 link_is "$device" ACTIVE
verdict $? "the port is ACTIVE with the netdev" "$(rdma link show)"
until_true 3 saw 'port active\|PORT_ACTIVE'
verdict $? "who watches is told that it came up" "$(cat "$TAP_DIR/events")"
kill $watch

# GIDs: one for each address, as long as it is there.
until_true 5 gid_of "$device" 10.2.0.1
verdict $? "the address has its GID again" "$(gids "$device")"
ip address add 10.2.0.2/24 dev rs0
until_true 1 gid_of "$device" 10.2.0.2
verdict $? "a second IPv4 address has a GID at once" "$(gids "$device")"
ip address add fd02::1/64 dev rs0 nodad
until_true 2 gid_of "$device" fd02::1
verdict $? "an IPv6 address has a GID" "$(gids "$device")"
ip address del 10.2.0.2/24 dev rs0
until_true 2 no_gid 10.2.0.2
verdict $? "no GID of an address that went" "$(gids "$device")"
ip address del fd02::1/64 dev rs0
until_true 2 no_gid fd02::1
verdict $? "no GID of an IPv6 address that went" "$(gids "$device")"
[ "$(gids "$device" | awk '{ print $2 }' | sort | uniq -d)" = "" ]
verdict $? "no GID twice" "$(gids "$device")"

# Index 0 works or is absent, also where the link-local address is not the one made from the MAC.
rdma link delete "$device"
ip link set rs0 down
echo 1 >/proc/sys/net/ipv6/conf/rs0/addr_gen_mode
ip link set rs0 up
link_add rs0
device=$REPLY
until_true 5 gid_of "$device" 10.2.0.1
first=$(gids "$device" | awk '$1 == 0 { print $2 }')
if [ -z "$first" ]; then
	ok "GID index 0 is absent without a link-local address"
else
	address=$(python3 -c 'import ipaddress, sys; a = ipaddress.ip_address(sys.argv[1]); print(a.ipv4_mapped or a)' "$first")
	new_port
	timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 20 -p "$PORT" -d "$device" -g 0 >"$TAP_DIR/server" 2>&1 &
	server=$!
	until_true 10 tcp_listens "$PORT"
	timeout $((20 * PATIENCE)) ibv_rc_pingpong -c -n 20 -p "$PORT" -d "$device" -g 0 localhost >"$TAP_DIR/client" 2>&1
	status=$?
	[ $status = 0 ] || kill $server
	wait $server && [ $status = 0 ]
	verdict $? "GID index 0 ($address) works" "$(cat "$TAP_DIR/server" "$TAP_DIR/client")"
fi

rdma link delete "$device"
for netdev in "${netdevs[@]}"; do ip link delete "$netdev"; done
check "the module unloads" 5 modprobe -r "$MODULE"
finish
