// SPDX-License-Identifier: GPL-2.0-or-later
/* many-stacks COUNT: allocates in the kernel COUNT times, with a stack of random addresses. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH 14

struct frame {
	struct frame *next;
	uintptr_t addr;
};

/* eventfd2(0, 0) with @frames as the callers. */
static long call_from(const struct frame *frames)
{
#ifdef __aarch64__
	register long number __asm__("x8") = SYS_eventfd2;
	register long ret __asm__("x0") = 0;
	register long flags __asm__("x1") = 0;

	__asm__ volatile("mov x9, x29\n\tmov x29, %[frames]\n\tsvc 0\n\tmov x29, x9"
			 : "+r"(ret)
			 : "r"(number), "r"(flags), [frames] "r"(frames)
			 : "x9", "memory");
#else
	long ret;

	__asm__ volatile("push %%rbp\n\tmov %[frames], %%rbp\n\tsyscall\n\tpop %%rbp"
			 : "=a"(ret)
			 : "0"(SYS_eventfd2), "D"(0), "S"(0), [frames] "r"(frames)
			 : "rcx", "r11", "memory");
#endif
	return ret;
}

int main(int argc, char **argv)
{
	struct frame frames[DEPTH + 1] = { { 0 } };
	uint64_t random = 0x9e3779b97f4a7c15;

	if (argc != 2)
		errx(1, "usage: many-stacks COUNT");
	for (long i = atol(argv[1]); i; i--) {
		long fd;

		for (int k = 0; k < DEPTH; k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			frames[k].next = &frames[k + 1];
			frames[k].addr = 0x10000 + (random & 0x7fffffffff);
		}
		fd = call_from(frames);
		if (fd < 0)
			errx(1, "eventfd");
		close(fd);
	}
	return 0;
}
