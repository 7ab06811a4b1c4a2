# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2317 # functions others are given to call
# What the storms share: decisions by seed, timed commands, somebody who watches for stuck tasks, and what must hold when a storm is over. Source after
# tap.sh and rdma.sh. $SEED is set.

# For bounded() and until_true(), which have PATIENCE themselves; and in seconds, for what has none.
LIMIT=10
HUNG=$((LIMIT * PATIENCE))
LOGSCAN=$(readlink -f "$LIB/../../tools/vm/logscan")

# decide BELOW: a number from 0, in $REPLY; the same again with the same seed. A subshell that decides sets RANDOM first.
decide() { REPLY=$(((RANDOM << 15 | RANDOM) % $1)); }

# now_ms: in $REPLY.
now_ms() { REPLY=$((${EPOCHREALTIME/./} / 1000)); }

# ---- commands that may fail but not hang

# timed KIND COMMAND...: with $HUNG seconds; what it took goes to $TIMES, a file that this shell alone writes.
timed()
{
	local kind=$1 start=${EPOCHREALTIME/./} status took

	shift
	timeout -k 2 "$HUNG" "$@" >/dev/null 2>&1
	status=$?
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	echo "$kind $took $status" >>"$TIMES"
	case $status in 124 | 137) echo "$* took longer than $HUNG s" >>"$TAP_DIR/hung" ;; esac
	return $status
}

# times FILE...: one line of each kind, and how many commands there were.
times()
{
	awk '{ gsub("_", " ", $1); n[$1]++; bad[$1] += $3 != 0; sum[$1] += $2; if ($2 > max[$1]) max[$1] = $2 }
		END { for (k in n) printf "# %s: %d times, %d refused, %d ms on average, longest %d ms\n", k, n[k], bad[k], sum[k] / n[k], max[k] }' "$@" | sort
}

# Of a kind of command: tried so often, it should have succeeded once; and of all kinds together, for each of them to have been tried.
OFTEN=20
OFTEN_ENOUGH=40

