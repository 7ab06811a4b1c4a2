# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Size budgets of the C sources (see Documentation/testing.rst): lines a file,
# lines a function, depth of indent, parameters. Prints one line for each excess.
FNR == 1 {
	finish_file()
	name = FILENAME
	lines = 0
	start = 0
	sig = ""
}
{ lines = FNR }
/^{/ {
	start = FNR
	nr_funcs++
}
/^}/ && start {
	len = FNR - start - 1
	lengths[++n] = len
	if (len > 80)
		excess(start, "function of " len " lines (80)")
	start = 0
}
start && match($0, /^\t+/) && RLENGTH > 5 && $0 !~ /^\t+[^\t ].*[,(]$/ {
	if (prev_indent <= RLENGTH - 1 && $0 ~ /(if|for|while|switch|do) ?[({]/)
		excess(FNR, "block " RLENGTH - 1 " levels deep (4)")
}
{ prev_indent = match($0, /^\t+/) ? RLENGTH : 0 }
function excess(line, what) { printf "%s:%d: %s\n", name, line, what; bad++ }
function finish_file() {
	if (name != "" && lines > 700 && name !~ /opcode\.c$/)
		excess(1, "file of " lines " lines (700)")
}
END {
	finish_file()
	m = asort_values()
	if (n) {
		med = lengths[int((n + 1) / 2)]
		p90 = lengths[int((n * 9 + 9) / 10)]
		printf "# %d functions, median %d lines (15), 90 %% at most %d (50)\n", n, med, p90
		if (med > 15)
			excess(0, "median function is " med " lines (15)")
		if (p90 > 50)
			excess(0, "90th percentile of functions is " p90 " lines (50)")
	}
	exit bad ? 1 : 0
}
# insertion into buckets keeps this portable to mawk
function asort_values(	i, k, c) {
	for (i = 1; i <= n; i++)
		bucket[lengths[i]]++
	k = 0
	for (i = 0; i <= 2000; i++)
		for (c = 0; c < bucket[i]; c++)
			lengths[++k] = i
	return k
}
