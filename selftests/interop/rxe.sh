#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# This device and the in-tree rdma_rxe with the stock provider talk to each other, each end once client and once server.
#
#   tools/vm/run --nodes 2 --plain 1 selftests/interop/rxe.sh
#
#   node 0, rox [ eth1 ]---[ eth1 ] node 1, rdma_rxe
#
# Node 0 keeps an agent that runs whatever it is told, as server or as client.
HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/lib/tap.sh
. "$HERE/../lib/tap.sh"
[ "${ROX_NODE-}" != 1 ] || LINK_TYPE=rxe
# shellcheck source=selftests/lib/rdma.sh
. "$HERE/../lib/rdma.sh"
# shellcheck source=selftests/lib/topology.sh
. "$HERE/../lib/topology.sh"
topology_wire

sizes=(1 33 1025 4097 65536)

# here_serves READY SERVER CLIENT: the pair with the ends swapped: the server here, the client at the other node.
here_serves()
{
	local pid server status client_status answer lines

	read -ra server <<<"$2"
	timeout -k 2 "$PAIR_SECONDS" "${server[@]}" >"$TAP_DIR/server" 2>&1 </dev/null &
	pid=$!
	until_true 20 listens "${1#tcp:}" "$pid"
	echo "run $PAIR_SECONDS $3" >&"$AGENT_IN"
	read -rt $((PAIR_SECONDS + 10 * PATIENCE)) -u "$AGENT_OUT" client_status lines || { client_status=255; lines=0; }
	CLIENT_LOG=
	while [ "$((lines--))" -gt 0 ] && IFS= read -rt $((30 * PATIENCE)) -u "$AGENT_OUT" answer; do CLIENT_LOG+=$answer$'\n'; done
	[ "$client_status" = 0 ] || { sleep 1; kill "$pid"; } 2>/dev/null
	wait "$pid"
	status=$?
	PAIR_LOG="server here: $2: status $status
$(tail -n 12 "$TAP_DIR/server")
client there: $3: status $client_status
$(tail -n 12 <<<"$CLIENT_LOG")"
	[ "$client_status $status" = "0 0" ]
}

# listens PORT PID: that process, in its namespace, or it is gone.
# shellcheck disable=SC2317 # until_true calls it
listens()
{
	local port

	printf -v port ':%04X' "$1"
	! kill -0 "$2" 2>/dev/null || grep -qE "$port [0-9A-F:]+ 0A " "/proc/$2/net/tcp" "/proc/$2/net/tcp6"
}

# both COMMAND: each way.
both()
{
	new_port
	group_pair "tcp:$PORT" "$1 -p $PORT -d $SERVER_DEV $(gid_option "$1") $SERVER_GID4" \
		"$1 -p $PORT -d $CLIENT_DEV $(gid_option "$1") $CLIENT_GID4 10.77.0.1"
	new_port
	GROUP_NR=$((GROUP_NR + 1))
	here_serves "tcp:$PORT" "$1 -p $PORT -d $CLIENT_DEV $(gid_option "$1") $CLIENT_GID4" \
		"$1 -p $PORT -d $SERVER_DEV $(gid_option "$1") $SERVER_GID4 10.77.0.2" && return
	GROUP_FAILED=$((GROUP_FAILED + 1))
	[ "$GROUP_FAILED" -gt 3 ] || GROUP_LOG+=$PAIR_LOG$'\n'
}

gid_option() { case $1 in ibv_*) echo -g ;; *) echo -x ;; esac; }

for size in "${sizes[@]}"; do
	group "ibv_rc_pingpong, $size bytes, both ways"
	both "ibv_rc_pingpong -c -n 20 -s $size"
	group_end
	for tool in write read send; do
		group "ib_${tool}_bw, $size bytes, both ways"
		both "ib_${tool}_bw -F -n 100 -s $size"
		group_end
	done
	[ "$size" -le "$MTU" ] || continue
	group "ibv_ud_pingpong, $size bytes, both ways"
	both "ibv_ud_pingpong -c -n 20 -s $size"
	group_end
done
group "ib_atomic_bw, 8 bytes, both ways"
both "ib_atomic_bw -F -n 100"
both "ib_atomic_bw -F -n 100 -A CMP_AND_SWAP"
group_end
finish
