// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tells count.c, outside of the guest, from when on instructions are to be counted, and
 * until when.
 *
 *   rox-mark begin|end
 */
#include <stdio.h>
#include <string.h>

#include "mark.h"

#define NOP(what)	__asm__ volatile(".byte %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7" :: OPERANDS(MARK_BYTES(what)))
#define OPERANDS(...)	OPERANDS_(__VA_ARGS__)
#define OPERANDS_(a, b, c, d, e, f, g, h) \
	"i"(a), "i"(b), "i"(c), "i"(d), "i"(e), "i"(f), "i"(g), "i"(h)

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "begin")) {
		NOP(MARK_BEGIN);
	} else if (argc == 2 && !strcmp(argv[1], "end")) {
		NOP(MARK_END);
	} else {
		fprintf(stderr, "usage: rox-mark begin|end\n");
		return 2;
	}
	return 0;
}
