# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Turns what gcov -n says into one line for each .c file of kernel/proto, and a
# result: at least least % of all lines were executed.

/^File / {
	n = split(substr($0, 7, length($0) - 7), part, "/")
	file = part[n - 1] == "proto" && part[n] ~ /\.c$/ ? part[n] : ""
}

/^Lines executed:/ && file {
	split($2, figure, /[:%]/)
	printf "# %-16s %6s %% of %4d lines\n", file, figure[2], $4
	hit += figure[2] * $4 / 100
	all += $4
	file = ""
}

END {
	covered = all ? 100 * hit / all : 0
	printf "%s 1 %.2f %% of %d lines are covered, at least %d %% should be\n",
		covered < least ? "not ok" : "ok", covered, all, least
	exit covered < least
}
