// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that is expensive to inspect: its code is a sparse ELF file whose headers declare notes
 * of 1 GiB each, and it is mapped COUNT times. Writes a line to standard output when all is mapped,
 * and waits.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096
#define NOTES	8
#define NOTE	(1UL << 30)

static void fill(int fd)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr notes[NOTES];
	} file = {
		.head = {
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = sizeof(file.head), .e_ehsize = sizeof(file.head),
			.e_phentsize = sizeof(file.notes[0]), .e_phnum = NOTES,
		},
	};

	memcpy(file.head.e_ident, ELFMAG, SELFMAG);
	file.head.e_ident[EI_CLASS] = ELFCLASS64;
	file.head.e_ident[EI_DATA] = ELFDATA2LSB;
	file.head.e_ident[EI_VERSION] = EV_CURRENT;
	for (int i = 0; i < NOTES; i++)
		file.notes[i] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = PAGE, .p_filesz = NOTE,
					      .p_memsz = NOTE, .p_align = 4 };
	if (write(fd, &file, sizeof(file)) != sizeof(file) || ftruncate(fd, PAGE + NOTE))
		err(1, "can't write the file");
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0755) : -1;

	if (fd < 0)
		errx(2, "usage: greedy FILE COUNT");
	fill(fd);
	for (long i = strtol(argv[2], NULL, 10); i; i--) {
		if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			err(1, "can't map %ld more", i);
	}
	puts("there");
	fflush(stdout);
	pause();
	return 0;
}
