# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Devices and pairs of programs that talk over them. LINK_TYPE=rxe runs a test on the in-tree device instead, which tells a fault of the test from one
# of rox. Source after tap.sh.

LINK_TYPE=${LINK_TYPE:-rox}
LIB=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck disable=SC2034 # for those who source this
TESTS=${TESTS:-/usr/lib/rox-selftests}

module_of() { case $1 in rxe) echo rdma_rxe ;; *) echo "$1" ;; esac; }
MODULE=$(module_of "$LINK_TYPE")

# load: the module, and what user space talks to. rdma_ucm and ib_umad come by udev on a real machine.
load() { modprobe -a "$MODULE" rdma_ucm ib_umad ib_uverbs; }

# in_ns NS COMMAND...: NS - is the own one.
in_ns() { if [ "$1" = - ]; then "${@:2}"; else ip netns exec "$@"; fi; }

# in_a_second WHAT: what bounded just ran, says $TOOK, took less than a second. A busy host makes everything slow, which a command that only asks shows:
# beyond 100 ms for that one, ten times the excess is allowed. in_seconds SECONDS WHAT: another limit.
in_a_second() { in_seconds 1 "$1"; }

in_seconds()
{
	# shellcheck disable=SC2153 # bounded sets it
	local took=$TOOK start=${EPOCHREALTIME/./} asking limit=$(($1 * 1000))

	rdma link show >/dev/null
	asking=$(((${EPOCHREALTIME/./} - start) / 1000))
	[ $asking -le 100 ] || limit=$((limit + 10 * (asking - 100)))
	limit=$((limit * PATIENCE))
	[ "$took" -lt $limit ]
	verdict $? "$2: in less than $1 s ($took ms)" "allowed here: $limit ms"
}

LINK_NR=0
# link_add NETDEV [NS]: a device there; its name in $REPLY.
link_add()
{
	local ns=${2:--} out

	LINK_NR=$((LINK_NR + 1))
	out=$(in_ns "$ns" timeout $((10 * PATIENCE)) rdma link add "rt$LINK_NR" type "$LINK_TYPE" netdev "$1" 2>&1) || { echo "$out" >&2; return 1; }
	device_of "$1" "$ns"
}

# device_of NETDEV [NS]: the device on it, in $REPLY; udev may have renamed it, so never by name.
device_of()
{
	REPLY=$(in_ns "${2:--}" rdma link show | awk -v netdev="$1" '{
		for (i = 1; i < NF; i++)
			if ($i == "netdev" && $(i + 1) == netdev) { sub("/.*", "", $2); print $2; exit }
	}')
	[ "$REPLY" ]
}

link_state() { rdma link show "$1/1" | grep -o 'state [A-Z]*' | head -n 1 | cut -d' ' -f2; }
link_is() { [ "$(link_state "$1")" = "$2" ]; }

