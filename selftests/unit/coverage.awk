# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Turns what gcov -n says into one line for each .c file of kernel/proto.

/^File / {
	n = split(substr($0, 7, length($0) - 7), part, "/")
	file = part[n - 1] == "proto" && part[n] ~ /\.c$/ ? part[n] : ""
}

/^Lines executed:/ && file {
	split($2, figure, /[:%]/)
	printf "%-16s %6s %% of %4d lines\n", file, figure[2], $4
	hit += figure[2] * $4 / 100
	all += $4
	file = ""
}

END {
	printf "%-16s %6.2f %% of %4d lines\n", "all", 100 * hit / all, all
}
