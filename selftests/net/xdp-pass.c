// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A program of XDP on a netdev, in its generic form, that lets everything pass.
 * Before it the stack makes one piece of what is a list of packets.
 *
 *   xdp-pass NETDEV
 *
 * Says "attached", and goes with the process. Exit status 4: the kernel has no BPF.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KSFT_SKIP	4

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* return XDP_PASS; */
static int load(void)
{
	static const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {};

	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.expected_attach_type = BPF_XDP;
	attr.insns = (uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(int program, const char *netdev)
{
	union bpf_attr attr = {};

	attr.link_create.prog_fd = program;
	attr.link_create.target_ifindex = if_nametoindex(netdev);
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_SKB_MODE;
	return bpf(BPF_LINK_CREATE, &attr);
}

int main(int argc, char **argv)
{
	int program;

	if (argc != 2) {
		fprintf(stderr, "usage: xdp-pass NETDEV\n");
		return 2;
	}
	program = load();
	if (program < 0 && errno == ENOSYS)
		return KSFT_SKIP;
	if (program < 0 || attach(program, argv[1]) < 0) {
		perror(argv[1]);
		return 1;
	}
	printf("attached\n");
	fflush(stdout);
	pause();
	return 0;
}
