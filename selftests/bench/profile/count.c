// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A plugin of QEMU that counts which instructions a guest executes, between the two
 * marks of mark.h. Blocks of instructions are counted where they begin, whoever runs
 * them; so it is exact, and the same again.
 *
 *   -plugin count.so,out=FILE	one "ADDRESS INSTRUCTIONS" a line, in hexadecimal and
 *				decimal; an address may come more than once
 *
 * The interface of QEMU (include/plugins/qemu-plugin.h there) as far as it is used:
 * Debian does not package the header.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*block_made_fn)(struct qemu_plugin_tb *tb, void *data);
typedef void (*executed_fn)(unsigned int cpu, void *data);
typedef void (*end_fn)(void *data);

extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, block_made_fn fn, void *data);
extern void qemu_plugin_register_atexit_cb(uint64_t id, end_fn fn, void *data);
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, executed_fn fn,
						 int flags, void *data);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
						   executed_fn fn, int flags, void *data);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
							 size_t n);
extern size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to,
				    size_t bytes);

/* Of the interface; QEMU 11.1 takes no older one. */
int qemu_plugin_version = 7;

struct block {
	struct block *next;
	uint64_t address, instructions, times;
};

static struct block *blocks;
static const char *path;
static bool counting;

static void block_ran(unsigned int cpu, void *data)
{
	struct block *block = data;

	(void)cpu;
	block->times += counting;
}

static void mark_ran(unsigned int cpu, void *data)
{
	(void)cpu;
	counting = data;
}

static void watch_for_marks(struct qemu_plugin_insn *insn)
{
	uint8_t bytes[16], begin[] = { MARK_BYTES(MARK_BEGIN) }, end[] = { MARK_BYTES(MARK_END) };
	size_t n = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

	if (n != sizeof(begin))
		return;
	if (!memcmp(bytes, begin, n))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_ran, 0, &counting);
	else if (!memcmp(bytes, end, n))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_ran, 0, NULL);
}

static void block_made(struct qemu_plugin_tb *tb, void *data)
{
	struct block *block = calloc(1, sizeof(*block));
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	(void)data;
	if (!block)
		abort();
	block->address = qemu_plugin_tb_vaddr(tb);
	block->instructions = n;
	block->next = blocks;
	blocks = block;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_ran, 0, block);
	for (i = 0; i < n; i++)
		watch_for_marks(qemu_plugin_tb_get_insn(tb, i));
}

static void at_end(void *data)
{
	FILE *file = fopen(path, "w");
	struct block *block;

	(void)data;
	if (!file)
		return;
	for (block = blocks; block; block = block->next)
		if (block->times)
			fprintf(file, "%" PRIx64 " %" PRIu64 "\n", block->address,
				block->times * block->instructions);
	fclose(file);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "usage: count.so,out=FILE\n");
		return 1;
	}
	path = argv[0] + 4;
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_made, NULL);
	qemu_plugin_register_atexit_cb(id, at_end, NULL);
	return 0;
}
