// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "cover.h"
#include "raw.h"

/* Of one step, in unsigned longs. */
#define TRACE_ENTRIES (1 << 18)

static int kcov = -1;
static unsigned long *trace;

static bool read_hex(const char *path, uint64_t *value)
{
	FILE *file = fopen(path, "r");
	bool good = file && fscanf(file, "%lx", value) == 1;

	if (file)
		fclose(file);
	return good && *value;
}

/* Its size: as /proc/modules has it, which is all of the module, so more. */
static uint64_t module_bytes(void)
{
	unsigned long bytes = 0;
	char line[512];
	FILE *file;

	file = fopen("/proc/modules", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "rox %lu", &bytes) == 1)
			break;
	if (file)
		fclose(file);
	return bytes;
}

struct corpus *cover_corpus(void)
{
	struct corpus *corpus;

	corpus = mmap(NULL, sizeof(*corpus), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (corpus == MAP_FAILED ||
	    !read_hex("/sys/module/rox/sections/.text", &corpus->text))
		return NULL;
	corpus->text_bytes = module_bytes();
	if (corpus->text_bytes > sizeof(corpus->seen))
		corpus->text_bytes = sizeof(corpus->seen);
	return cover_open() ? corpus : NULL;
}

/* Each process has its own. */
bool cover_open(void)
{
	kcov = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (kcov < 0 || ioctl(kcov, KCOV_INIT_TRACE, TRACE_ENTRIES))
		return false;
	trace = mmap(NULL, TRACE_ENTRIES * sizeof(*trace), PROT_READ | PROT_WRITE,
		     MAP_SHARED, kcov, 0);
	return trace != MAP_FAILED;
}

bool cover_enable(void)
{
	return !ioctl(kcov, KCOV_ENABLE, KCOV_TRACE_PC);
}

static struct step random_step(uint64_t *seed)
{
	return (struct step){ below(seed, 4), rnd(seed) | 1 };
}

static void mutate(uint64_t *seed, struct program *program)
{
	uint32_t at = program->nr ? below(seed, program->nr) : 0;

	switch (below(seed, 4)) {
	case 0:
		if (program->nr < MAX_STEPS)
			program->steps[program->nr++] = random_step(seed);
		break;
	case 1:
		if (program->nr > 1)
			program->steps[at] = program->steps[--program->nr];
		break;
	case 2:
		program->steps[at].seed = rnd(seed) | 1;
		break;
	default:
		program->steps[at] = random_step(seed);
	}
}

/* A new one, or one that is kept with some changes, or two of those in a row. */
void cover_pick(const struct corpus *corpus, uint64_t *seed, struct program *program)
{
	uint32_t known = __atomic_load_n(&corpus->nr, __ATOMIC_RELAXED), i, changes = 1 + below(seed, 4);
	const struct program *second;

	/* For a moment it is one more than there are. */
	if (known > MAX_KEPT)
		known = MAX_KEPT;
	if (!known || one_in(seed, 6)) {
		program->nr = 1 + below(seed, MAX_STEPS);
		for (i = 0; i < program->nr; i++)
			program->steps[i] = random_step(seed);
		return;
	}
	*program = corpus->programs[below(seed, known)];
	second = &corpus->programs[below(seed, known)];
	if (one_in(seed, 3))
		for (i = 0; i < second->nr && program->nr < MAX_STEPS; i++)
			program->steps[program->nr++] = second->steps[i];
	while (changes--)
		mutate(seed, program);
}

void cover_begin(void)
{
	__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
}

uint32_t cover_end(struct corpus *corpus)
{
	unsigned long i, nr = __atomic_load_n(&trace[0], __ATOMIC_RELAXED);
	uint32_t fresh = 0;

	for (i = 1; i <= nr && i < TRACE_ENTRIES; i++) {
		uint64_t at = trace[i] - corpus->text;

		if (at >= corpus->text_bytes || corpus->seen[at])
			continue;
		corpus->seen[at] = 1;
		fresh++;
	}
	__atomic_add_fetch(&corpus->points, fresh, __ATOMIC_RELAXED);
	__atomic_add_fetch(&corpus->runs, 1, __ATOMIC_RELAXED);
	return fresh;
}

void cover_keep(struct corpus *corpus, const struct program *program)
{
	uint32_t at = __atomic_fetch_add(&corpus->nr, 1, __ATOMIC_RELAXED);

	if (at < MAX_KEPT)
		corpus->programs[at] = *program;
	else
		__atomic_store_n(&corpus->nr, MAX_KEPT, __ATOMIC_RELAXED);
}

void cover_write(const struct corpus *corpus, const char *path)
{
	FILE *file = fopen(path, "w");
	uint64_t at;

	if (!file)
		return;
	for (at = 0; at < corpus->text_bytes; at++)
		if (corpus->seen[at])
			fprintf(file, "%#llx\n", (unsigned long long)at);
	fclose(file);
}
