// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocates memory until the kernel kills it, and asks to be killed before any other process. Half
 * of the memory may be huge pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096UL
#define CHUNK	(8UL << 20)	/* bytes */

static int fail(const char *what)
{
	fprintf(stderr, "hog: %s: %s\n", what, strerror(errno));
	return 1;
}

static int ask_to_be_killed(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	return fd < 0 || write(fd, "1000", 4) != 4 || close(fd);
}

int main(void)
{
	if (ask_to_be_killed())
		return fail("/proc/self/oom_score_adj");
	for (size_t number = 0;; number++) {
		char *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (chunk == MAP_FAILED)
			return fail("mmap");
		madvise(chunk, CHUNK, number % 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
		for (size_t i = 0; i < CHUNK; i += PAGE)
			chunk[i] = 1;
	}
}
