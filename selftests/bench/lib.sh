# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# What the benchmarks share: the device in its variants, a perftest pair on it, medians. Needs tap.sh and rdma.sh.

# rounds_option DEFAULT [--rounds N]: sets $rounds.
rounds_option()
{
	rounds=$1
	[ "${2-}" != --rounds ] || rounds=$3
}

# make_netdev: rt0, what the devices of all variants are on.
make_netdev()
{
	ip link add rt0 mtu 1500 type dummy
	ip address add 10.0.0.1/24 dev rt0
	ip link set rt0 up
}

# in_turn COMMAND...: COMMAND with direct (rox), wire (rox in packets) and rxe as last argument, with that device up as $device, whose GID is $gid.
in_turn()
{
	local variant

	for variant in direct wire rxe; do
		LINK_TYPE=rox
		[ $variant != rxe ] || LINK_TYPE=rxe
		MODULE=$(module_of "$LINK_TYPE")
		load
		link_add rt0 || bail "no $LINK_TYPE device"
		device=$REPLY
		until_true 5 gid_of "$device" 10.0.0.1 || bail "no GID"
		gid=$REPLY
		[ $variant = rxe ] || echo "$variant" >"/sys/class/infiniband/$device/local"
		"$@" "$variant"
		rdma link delete "$device"
		modprobe -r "$MODULE"
	done
}

# What the server's command, and the client's, is run by, if they are in namespaces; their devices and GIDs, and the server's address there.
AT_SERVER=() AT_CLIENT=()
ends() { SERVER_DEV=$device SERVER_GID4=$gid CLIENT_DEV=$device CLIENT_GID4=$gid SERVER_IP4=localhost; }

# perftest SECONDS COLUMN TOOL OPTION...: one column of its line of figures; nothing if it failed.
perftest()
{
	local seconds=$1 column=$2 server

	shift 2
	[ ${#AT_SERVER[@]} -gt 0 ] || ends
	new_port
	"${AT_SERVER[@]}" timeout "$seconds" "$@" -F -p "$PORT" -d "$SERVER_DEV" -x "$SERVER_GID4" >"$TAP_DIR/server" 2>&1 &
	server=$!
	until_true 20 tcp_listens "$PORT"
	"${AT_CLIENT[@]}" timeout "$seconds" "$@" -F -p "$PORT" -d "$CLIENT_DEV" -x "$CLIENT_GID4" "$SERVER_IP4" >"$TAP_DIR/client" 2>&1 || kill "$server"
	wait "$server"
	awk -v column="$column" 'found { print $column; exit } /#bytes/ { found = 1 }' "$TAP_DIR/client"
}

# iperf SECONDS: TCP's MB/s between the same two ends.
iperf()
{
	[ ${#AT_SERVER[@]} -gt 0 ] || SERVER_IP4=127.0.0.1
	new_port
	"${AT_SERVER[@]}" timeout $(($1 + 30)) iperf3 -s -1 -p "$PORT" >/dev/null 2>&1 &
	until_true 10 tcp_listens "$PORT"
	"${AT_CLIENT[@]}" iperf3 -c "$SERVER_IP4" -p "$PORT" -t "$1" -f m 2>/dev/null |
		awk '/receiver/ { for (i = 1; i < NF; i++) if ($(i + 1) == "Mbits/sec") printf "%.0f\n", $i / 8 }'
	wait $!
}

# shellcheck disable=SC2317 # until_true calls it
tcp_listens() { "${AT_SERVER[@]}" ss -Htln "sport = :$1" | grep -q .; }

# median FILE, least FILE: of its lines; - if there is none.
median() { sort -n "$1" 2>/dev/null | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'; }
least() { sort -n "$1" 2>/dev/null | awk 'NR == 1 { v = $1 } END { print NR ? v : "-" }'; }
