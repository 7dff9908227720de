/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a program or library: from the symbol tables of its ELF file, or of the debug
 * file with its build id.
 */
#ifndef KMT_SYMBOLS_ELFFILE_H
#define KMT_SYMBOLS_ELFFILE_H

#include <glib.h>

typedef struct ElfFile ElfFile;

/*
 * Reads the file @fd, which it takes, if that is the one that was meant: that of @build_id, or if
 * that is NULL the one of @size bytes that was last written at @mtime_ns (since 1970). NULL: it
 * isn't, or no ELF file.
 */
ElfFile *elffile_open(int fd, const char *build_id, guint64 size, guint64 mtime_ns);
void elffile_free(ElfFile *elf); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ElfFile, elffile_free)

/*
 * The function that holds the byte at @offset of the file, owned by @elf; *@within is how far
 * behind its start that is. NULL: none is known.
 */
const char *elffile_function(const ElfFile *elf, guint64 offset, guint64 *within);

/*
 * FALSE if the bytes before @offset are certainly not a call: then the address there is not a
 * return address.
 */
gboolean elffile_follows_call(const ElfFile *elf, guint64 offset);

/* What running the unwind tables of several files may cost: each file has a share of it. */
typedef struct {
	guint64 left;      /* bytes of tables */
	gboolean is_spent; /* set if a lookup exceeded the budget */
} UnwindBudget;

#define UNWIND_BUDGET_INIT                                                                         \
	{                                                                                          \
		.left = G_GUINT64_CONSTANT(1) << 32                                                \
	} /* some ten seconds */

/*
 * TRUE if a thread that is at @offset has the return address of the function there at the top of
 * its stack, as the unwind tables tell. FALSE if @budget is spent, or the file's share of it.
 */
gboolean elffile_returns_from_top(ElfFile *elf, guint64 offset, UnwindBudget *budget);

#endif
