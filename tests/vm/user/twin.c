// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One of two programs that differ in the name of a function alone: FUNCTION, of the same length in
 * both, lies at the same address, and the files have the same size. It makes sockets 20 times.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static __attribute__((noinline)) long call(long number, long a, long b, long c, void *d)
{
	register void *fourth __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return ret;
}

__attribute__((noinline)) int FUNCTION(void);

int FUNCTION(void)
{
	int ends[2];

	if (call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		if (FUNCTION())
			return 1;
	}
	return 0;
}
