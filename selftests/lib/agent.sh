# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Runs servers for pair() in rdma.sh, which may be in another namespace or on another machine. One request a line on standard input:
#
#	start READY SECONDS COMMAND...	answer "ready" once it serves, or "dead"; READY is tcp:PORT, cm:PORT or now
#	collect SECONDS			wait for it that long, kill it then; answer "STATUS LINES" and its output, LINES lines
#	run SECONDS COMMAND...		start and collect in one, for commands that end by themselves

dir=$(mktemp -d) || exit
trap 'kill -9 "${pid-}" 2>/dev/null; rm -rf "$dir"' EXIT
mkfifo "$dir/tick"
exec {tick}<>"$dir/tick"

# listens_tcp PORT: in the server's namespace.
listens_tcp()
{
	local port table line

	printf -v port ':%04X ' "$1"
	for table in tcp6 tcp; do
		[ -r "/proc/$pid/net/$table" ] || continue
		while read -r line; do
			[[ $line != *"$port"*" 0A "* ]] || return 0
		done <"/proc/$pid/net/$table"
	done
	return 1
}

listens_cm() { rdma resource show cm_id 2>/dev/null | grep -q "LISTEN .*:$1 "; }

ready()
{
	case $1 in
	tcp:*) listens_tcp "${1#tcp:}" ;;
	cm:*) listens_cm "${1#cm:}" ;;
	*) true ;;
	esac
}

start()
{
	local condition=$1 seconds=$2 end

	shift 2
	timeout -k 2 "$seconds" "$@" >"$dir/log" 2>&1 </dev/null &
	pid=$!
	end=$((SECONDS + 40 * PATIENCE))
	until ready "$condition"; do
		kill -0 "$pid" 2>/dev/null && [ $SECONDS -lt $end ] || return
		read -rt 0.02 -u "$tick" _
	done
	true
}

collect()
{
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000)) status

	while kill -0 "$pid" 2>/dev/null; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] || { kill "$pid"; break; }
		read -rt 0.02 -u "$tick" _
	done
	wait "$pid"
	status=$?
	echo "$status $(wc -l <"$dir/log")"
	cat "$dir/log"
}

while read -ra request; do
	set -- "${request[@]}"
	case ${1-} in
	start) if start "${@:2}"; then echo ready; else echo dead; fi ;;
	collect) collect "$2" ;;
	run) start now "${@:2}"; collect "$2" ;;
	esac
done
