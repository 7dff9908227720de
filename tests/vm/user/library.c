// SPDX-License-Identifier: GPL-2.0-or-later
/* A library with one function, called NAME: compiled with two names, it has the same size. */
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"

void NAME(kernel_caller *call);

void NAME(kernel_caller *call)
{
	int pair[2];

	call(SYS_pipe2, (long)pair, 0, 0, 0);
	close(pair[0]);
	close(pair[1]);
	__asm__ volatile("");
}
