// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads, runs and removes BPF programs whose code has the kernel allocate memory. Reads one command
 * a line from standard input, and prints "done" after each:
 *
 * 	load NAME		at most 8 programs
 * 	run NAME COUNT		each run allocates at least once
 * 	remove NAME
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROGRAMS	8
#define CHANGE_TAIL	38	/* BPF_FUNC_skb_change_tail */
#define PACKET_BYTES	64
#define GROWN_BYTES	2000	/* more than the packet has room for */

static struct {
	char name[BPF_OBJ_NAME_LEN];
	int fd;
} programs[PROGRAMS];

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(__NR_bpf, command, attr, sizeof(*attr));
}

/* Calls skb_change_tail(skb, GROWN_BYTES, 0). */
static int load(const char *name)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = GROWN_BYTES },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3 },
		{ .code = BPF_JMP | BPF_CALL, .imm = CHANGE_TAIL },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SCHED_CLS,
		.insn_cnt = sizeof(code) / sizeof(*code),
		.insns = (__u64)(unsigned long)code,
		.license = (__u64)(unsigned long)"GPL",
	};

	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return bpf(BPF_PROG_LOAD, &attr);
}

static int run(int fd, int count)
{
	static char packet[PACKET_BYTES];

	for (int i = 0; i < count; i++) {
		union bpf_attr attr = { .test = {
			.prog_fd = fd,
			.data_in = (__u64)(unsigned long)packet,
			.data_size_in = sizeof(packet),
		} };

		if (bpf(BPF_PROG_TEST_RUN, &attr))
			return -1;
	}
	return 0;
}

/* Returns the number of the program, or of a free place for "". */
static int find(const char *name)
{
	for (int i = 0; i < PROGRAMS; i++) {
		if (!strcmp(programs[i].name, name))
			return i;
	}
	fprintf(stderr, "bpf-code: no program '%s'\n", name);
	exit(1);
}

static int execute(const char *command, const char *name, int count)
{
	int i = find(strcmp(command, "load") ? name : "");

	if (!strcmp(command, "run"))
		return run(programs[i].fd, count);
	if (!strcmp(command, "remove")) {
		programs[i].name[0] = 0;
		return close(programs[i].fd);
	}
	programs[i].fd = load(name);
	if (programs[i].fd >= 0)
		snprintf(programs[i].name, sizeof(programs[i].name), "%s", name);
	return programs[i].fd;
}

int main(void)
{
	char line[128], command[16], name[16];

	while (fgets(line, sizeof(line), stdin)) {
		int count = 0;

		if (sscanf(line, "%15s %15s %d", command, name, &count) < 2)
			return 2;
		if (execute(command, name, count) < 0) {
			fprintf(stderr, "bpf-code: %s %s: %s\n", command, name, strerror(errno));
			return 1;
		}
		puts("done");
		fflush(stdout);
	}
	return 0;
}
