// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stall FILE: reads FILE into memory whose page faults are not handled, so that the kernel waits
 * inside read(). Then it prints "stalled". When standard input ends, it provides the memory, and
 * prints how many bytes were read, or the error.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE	(16UL << 20)	/* bytes; the largest sub-buffer */

static char *memory;
static int file;
static volatile int stalled;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *read_file(void *unused)
{
	ssize_t len = read(file, memory, SIZE);

	(void)unused;
	if (len < 0)
		printf("%s\n", strerror(errno));
	else
		printf("%zd bytes\n", len);
	if (!stalled)
		exit(1);	/* nothing to wait for */
	return NULL;
}

/* Memory whose page faults are reported to the returned file. */
static int make_memory(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (faults < 0 || ioctl(faults, UFFDIO_API, &api))
		die("userfaultfd");
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	range.range.start = (unsigned long)memory;
	range.range.len = SIZE;
	if (ioctl(faults, UFFDIO_REGISTER, &range))
		die("UFFDIO_REGISTER");
	return faults;
}

int main(int argc, char **argv)
{
	struct uffdio_zeropage zero = { .range.len = SIZE };
	struct uffd_msg fault;
	pthread_t reader;
	char byte;
	int faults;

	file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	if (file < 0)
		die(argc == 2 ? argv[1] : "stall FILE");
	faults = make_memory();
	if (pthread_create(&reader, NULL, read_file, NULL))
		die("pthread_create");
	if (read(faults, &fault, sizeof(fault)) != sizeof(fault))
		die("read");
	stalled = 1;
	puts("stalled");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	zero.range.start = (unsigned long)memory;
	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		die("UFFDIO_ZEROPAGE");
	pthread_join(reader, NULL);
	return 0;
}
