# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Test results in TAP, as the kernel's selftests print them. Source this first.

TAP_NR=0 TAP_FAILED=0 TAP_SKIPPED=0
KSFT_SKIP=4

# PATIENCE: how many times longer everything may take than on a kernel as distributions build it. One that looks for faults, which lockdep or KCSAN tell,
# takes ten times as long.
if [ -z "${PATIENCE-}" ]; then
	PATIENCE=1
	[ ! -e /proc/lockdep_stats ] && [ ! -e /sys/kernel/debug/kcsan ] || PATIENCE=10
fi
export PATIENCE

echo "TAP version 13"

# comment: standard input as diagnostics.
comment() { sed 's/^/# /'; }

ok() { echo "ok $((++TAP_NR)) $*"; }

# not_ok WHAT [WHY]: WHY may be many lines.
not_ok()
{
	echo "not ok $((++TAP_NR)) $1"
	TAP_FAILED=$((TAP_FAILED + 1))
	[ -z "${2-}" ] || comment <<<"$2"
}

skip()
{
	echo "ok $((++TAP_NR)) $1 # SKIP $2"
	TAP_SKIPPED=$((TAP_SKIPPED + 1))
}

# verdict STATUS WHAT [WHY]: ok when STATUS is 0.
verdict() { if [ "$1" = 0 ]; then ok "$2"; else not_ok "$2" "${3-}"; fi; }

# relay LOG STATUS: the results that a program wrote into LOG, as ours. What it says before one that failed is why. It must have come to its plan: one
# that died on the way is a failure, however many results were good until then.
relay()
{
	local line why='' nr=0 plan=none

	while IFS= read -r line; do
		case $line in
		"ok "*" # SKIP "*) line=${line#ok * }; skip "${line%% # SKIP*}" "${line#*# SKIP }"; why='' nr=$((nr + 1)) ;;
		"ok "*) ok "${line#ok * }"; why='' nr=$((nr + 1)) ;;
		"not ok "*) not_ok "${line#not ok * }" "${why%$'\n'}"; why='' nr=$((nr + 1)) ;;
		"1.."*) plan=${line#1..} ;;
		"TAP version "* | "# Totals: "*) ;;
		"# "*) echo "$line"; why+=${line#\# }$'\n' ;;
		*) why+=$line$'\n' ;;
		esac
	done <"$1"
	# 0 or 1 is what it says itself.
	if [ "$plan" != $nr ] || [ $nr = 0 ] || [ "$2" -gt 1 ]; then
		not_ok "it came to its end" "status $2, $nr results, planned: $plan; the last it said: $(tail -n 5 "$1")"
	fi
}

# bounded SECONDS COMMAND...: COMMAND, a function or a program, ended when it takes PATIENCE times longer (status 124). Its output goes to $REPLY, and how
# long it took to $TOOK, in milliseconds.
bounded()
{
	local seconds=$(($1 * PATIENCE)) start=${EPOCHREALTIME/./} status

	shift
	REPLY=
	if [ "$(type -t "$1")" = function ]; then
		bounded_function "$seconds" "$@"
		status=$?
	else
		timeout -k 2 "$seconds" "$@" >"$TAP_DIR/bounded" 2>&1
		status=$?
	fi
	# shellcheck disable=SC2034 # for the caller
	TOOK=$(((${EPOCHREALTIME/./} - start) / 1000))
	REPLY=$(<"$TAP_DIR/bounded")
	return $status
}

TAP_GROUP=
# bounded_function SECONDS FUNCTION...: in a process group of its own, so that what it started ends with it when it is late. (What timeout started in it has
# another one and ends by itself.)
bounded_function()
{
	local seconds=$1 status watch

	shift
	set -m
	"$@" >"$TAP_DIR/bounded" 2>&1 </dev/null &
	TAP_GROUP=$!
	set +m
	# Waits without a process of its own, which would outlive it.
	{ read -rt "$seconds" -u "$TAP_TICK" _ || { : >"$TAP_DIR/late" && kill -9 -- "-$TAP_GROUP"; }; } 2>/dev/null &
	watch=$!
	wait "$TAP_GROUP" 2>/dev/null
	status=$?
	TAP_GROUP=
	kill -9 "$watch" 2>/dev/null # no other signal: it may have this shell's traps yet, and take what they interrupt for its time
	wait "$watch" 2>/dev/null
	[ ! -e "$TAP_DIR/late" ] || { rm -f "$TAP_DIR/late"; status=124; }
	return $status
}

# check WHAT SECONDS COMMAND...: one result.
check()
{
	local what=$1 status

	shift
	bounded "$@"
	status=$?
	verdict $status "$what" "${*:2}: exit status $status
$REPLY"
	return $status
}

# check_fails WHAT SECONDS PATTERN COMMAND...: COMMAND must fail by itself and say PATTERN, an extended regular expression.
check_fails()
{
	local what=$1 seconds=$2 pattern=$3 status

	shift 3
	bounded "$seconds" "$@"
	status=$?
	case $status in
	0 | 124 | 137) not_ok "$what" "$*: exit status $status, should have been refused
$REPLY" ;;
	*)
		grep -qE "$pattern" <<<"$REPLY"
		verdict $? "$what" "$*: should say '$pattern', says:
$REPLY"
		;;
	esac
}

# until_true SECONDS COMMAND...: COMMAND over and over until it succeeds.
until_true()
{
	local end=$((${EPOCHREALTIME/./} + $1 * PATIENCE * 1000000))

	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt $end ] || return 1
		tick
	done
	true
}

# tick: a short while, without a process.
tick() { read -rt 0.02 -u "$TAP_TICK" _ || :; }

TAP_CLEANUP=()
# at_exit COMMAND: run at the end, whatever happens, the latest first.
at_exit() { TAP_CLEANUP+=("$1"); }

tap_exit()
{
	local status=$? i

	# A process this shell has just started still has its traps for a moment; a signal may come then.
	[ "$BASHPID" = $$ ] || exit $status
	trap - EXIT
	[ -z "$TAP_GROUP" ] || kill -9 -- "-$TAP_GROUP" 2>/dev/null
	for ((i = ${#TAP_CLEANUP[@]} - 1; i >= 0; i--)); do
		eval "${TAP_CLEANUP[i]}" >/dev/null 2>&1
	done
	rm -rf "$TAP_DIR"
	exit $status
}

# finish: the plan and the exit status.
finish()
{
	echo "1..$TAP_NR"
	echo "# Totals: pass:$((TAP_NR - TAP_FAILED - TAP_SKIPPED)) fail:$TAP_FAILED skip:$TAP_SKIPPED in $SECONDS s"
	[ $TAP_FAILED -eq 0 ] || exit 1
	exit 0
}

# skip_all WHY: nothing here can run.
skip_all()
{
	echo "1..0 # SKIP $*"
	exit $KSFT_SKIP
}

# bail WHY: the test itself cannot go on.
bail()
{
	echo "Bail out! $*"
	exit 1
}

TAP_DIR=$(mktemp -d) || exit
mkfifo "$TAP_DIR/tick"
exec {TAP_TICK}<>"$TAP_DIR/tick"
trap tap_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
SECONDS=0