# full_gid ADDRESS: as sysfs writes it, in $REPLY.
full_gid()
{
	local head tail words=() word zeros

	case $1 in
	*:*)
		head=${1%%::*} tail=
		[[ $1 != *::* ]] || tail=${1#*::}
		read -ra words <<<"${head//:/ }"
		read -ra tail <<<"${tail//:/ }"
		for ((zeros = 8 - ${#words[@]} - ${#tail[@]}; zeros > 0; zeros--)); do words+=(0); done
		words+=("${tail[@]}")
		;;
	*)
		read -ra tail <<<"${1//./ }"
		words=(0 0 0 0 0 ffff)
		words+=("$(printf %x $((tail[0] * 256 + tail[1])))" "$(printf %x $((tail[2] * 256 + tail[3])))")
		;;
	esac
	REPLY=
	for word in "${words[@]}"; do
		printf -v word ':%04x' "0x$word"
		REPLY+=$word
	done
	REPLY=${REPLY#:}
}

# gids DEVICE: its GIDs, one "INDEX GID TYPE" a line; the first 64 places, reading all takes seconds.
gids()
{
	local port=/sys/class/infiniband/$1/ports/1 index gid type

	for ((index = 0; index < 64; index++)); do
		read -r gid <"$port/gids/$index" || break
		[ "$gid" != 0000:0000:0000:0000:0000:0000:0000:0000 ] || continue
		read -r type <"$port/gid_attrs/types/$index" && echo "$index $gid $type"
	done 2>/dev/null
}

# gid_of DEVICE ADDRESS: the index of the RoCE v2 GID that is this IP address, in $REPLY.
gid_of()
{
	local index gid type

	full_gid "$2"
	while read -r index gid type; do
		[ "$gid $type" != "$REPLY RoCE v2" ] || { REPLY=$index; return; }
	done < <(gids "$1")
	return 1
}

has_gid() { gid_of "$@"; }

# usable ADDRESS NETDEV [NS]: no longer tentative.
usable() { ! in_ns "${3:--}" ip -o address show dev "$2" to "$1" tentative | grep -q .; }

PORT=20000
# new_port: $PORT, never twice.
new_port() { PORT=$((PORT + 1)); }

# What the topology sets: how client programs start, and the descriptors that talk to the agent.
CLIENT=()

# agent_here COMMAND...: start the agent with COMMAND before it.
agent_here()
{
	coproc AGENT { exec "$@" bash "$LIB/agent.sh"; }
	AGENT_OUT=${AGENT[0]} AGENT_IN=${AGENT[1]}
}

# agent_at ADDRESS PORT: use the one served there.
agent_at()
{
	local fd

	exec {fd}<>"/dev/tcp/$1/$2" || return
	AGENT_OUT=$fd AGENT_IN=$fd
}

# serve_agent PORT: be the agent of one client that connects, until it goes.
serve_agent()
{
	python3 - "$1" "$LIB/agent.sh" <<-'EOF'
	import os, socket, subprocess, sys
	seconds = 60 * int(os.environ["PATIENCE"])
	server = socket.create_server(("", int(sys.argv[1])))
	subprocess.run(["rox-barrier", "agent", str(seconds)], check=True)
	server.settimeout(seconds)
	connection, _ = server.accept()
	connection.settimeout(None)
	sys.exit(subprocess.run(["bash", sys.argv[2]], stdin=connection, stdout=connection).returncode)
	EOF
}

agent_collect()
{
	local lines line

	echo "collect $(($1 * PATIENCE))" >&"$AGENT_IN"
	read -rt $((($1 + 30) * PATIENCE)) -u "$AGENT_OUT" SERVER_STATUS lines || { SERVER_STATUS=255; lines=0; }
	SERVER_LOG=
	while [ "$((lines--))" -gt 0 ] && IFS= read -rt $((30 * PATIENCE)) -u "$AGENT_OUT" line; do SERVER_LOG+=$line$'\n'; done
}

PAIR_SECONDS=$((60 * PATIENCE))
# pair READY SERVER-COMMAND CLIENT-COMMAND: run both; true when both end well. READY is tcp:PORT, cm:PORT or now: what tells that the server serves.
# Else $PAIR_LOG says what happened. The commands are words without quotes.
pair()
{
	local answer client

	read -ra client <<<"$3"
	echo "start $1 $PAIR_SECONDS $2" >&"$AGENT_IN"
	read -rt $((60 * PATIENCE)) -u "$AGENT_OUT" answer || answer=lost
	if [ "$answer" = ready ]; then
		CLIENT_LOG=$(timeout -k 2 "$PAIR_SECONDS" "${CLIENT[@]}" "${client[@]}" 2>&1 </dev/null)
		CLIENT_STATUS=$?
	else
		CLIENT_STATUS=255 CLIENT_LOG='(not started)'
	fi
	if [ $CLIENT_STATUS -eq 0 ]; then agent_collect 10; else agent_collect 1; fi
	PAIR_LOG=
	[ $CLIENT_STATUS -ne 0 ] || [ "$SERVER_STATUS" -ne 0 ] || return 0
	PAIR_LOG="server: $2: status $SERVER_STATUS ($answer)
$(tail -n 12 <<<"$SERVER_LOG")
client: $3: status $CLIENT_STATUS
$(tail -n 12 <<<"$CLIENT_LOG")"
	return 1
}

# A group is many pairs under one result.
group() { GROUP=$1 GROUP_NR=0 GROUP_FAILED=0 GROUP_LOG='' GROUP_START=${EPOCHREALTIME/./}; }
group_pair()
{
	GROUP_NR=$((GROUP_NR + 1))
	pair "$@" || { GROUP_FAILED=$((GROUP_FAILED + 1)); [ $GROUP_FAILED -gt 3 ] || GROUP_LOG+=$PAIR_LOG$'\n'; }
}
group_end()
{
	local seconds=$(((${EPOCHREALTIME/./} - GROUP_START) / 100000))

	seconds="$((seconds / 10)).$((seconds % 10)) s"
	if [ "$GROUP_FAILED" -eq 0 ]; then
		ok "$GROUP ($GROUP_NR runs, $seconds)"
	else
		not_ok "$GROUP ($GROUP_FAILED of $GROUP_NR runs failed, $seconds)" "$GROUP_LOG"
	fi
}
