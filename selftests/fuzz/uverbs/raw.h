/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Uverbs commands as bytes: nothing between the program and the kernel. */
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/rox-abi.h>

/* A command of the write() interface, its parts as long as one likes. */
struct raw_cmd {
	uint32_t command;
	const void *core;	/* begins with the response pointer, if it has one */
	size_t core_bytes;
	const void *driver;
	size_t driver_bytes;
	void *resp;
	size_t resp_bytes;
	size_t core_resp_bytes;	/* of them, for the core; 0: as it comes */
};

/* 0 or a negative errno. By write(), or wrapped into an ioctl. */
int raw_write(int fd, const struct raw_cmd *cmd);
int raw_invoke(int fd, const struct raw_cmd *cmd);
/* Handles come back in @attrs. */
int raw_ioctl(int fd, uint16_t object, uint16_t method,
	      struct ib_uverbs_attr *attrs, unsigned int nr);
int raw_kick(int fd, uint32_t qpn);
int raw_help(int fd, uint32_t number);
int raw_open(const char *device);

/* xorshift: each thread has its own state. */
uint64_t rnd(uint64_t *state);
static inline uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(rnd(state) >> 16) % n;
}

static inline bool one_in(uint64_t *state, uint32_t n)
{
	return !below(state, n);
}

/* Numbers that arithmetic goes wrong at. */
uint64_t edge(uint64_t *state);

#endif
