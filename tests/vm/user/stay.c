// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stays in the kernel, as any user can: it reads 2 GB with one call, again and again. It may be
 * preempted, but is never seen asleep or in user space, which ftrace waits for.
 */
#include <err.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define PARTS 1024
#define SIZE  (2 << 20)

int main(void)
{
	static struct iovec parts[PARTS];
	void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int fd = open("/dev/urandom", O_RDONLY);

	if (memory == MAP_FAILED || fd < 0)
		err(1, "/dev/urandom");
	for (int i = 0; i < PARTS; i++)
		parts[i] = (struct iovec){ memory, SIZE - 64 };
	while (readv(fd, parts, PARTS) > 0)
		;
	err(1, "readv");
}