# all_succeeded WHAT KINDS FILE...: each of these kinds succeeded at least once, and so did all others that there are, in a storm of many commands. On a slow
# kernel there may be few: what was tried hardly ever need not have.
all_succeeded()
{
	local what=$1 kinds=$2 never

	shift 2
	never=$(awk -v kinds="$kinds" -v often=$OFTEN -v enough=$OFTEN_ENOUGH 'BEGIN { n = split(kinds, kind, " "); for (i = 1; i <= n; i++) good[kind[i]] = 0 }
		{ tried[$1]++; good[$1] += $3 == 0 }
		END { for (k in good) if (!good[k] && (tried[k] >= often || NR >= enough * n)) printf "%s (%d times tried) ", k, tried[k] }' "$@")
	[ -z "$never" ]
	verdict $? "$what: each kind of command succeeded" "never: $never"
}

# ---- stuck tasks

# watch_tasks: while it runs, tasks that stay in uninterruptible sleep for $HUNG seconds go to $TAP_DIR/stuck, with their stacks.
watch_tasks()
{
	local file line pid state
	declare -A since=()

	while sleep 2; do
		for file in /proc/[0-9]*/stat; do
			read -r line <"$file" || continue
			pid=${line%% *} state=${line##*) }
			if [ "${state:0:1}" != D ]; then
				[ -z "${since[$pid]-}" ] || unset "since[$pid]"
			elif [ -z "${since[$pid]-}" ]; then
				since[$pid]=$SECONDS
			elif [ $((SECONDS - since[$pid])) -gt "$HUNG" ]; then
				{ echo "${line%)*}) is stuck"; cat "/proc/$pid/stack"; } >>"$TAP_DIR/stuck"
				unset "since[$pid]"
			fi
		done 2>/dev/null
	done
}

# ---- before and after

loaded() { grep -q "^$MODULE " /proc/modules; }

# memory: kilobytes in use that a leak would show in.
memory()
{
	tidy_memory
	awk '/^(SUnreclaim|Percpu|KernelStack|PageTables|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}
# What it does not show in: pages that nobody but their user counts, such as those of rings and of packets. What processors keep to themselves is free.
free_memory() { awk '$1 == "MemFree:" { kb += $2 } $1 == "count:" { kb += 4 * $2 } END { print kb }' /proc/meminfo /proc/zoneinfo; }
slabs() { awk 'NR > 2 { print $1, int($2 * $4 / 1024) }' /proc/slabinfo; }

# tidy_memory: caches are dropped, and slabs give back what is free of them.
tidy_memory()
{
	local cache

	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*; do
		# A link to it is another name of the same.
		[ -L "$cache" ] || echo 1 >"$cache/shrink"
	done
} 2>/dev/null

# begin_storm NAME: mark the kernel log and start the watch.
begin_storm()
{
	STORM=$1
	# Alone it decides the same as among others.
	RANDOM=$((SEED & 32767))
	TIMES=$TAP_DIR/times.main
	rm -f "$TAP_DIR"/times.* "$TAP_DIR/hung" "$TAP_DIR/stuck"
	: >"$TIMES"
	echo "rox storm $1, seed $SEED" >/dev/kmsg
	load || bail "cannot load $MODULE"
	watch_tasks &
	WATCH=$!
}

# log_since: the kernel log of this storm.
log_since() { dmesg | awk -v mark="rox storm $STORM, seed $SEED" 'index($0, mark) { n = NR } { line[NR] = $0 } END { for (i = n; i <= NR; i++) print line[i] }'; }

# baseline: what memory() is compared with; call with the module not loaded.
baseline()
{
	MEMORY_BEFORE=$(memory)
	FREE_BEFORE=$(free_memory)
	slabs >"$TAP_DIR/slabs"
}

# What a namespace leaves goes later. Free memory is anybody's. KASAN keeps some of what was freed from being used again, and that counts as used: what looking
# at it takes is megabytes. There kmemleak finds leaks, object by object.
ALLOWANCE=$((6 * 1024))
FREE_ALLOWANCE=$(((PATIENCE > 1 ? 128 : 16) * 1024))
SLAB_ALLOWANCE=$((PATIENCE > 1 ? 32 * 1024 : 256))
is_back()
{
	MEMORY_AFTER=$(memory) FREE_AFTER=$(free_memory)
	[ $((MEMORY_AFTER - MEMORY_BEFORE)) -le $ALLOWANCE ] && [ $((FREE_BEFORE - FREE_AFTER)) -le $FREE_ALLOWANCE ] && [ -z "$(grown_slabs $SLAB_ALLOWANCE)" ]
}

# grown_slabs KB: the caches that have grown by more. Those of files and tasks are filled by whoever looks at /proc, the watch of this script first.
grown_slabs()
{
	slabs | awk -v before="$TAP_DIR/slabs" -v most="$1" 'BEGIN { while ((getline line <before) > 0) { split(line, f); kb[f[1]] = f[2] } }
		function room(cache) { return cache ~ /inode_cache$|^dentry$|^kernfs|^task_struct$|^sighand_cache$|^vm_area/ ? 8 * most : most }
		$2 - kb[$1] > room($1) { print $2 - kb[$1], "kB more in", $1 }' | sort -rn | head
}

# end_storm: nothing hangs, nothing is left, the log is clean.
end_storm()
{
	local grown

	times "$TAP_DIR"/times.*
	[ ! -e "$TAP_DIR/hung" ]
	verdict $? "$STORM: each command returned within $HUNG s" "$(cat "$TAP_DIR/hung" 2>/dev/null)"
	bounded "$LIMIT" modprobe -r "$MODULE"
	verdict $? "$STORM: the module unloads ($TOOK ms)" "$REPLY $(lsmod | head -n 5)"
	{ kill $WATCH && wait $WATCH; } 2>/dev/null
	[ ! -e "$TAP_DIR/stuck" ]
	verdict $? "$STORM: no task was stuck" "$(head -n 40 "$TAP_DIR/stuck" 2>/dev/null)"
	until_true "$LIMIT" is_back
	[ $((MEMORY_AFTER - MEMORY_BEFORE)) -le $ALLOWANCE ]
	verdict $? "$STORM: memory of the kernel is back" "$(grown_slabs 64)"
	[ $((FREE_BEFORE - FREE_AFTER)) -le $FREE_ALLOWANCE ]
	verdict $? "$STORM: free memory is back" "$((FREE_BEFORE - FREE_AFTER)) kB less, $FREE_ALLOWANCE kB may be
$(cat /proc/meminfo)"
	grown=$(grown_slabs $SLAB_ALLOWANCE)
	[ -z "$grown" ]
	verdict $? "$STORM: no cache of slabs has grown" "$grown"
	echo "# memory a leak would show in: $MEMORY_BEFORE kB before, $MEMORY_AFTER kB after; free: $FREE_BEFORE kB before, $FREE_AFTER kB after"
	[ -z "$(grown_slabs 32)" ] || echo "# grown: $(grown_slabs 32 | tr '\n' ';')"
	log_since >"$TAP_DIR/log"
	"$LOGSCAN" "$TAP_DIR/log" >"$TAP_DIR/faults"
	verdict $? "$STORM: no fault in the kernel log" "$(head -n 60 "$TAP_DIR/faults")"
}

# crew WHAT SECONDS COMMAND...: a program with a crew, as a result; it ends by itself. What it says is shown as it says it. Others come first: an emulated
# processor has enough to do with it alone.
crew()
{
	local what=$1 seconds=$2 status

	shift 2
	# shellcheck disable=SC2016 # for the inner shell
	bounded $((seconds + 4 * LIMIT)) nice -n "${CREW_NICE-10}" \
		bash -o pipefail -c '"$@" 2>&1 | while IFS= read -r line; do echo "$line"; echo "$line" >&3; done' - "$@" 3>&1
	status=$?
	verdict $status "$what" "$REPLY
exit status $status"
}

# ---- where it happens

# piece NETDEV NS ADDRESS MAKE...: a netdev and a device on it, named x_NETDEV, as far as they are missing.
piece()
{
	local netdev=$1 ns=$2 address=$3 at=() inside=()

	shift 3
	[ "$ns" = - ] || { at=(-n "$ns"); inside=(ip netns exec "$ns"); }
	ip "${at[@]}" link show "$netdev" >/dev/null 2>&1 || "$@"
	ip "${at[@]}" link set "$netdev" up
	ip "${at[@]}" address replace "$address/24" dev "$netdev"
	[ -e "/sys/class/infiniband/x_$netdev" ] ||
		timed link_add "${inside[@]}" rdma link add "x_$netdev" type "$LINK_TYPE" netdev "$netdev"
} 2>/dev/null

make_namespaces()
{
	[ -e /run/netns/rs-a ] || { ip netns add rs-a && ip -n rs-a link set lo up; }
	[ -e /run/netns/rs-b ] || { ip netns add rs-b && ip -n rs-b link set lo up; }
}
make_veth() { ip -n rs-a link add rsa mtu 4500 type veth peer name rsb netns rs-b; }

# make_wire: a device whose messages to itself are packets, too: by default they are copied.
make_wire()
{
	piece rsw - 10.8.5.1 ip link add rsw mtu 4500 type dummy
	[ "$LINK_TYPE" != rox ] || [ "$(cat /sys/class/infiniband/x_rsw/local)" = wire ] || echo wire >/sys/class/infiniband/x_rsw/local
} 2>/dev/null

# make_field: a device on a dummy, one that makes packets, and two on the ends of a veth in two namespaces.
make_field()
{
	make_namespaces
	piece rs0 - 10.8.0.1 ip link add rs0 mtu 9000 type dummy
	make_wire
	piece rsa rs-a 10.8.1.1 make_veth
	piece rsb rs-b 10.8.1.2 true
	until_true "$LIMIT" gid_of x_rsb 10.8.1.2 && until_true "$LIMIT" gid_of x_rsa 10.8.1.1 && until_true "$LIMIT" gid_of x_rs0 10.8.0.1 &&
		until_true "$LIMIT" gid_of x_rsw 10.8.5.1
}

# clear_field: everything that a storm may have made.
no_links() { [ -z "$(ls /sys/class/infiniband 2>/dev/null)" ]; }
clear_field()
{
	local netdev ns device

	for ns in rs-a rs-b; do [ ! -e /run/netns/$ns ] || timed namespace_delete ip netns del $ns; done
	for netdev in rsv rso rs0 rs1 rsd rsw; do [ ! -e /sys/class/net/$netdev ] || timed netdev_delete ip link del $netdev; done
	for device in /sys/class/infiniband/x_*; do
		[ ! -e "$device" ] || timed link_delete rdma link delete "${device##*/}"
	done
	until_true "$LIMIT" no_links || not_ok "${STORM-}: every device is gone" "$(rdma link show)"
}
at_exit clear_field
