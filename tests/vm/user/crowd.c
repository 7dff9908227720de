// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps the code of COUNT files, one after the other, and unmaps and removes each. */
#include <err.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(1, "usage: crowd COUNT");
	for (int i = atoi(argv[1]); i; i--) {
		int fd = memfd_create("crowd", MFD_CLOEXEC);
		void *code;

		if (fd < 0 || ftruncate(fd, PAGE))
			err(1, "memfd_create");
		code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		if (code == MAP_FAILED)
			err(1, "mmap");
		munmap(code, PAGE);
		close(fd);
	}
	return 0;
}
