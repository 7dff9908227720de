// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that map files as executable, all at the same time and as fast as they can, for
 * tests/vm/guest/realtime:
 *
 * 	maps PROCESSES ROUNDS FILE...
 *
 * Each process maps and unmaps each file in each round. The exit status is 0 if all calls
 * succeeded.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH 4096

static int map_all(char **files)
{
	for (; *files; files++) {
		int fd = open(*files, O_RDONLY);
		void *start = mmap(NULL, LENGTH, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (fd < 0 || start == MAP_FAILED)
			return 1;
		munmap(start, LENGTH);
		close(fd);
	}
	return 0;
}

static int map_often(int rounds, char **files)
{
	int failed = 0;

	while (rounds-- && !failed)
		failed = map_all(files);
	return failed;
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc < 4)
		return 2;
	for (int i = 0; i < atoi(argv[1]); i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(map_often(atoi(argv[2]), argv + 3));
		failed |= pid < 0;
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
