#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the stock programs over the device.
#
#   functional.sh [--topology self|packets|netns|wire] [--set full|short]
#
#   self    a device that talks to itself, MTU 9000          [ dummy ]
#   packets the same, with local=wire
#   netns   two namespaces joined by veth, MTU 1500    a [ veth ]---[ veth ] b
#   wire    two guests (both run this), MTU 1500   node 1 [ eth1 ]---[ eth1 ] node 0
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"

topology=self set=full
while [ $# -gt 0 ]; do
	case $1 in
	--topology) topology=$2 ;;
	--set) set=$2 ;;
	*) bail "usage: functional.sh [--topology self|packets|netns|wire] [--set full|short]" ;;
	esac
	shift 2
done
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
topology_"$topology"

full() { [ "$set" = full ]; }

# pingpong KIND GID OPTIONS: ibv_KIND_pingpong over the GIDs at position GID of both lists.
pingpong()
{
	local tool="ibv_$1_pingpong -c -n 20 $3"

	new_port
	group_pair "tcp:$PORT" "$tool -p $PORT -d $SERVER_DEV -g ${SERVER_GIDS[$2]}" \
		"$tool -p $PORT -d $CLIENT_DEV -g ${CLIENT_GIDS[$2]} $SERVER_IP4"
}

pingpongs_gids()
{
	local kind=$1 gid

	group "ibv_${kind}_pingpong at every GID, polled and with -e"
	for gid in "${!SERVER_GIDS[@]}"; do
		pingpong "$kind" "$gid" ""
		pingpong "$kind" "$gid" -e
	done
	group_end
}

# pingpongs_sizes KIND MAX STEP: the GID changes from size to size.
pingpongs_sizes()
{
	local kind=$1 max=$2 step=$3 size nr=0

	group "ibv_${kind}_pingpong with sizes from 1 to $max, step $step, polled and with -e"
	for ((size = 1; size <= max; size += step)); do
		pingpong "$kind" $((nr % ${#SERVER_GIDS[@]})) "-s $size"
		pingpong "$kind" $(((nr + 1) % ${#SERVER_GIDS[@]})) "-e -s $size"
		nr=$((nr + 1))
	done
	group_end
}

# cm WHAT SERVER CLIENT: a program of rdma_cm; @ stands for the port's option.
cm()
{
	new_port
	group_pair "cm:$PORT" "${1//@/$PORT}" "${2//@/$PORT}"
}

cm_programs()
{
	local ip

	for ip in $SERVER_IP4 $SERVER_IP6; do
		group "rping -V -C 100 over $ip"
		cm "rping -s -a $ip -p @ -V -C 100" "rping -c -a $ip -p @ -V -C 100"
		group_end
		group "ucmatose over $ip"
		cm "ucmatose -b $ip -p @ -c 4 -C 20" "ucmatose -s $ip -p @ -c 4 -C 20"
		group_end
		group "udaddy over $ip"
		group_pair cm:7174 "udaddy -b $ip -c 4 -C 20" "udaddy -s $ip -c 4 -C 20" # its port is fixed
		group_end
		group "rdma_server and rdma_client over $ip"
		cm "rdma_server -s $ip -p @" "rdma_client -s $ip -p @"
		group_end
	done
}

# perftest TOOL OPTIONS: over IPv4.
perftest()
{
	local options=$2

	new_port
	case " $options " in
	*" -R "*) group_pair_again "$1" "$options" ;;
	*)
		group_pair "tcp:$PORT" "$1 -F -p $PORT -d $SERVER_DEV -x $SERVER_GID4 $options" \
			"$1 -F -p $PORT -d $CLIENT_DEV -x $CLIENT_GID4 $options $SERVER_IP4"
		;;
	esac
}

# With -R the two connect twice, and the client does not wait for the server to listen a second time: where that takes long, the connection is refused
# ("REJECTED; error: 8", "UNREACHABLE; error: 1": no such service) by whatever device. So it may try three times. Some clients then use what they have freed
# (perftest 25.01, in librdmacm); that the kernel tells of such crashes in its log, where a run looks for its own faults, is switched off meanwhile: the
# status of the program says it as well.
group_pair_again()
{
	local tries status trace=/proc/sys/debug/exception-trace

	GROUP_NR=$((GROUP_NR + 1))
	for tries in 1 2 3; do
		echo 0 >$trace
		pair "cm:$PORT" "$1 -F -p $PORT -d $SERVER_DEV -x $SERVER_GID4 $2" \
			"$1 -F -p $PORT -d $CLIENT_DEV -x $CLIENT_GID4 $2 $SERVER_IP4"
		status=$?
		echo 1 >$trace
		[ $status != 0 ] || return
		grep -qE 'REJECTED; error: 8|UNREACHABLE; error: 1' <<<"$PAIR_LOG" || break
		comment <<<"$1 $2, try $tries: the server did not listen yet"
		new_port
	done
	GROUP_FAILED=$((GROUP_FAILED + 1))
	GROUP_LOG+=$PAIR_LOG$'\n'
}

# offers TOOL OPTION: its help says so.
offers() { "$1" --help 2>&1 | grep -qE "^ *$2,"; }

# perftests TOOL CONNECTION: one way of it with every option it offers.
perftests()
{
	local tool=$1 connection=$2 options="-n 100"

	case $tool in
	*_atomic_*) ;;
	*) options+=" -c $connection" ;;
	esac
	group "$tool $connection: plain$(full && echo ', -a, -R, -e, -q 16, -b where it has them')"
	perftest "$tool" "$options"
	if full; then
		! offers "$tool" -a || perftest "$tool" "${options/-n 100/-n 5} -a"
		# "UC is not supported in librdmacm", says perftest.
		[ "$connection" = UC ] || perftest "$tool" "$options -R"
		! offers "$tool" -e || perftest "$tool" "$options -e"
		! offers "$tool" -q || perftest "$tool" "$options -q 16"
		! offers "$tool" -b || perftest "$tool" "$options -b"
	fi
	group_end
}

full && step=331 || step=2731
for kind in rc uc; do
	pingpongs_gids $kind
	pingpongs_sizes $kind 8192 "$step"
done
pingpongs_gids ud
pingpongs_sizes ud $((MTU < 8192 ? MTU : 8192)) "$step"
cm_programs
for kind in bw lat; do
	for tool in write read send atomic; do
		perftests ib_${tool}_$kind RC
	done
	perftests ib_send_$kind UC
	perftests ib_send_$kind UD
	perftests ib_write_$kind UC
done
finish
