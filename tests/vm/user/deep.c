// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints a file like cat, but reads it at a call depth of CALLS, for tests/bench/probe:
 *
 * 	deep CALLS FILE
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline, noclone)) ssize_t
read_below(int calls, int fd, char *text, size_t len)
{
	ssize_t got = calls > 1 ? read_below(calls - 1, fd, text, len) : read(fd, text, len);

	__asm__ volatile("" : "+r"(got));	/* keeps the recursion from becoming a loop */
	return got;
}

int main(int argc, char **argv)
{
	char text[4096];
	ssize_t got;
	int fd;

	if (argc != 3)
		return 2;
	fd = open(argv[2], O_RDONLY);
	if (fd < 0)
		return 1;
	while ((got = read_below(atoi(argv[1]), fd, text, sizeof(text))) > 0) {
		if (write(STDOUT_FILENO, text, got) != got)
			return 1;
	}
	return got < 0;
}
