# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Objects of every kind, from many threads at once: plainly, without privileges, and with next to no memory.

CGROUP=/sys/fs/cgroup/rox-storm

storm_churn()
{
	local third=$((($1 + 2) / 3))

	make_field || not_ok "churn: the devices have their GIDs" "$(rdma link show)"
	crew "churn: objects of every kind, from many threads" $third \
		storm-churn -s "$SEED" -t $third -w 3 -k $((300 * PATIENCE)) -l "$HUNG"
	chmod 666 /dev/infiniband/uverbs*
	crew "churn: with a memlock limit" $third storm-churn -o 0 -s "$SEED" -t $third -w 3 -l "$HUNG"
	churn_with_little_memory $third
	clear_field
}

# What is charged to the group is gone when its last process is.
uncharged() { [ "$(cat $CGROUP/memory.current)" -lt $((2 << 20)) ]; }

churn_with_little_memory()
{
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
	if ! mkdir -p $CGROUP 2>/dev/null || [ ! -e $CGROUP/memory.max ]; then
		skip "churn: with little memory" "no memory cgroup"
		return
	fi
	# What finds faults makes each object of the kernel larger.
	echo $((PATIENCE > 1 ? 11 : 8))M >$CGROUP/memory.max
	echo 0 >$CGROUP/memory.oom.group
	# shellcheck disable=SC2016 # inside
	crew "churn: with little memory" "$1" sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' $CGROUP storm-churn -n 6 -s "$SEED" -t "$1" -w 6 -l "$HUNG"
	echo "# $(tr '\n' ' ' <$CGROUP/memory.events)"
	grep -qE '^max [1-9]' $CGROUP/memory.events
	verdict $? "churn: the memory limit was felt" "$(cat $CGROUP/memory.events $CGROUP/memory.peak)"
	until_true "$LIMIT" uncharged
	verdict $? "churn: nothing stays charged to the group" "$(cat $CGROUP/memory.current $CGROUP/memory.stat)"
	rmdir $CGROUP
}
