# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# What the benchmarks share: two ends, the ways to get from one to the other, and what is measured between them. Source after topology.sh.
#
# A way is rox; packets: rox with local=wire; poller: rox with threads that are lent; rxe.

BENCH=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# ends TOPOLOGY: self, one device for both; netns, a veth between two namespaces; wire, two guests, the first of which serves and does not come back.
ends()
{
	case $1 in
	self)
		ip link add rt0 mtu 1500 type dummy
		at_exit "ip link del rt0"
		addresses rt0 - 1
		NEAR=(rt0 10.0.0.1) FAR=()
		SERVER_IP4=10.0.0.1
		agent_here
		;;
	netns)
		two_namespaces
		NEAR=(rta 10.0.0.1) FAR=(rtb 10.0.0.2)
		CLIENT=(ip netns exec rt-a) SERVER_IP4=10.0.0.2
		agent_here ip netns exec rt-b
		;;
	wire)
		if [ "$ROX_NODE" = 0 ]; then
			serve_agent 4790
			echo "1..0 # SKIP this node only serves"
			exit 0
		fi
		NEAR=(eth1 10.77.0.2) FAR=(eth1 10.77.0.1)
		SERVER_IP4=10.77.0.1
		rox-barrier agent 60
		agent_at 10.77.0.1 4790 || bail "cannot reach node 0"
		;;
	*) bail "no such topology: $1" ;;
	esac
}

# near SECONDS COMMAND..., far SECONDS COMMAND...: at that end; its last line in $REPLY.
near()
{
	REPLY=$("${CLIENT[@]}" timeout "$@" 2>&1) || return
	REPLY=${REPLY##*$'\n'}
}
far()
{
	local status lines

	echo "run $*" >&"$AGENT_IN"
	read -rt $(($1 + 10)) -u "$AGENT_OUT" status lines || return
	REPLY=
	while [ "$((lines--))" -gt 0 ] && read -rt 10 -u "$AGENT_OUT" REPLY; do :; done
	return "$status"
}

mtu_of_both() { near 10 ip link set "${NEAR[0]}" mtu "$1" && far 10 ip link set "${FAR[0]}" mtu "$1"; }

type_of() { case $1 in packets | poller) echo rox ;; *) echo "$1" ;; esac; }

# begin WAY: devices for it; false, and why in $REPLY, if this kernel has no such there.
begin()
{
	WAY=$1 TYPE=$(type_of "$1") PREFIX=''
	near 30 "$BENCH/end.sh" "$TYPE" "${NEAR[@]}" || return
	CLIENT_DEV=${REPLY% *} CLIENT_GID4=${REPLY#* }
	SERVER_DEV=$CLIENT_DEV SERVER_GID4=$CLIENT_GID4
	if [ ${#FAR[@]} -gt 0 ]; then
		far 30 "$BENCH/end.sh" "$TYPE" "${FAR[@]}" || return
		SERVER_DEV=${REPLY% *} SERVER_GID4=${REPLY#* }
	fi
	case $WAY in
	packets) echo wire >"/sys/class/infiniband/$CLIENT_DEV/local" ;;
	poller) PREFIX='env ROX_POLL_US=2000 ' ;;
	esac
}
finish_way()
{
	[ ${#FAR[@]} = 0 ] || far 30 "$BENCH/end.sh" none "${FAR[0]}" "$TYPE"
	near 30 "$BENCH/end.sh" none "${NEAR[0]}" "$TYPE"
}

# perftest SECONDS TOOL OPTION...: the line of figures in $REPLY.
perftest()
{
	local tool="$PREFIX$2 ${*:3}"

	new_port
	PAIR_SECONDS=$1
	pair "tcp:$PORT" "$tool -F -p $PORT -d $SERVER_DEV -x $SERVER_GID4" "$tool -F -p $PORT -d $CLIENT_DEV -x $CLIENT_GID4 $SERVER_IP4" || return
	REPLY=$(awk 'found { print; exit } /#bytes/ { found = 1 }' <<<"$CLIENT_LOG")
	[ "$REPLY" ]
}

# missed ITEM WHY: there is no figure of it.
missed()
{
	echo "$WAY: $1" >>"$TAP_DIR/missed"
	comment <<<"$WAY: no figure of $1: $2"
}

# figures ITEM METRIC=FORMULA...: of the line of figures in $REPLY, by awk's formulas; "WAY ITEM METRIC VALUE" each, with tabs between. All are positive.
figures()
{
	local item=$1 metric

	shift
	for metric; do
		awk -v OFS='\t' -v way="$WAY" -v item="$item" -v metric="${metric%%=*}" \
			"{ v = ${metric#*=} } v > 0 && v < 1e300 { print way, item, metric, sprintf(\"%.6g\", v); n++ } END { exit !n }" <<<"$REPLY" >>"$TAP_DIR/figures" ||
			missed "$item, ${metric%%=*}" "$REPLY"
	done
}

ONLY='*'
# wanted ITEM: was it asked for?
# shellcheck disable=SC2053 # it is a pattern
wanted() { [[ $1 = $ONLY ]]; }

# measure ITEM METRIC=FORMULA... -- TOOL OPTION...
measure()
{
	local item=$1 metrics=()

	shift
	wanted "$item" || return 0
	while [ "$1" != -- ]; do metrics+=("$1"); shift; done
	shift
	if perftest 100 "$@"; then figures "$item" "${metrics[@]}"; else missed "$item" "$PAIR_LOG"; fi
}
