/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Coverage as a guide: what a program does is a list of steps, each a kind and a
 * seed. A list that reaches code of the module that none reached before is kept,
 * and others are made from those by changing a few steps. Needs a kernel with
 * KCOV and a module built with it, as that of tools/vm/run --kernel debug is.
 */
#ifndef COVER_H
#define COVER_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_STEPS	24
#define MAX_KEPT	4096
#define MAX_POINTS	(1 << 16)

struct step {
	uint32_t kind;
	uint64_t seed;
};

struct program {
	uint32_t nr;
	struct step steps[MAX_STEPS];
};

/* Between all processes. */
struct corpus {
	uint64_t text, text_bytes;	/* of the module */
	uint32_t nr;			/* of programs kept */
	uint32_t points;		/* of code reached */
	uint64_t runs;
	uint8_t seen[MAX_POINTS * 16];	/* by offset in the text */
	struct program programs[MAX_KEPT];
};

/* Before privileges are dropped. NULL: no such kernel or module. */
struct corpus *cover_corpus(void);
bool cover_open(void);
/* By the thread that is to be watched. */
bool cover_enable(void);
void cover_pick(const struct corpus *corpus, uint64_t *seed, struct program *program);
void cover_begin(void);
/* The points reached since that nobody reached before. */
uint32_t cover_end(struct corpus *corpus);
void cover_keep(struct corpus *corpus, const struct program *program);
/* Offsets reached, one a line. */
void cover_write(const struct corpus *corpus, const char *path);

#endif
