// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stay SECONDS: stays in the kernel for SECONDS without sleeping, in reads of /dev/urandom that
 * take seconds each. It may be preempted, but only sleep and user mode are quiescent states for RCU
 * tasks. Prints "staying" first; SIGALRM ends it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES	(2UL << 20)	/* one buffer for all parts of a read, 2 GiB altogether */
#define PARTS	1023

static void die(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	static struct iovec parts[PARTS];
	static char memory[BYTES];
	int random = open("/dev/urandom", O_RDONLY);
	unsigned int seconds = argc == 2 ? atoi(argv[1]) : 0;
	int i;

	if (random < 0 || !seconds)
		die(random < 0 ? "/dev/urandom" : "stay SECONDS");
	for (i = 0; i < PARTS; i++)
		parts[i] = (struct iovec){ memory, BYTES };
	alarm(seconds);
	puts("staying");
	fflush(stdout);
	while (readv(random, parts, PARTS) > 0)
		;
	die("readv");
}
