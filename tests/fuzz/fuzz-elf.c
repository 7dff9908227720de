// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes lookups of functions and unwind tables: an input is an ELF file. A found function must
 * contain the requested byte, and an answer must stay the same.
 */
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "symbols/elffile.h"

#define LOOKUPS	2048	/* the most bytes of the file that are looked up */

static int open_input(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void ask(ElfFile *elf, guint64 offset, ElfBudget *budget)
{
	guint64 within = 0, again = 0, left;
	const char *name = elffile_function(elf, offset, &within);
	gboolean top = elffile_returns_from_top(elf, offset, budget);

	if (name && within)
		REQUIRE(elffile_function(elf, offset - within, &again) == name ? !again : TRUE);
	REQUIRE(!name || *name);
	left = budget->left;
	REQUIRE(budget->is_spent || elffile_returns_from_top(elf, offset, budget) == top);
	REQUIRE(budget->left == left); /* the result is cached */
	elffile_follows_call(elf, offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = open_input(data, size);
	ElfBudget budget = UNWIND_BUDGET_INIT, tables = TABLE_BUDGET_INIT;
	guint64 all = budget.left;
	struct stat st;
	g_autoptr(ElfFile) elf = NULL;

	REQUIRE(fstat(fd, &st) == 0);
	elf = elffile_open(fd, NULL, size,
			   (guint64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
			   &tables);
	for (guint i = 0; elf && i < LOOKUPS; i++)
		ask(elf, size > LOOKUPS ? size / LOOKUPS * i : i, &budget);
	REQUIRE(all - budget.left <= 2 * LOOKUPS * (guint64)size);
	return 0;
}
