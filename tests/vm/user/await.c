// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * await FILE: returns once FILE is not empty. A shell could wait with read -t without starting a
 * program, but bash 5.2 sets a random signal mask if the timeout expires before it begins to wait.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define INTERVAL_US 10000

int main(int argc, char **argv)
{
	struct stat file;

	if (argc != 2) {
		fputs("usage: await FILE\n", stderr);
		return 2;
	}
	while (stat(argv[1], &file) < 0 || !file.st_size)
		usleep(INTERVAL_US);
	return 0;
}
