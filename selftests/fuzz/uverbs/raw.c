// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "raw.h"

#define MAX_BYTES 4096

static size_t core_resp(const struct raw_cmd *cmd)
{
	if (cmd->core_resp_bytes)
		return cmd->core_resp_bytes;
	return cmd->resp_bytes < 32 ? cmd->resp_bytes : 32;
}

/* Counts in words of eight bytes, and says which of them are the driver's. */
static int write_extended(int fd, const struct raw_cmd *cmd)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		uint8_t buf[MAX_BYTES];
	} __attribute__((packed)) arg = { .hdr = { .command = cmd->command } };
	size_t bytes = sizeof(arg.hdr) + sizeof(arg.ex) + cmd->core_bytes + cmd->driver_bytes;

	if (cmd->core_bytes + cmd->driver_bytes > sizeof(arg.buf))
		return -E2BIG;
	arg.hdr.in_words = cmd->core_bytes / 8;
	arg.hdr.out_words = core_resp(cmd) / 8;
	arg.ex.response = (uintptr_t)cmd->resp;
	arg.ex.provider_in_words = cmd->driver_bytes / 8;
	arg.ex.provider_out_words = (cmd->resp_bytes - core_resp(cmd)) / 8;
	memcpy(arg.buf, cmd->core, cmd->core_bytes);
	if (cmd->driver_bytes)
		memcpy(arg.buf + cmd->core_bytes, cmd->driver, cmd->driver_bytes);
	return write(fd, &arg, bytes) < 0 ? -errno : 0;
}

int raw_write(int fd, const struct raw_cmd *cmd)
{
	struct ib_uverbs_cmd_hdr hdr = { .command = cmd->command };
	uint8_t buf[MAX_BYTES];
	uint64_t resp = (uintptr_t)cmd->resp;
	size_t bytes = sizeof(hdr) + cmd->core_bytes + cmd->driver_bytes;

	if (bytes > sizeof(buf))
		return -E2BIG;
	if (cmd->command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		return write_extended(fd, cmd);
	hdr.in_words = bytes / 4;
	hdr.out_words = cmd->resp_bytes / 4;
	memcpy(buf, &hdr, sizeof(hdr));
	memcpy(buf + sizeof(hdr), cmd->core, cmd->core_bytes);
	if (cmd->resp && cmd->core_bytes >= sizeof(resp))
		memcpy(buf + sizeof(hdr), &resp, sizeof(resp));
	if (cmd->driver_bytes)
		memcpy(buf + sizeof(hdr) + cmd->core_bytes, cmd->driver,
		       cmd->driver_bytes);
	return write(fd, buf, bytes) < 0 ? -errno : 0;
}

int raw_ioctl(int fd, uint16_t object, uint16_t method,
	      struct ib_uverbs_attr *attrs, unsigned int nr)
{
	int err;

	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[64];
	} arg = { .hdr = {
		.object_id = object,
		.method_id = method,
		.num_attrs = nr,
		.driver_id = ROX_DRIVER_ID,
	} };

	if (nr > 64)
		return -E2BIG;
	arg.hdr.length = sizeof(arg.hdr) + nr * sizeof(*attrs);
	memcpy(arg.attrs, attrs, nr * sizeof(*attrs));
	err = ioctl(fd, RDMA_VERBS_IOCTL, &arg) < 0 ? -errno : 0;
	memcpy(attrs, arg.attrs, nr * sizeof(*attrs));
	return err;
}

static struct ib_uverbs_attr attr_of(uint16_t id, const void *data, size_t bytes)
{
	struct ib_uverbs_attr attr = {
		.attr_id = id,
		.len = bytes,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = (uintptr_t)data,
	};

	/* What is short lies in the attribute itself. */
	if (bytes <= sizeof(attr.data)) {
		attr.data = 0;
		memcpy(&attr.data, data, bytes);
	}
	return attr;
}

/* As raw_write(), but answers come to two places. */
int raw_invoke(int fd, const struct raw_cmd *cmd)
{
	struct ib_uverbs_attr attrs[5];
	uint64_t command = cmd->command;
	size_t core = core_resp(cmd);
	unsigned int nr = 0;

	attrs[nr++] = attr_of(UVERBS_ATTR_CORE_IN, cmd->core, cmd->core_bytes);
	attrs[nr++] = attr_of(UVERBS_ATTR_WRITE_CMD, &command, sizeof(command));
	if (cmd->resp_bytes) {
		attrs[nr] = attr_of(UVERBS_ATTR_CORE_OUT, cmd->resp, 9);
		attrs[nr++].len = core;
	}
	if (cmd->driver_bytes)
		attrs[nr++] = attr_of(UVERBS_ATTR_UHW_IN, cmd->driver,
				      cmd->driver_bytes);
	if (cmd->resp_bytes > core) {
		attrs[nr] = attr_of(UVERBS_ATTR_UHW_OUT,
				    (uint8_t *)cmd->resp + core, 9);
		attrs[nr++].len = cmd->resp_bytes - core;
	}
	return raw_ioctl(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
			 attrs, nr);
}

int raw_kick(int fd, uint32_t qpn)
{
	struct ib_uverbs_attr attr = attr_of(ROX_ATTR_KICK_QPN, &qpn, sizeof(qpn));

	return raw_ioctl(fd, ROX_OBJECT_CONTEXT, ROX_METHOD_KICK, &attr, 1);
}

int raw_help(int fd, uint32_t number)
{
	struct ib_uverbs_attr attr = attr_of(ROX_ATTR_HELP_NUMBER, &number, sizeof(number));

	return raw_ioctl(fd, ROX_OBJECT_CONTEXT, ROX_METHOD_HELP, &attr, 1);
}

int raw_open(const char *device)
{
	char path[128], name[64];
	FILE *file;
	int i;

	for (i = 0; i < 64; i++) {
		snprintf(path, sizeof(path),
			 "/sys/class/infiniband_verbs/uverbs%d/ibdev", i);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%63s", name) != 1)
			name[0] = 0;
		fclose(file);
		if (strcmp(name, device))
			continue;
		snprintf(path, sizeof(path), "/dev/infiniband/uverbs%d", i);
		return open(path, O_RDWR | O_CLOEXEC);
	}
	errno = ENODEV;
	return -1;
}

uint64_t rnd(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

uint64_t edge(uint64_t *state)
{
	static const uint64_t bases[] = {
		0, 1, 2, 7, 8, 63, 64, 4095, 4096, 0xffff, 0x10000, 0xffffff,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffff, 0x800000000000, 0xffff888000000000,
		0xffffffff81000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xffffffffffffffff,
	};
	uint64_t value = bases[below(state, sizeof(bases) / sizeof(*bases))];

	switch (below(state, 4)) {
	case 0:
		return value + below(state, 9) - 4;
	case 1:
		return rnd(state) >> below(state, 64);
	default:
		return value;
	}
}
