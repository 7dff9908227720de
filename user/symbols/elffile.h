/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a program or library: from the symbol tables of its ELF file, or of the debug
 * file with its build id.
 */
#ifndef KMT_SYMBOLS_ELFFILE_H
#define KMT_SYMBOLS_ELFFILE_H

#include <glib.h>

#include "symbols/elfbudget.h"

typedef struct ElfFile ElfFile;

/*
 * Takes over @fd, and reads the file if it is the expected one: of @build_id or, if that is NULL,
 * of @size bytes and last written at @mtime_ns (since 1970). NULL if it isn't, or if it is not an
 * ELF file, or is sparse. Tables that exceed @budget, which several files share, are left out.
 */
ElfFile *elffile_open(int fd, const char *build_id, guint64 size, guint64 mtime_ns,
		      ElfBudget *budget);
void elffile_free(ElfFile *elf); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ElfFile, elffile_free)

/*
 * Returns the function with the byte at @offset of the file, owned by @elf; *@within is the offset
 * in it. NULL: unknown.
 */
const char *elffile_function(const ElfFile *elf, guint64 offset, guint64 *within);

/*
 * Returns FALSE if the bytes before @offset are certainly not a call: then the address there is not
 * a return address.
 */
gboolean elffile_follows_call(const ElfFile *elf, guint64 offset);

/* For elffile_open(): memory may reach three times this size. */
#define TABLE_BUDGET_INIT                                                                          \
	{                                                                                          \
		.left = G_GUINT64_CONSTANT(1) << 30                                                \
	}

/* For elffile_returns_from_top(): some ten seconds. Each file has a share of it. */
#define UNWIND_BUDGET_INIT                                                                         \
	{                                                                                          \
		.left = G_GUINT64_CONSTANT(1) << 32                                                \
	}

/*
 * Returns TRUE if a thread at @offset has the return address of the function there at the top of
 * its stack, by the unwind tables. FALSE also if @budget, or the file's share of it, is spent.
 */
gboolean elffile_returns_from_top(ElfFile *elf, guint64 offset, ElfBudget *budget);

#endif
