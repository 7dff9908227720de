/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of an ELF file of x86-64 or arm64, .eh_frame, as far as it locates the return
 * address. Its author chose each number in it: a lookup takes time only for the bytes that it runs,
 * and no memory.
 *
 * Format: DWARF 5, 6.4; System V ABI for x86-64, 3.7; DWARF for the Arm 64-bit Architecture, 4.1
 * and 5.4; Linux Standard Base, Exception Frames.
 */
#ifndef KMT_SYMBOLS_UNWINDTABLE_H
#define KMT_SYMBOLS_UNWINDTABLE_H

#include <glib.h>
#include <libelf.h>

#include "symbols/elfbudget.h"

typedef struct UnwindTable UnwindTable;

/*
 * Indexes the table of @elf, which must stay open. NULL: there is no table, it exceeds @budget, or
 * it is of another architecture.
 */
UnwindTable *unwindtable_read(Elf *elf, ElfBudget *budget);
void unwindtable_free(UnwindTable *table); /* NULL is allowed */

/* Returns the maximum bytes that a lookup for @addr, as in the file, runs; 0: no entry for it. */
guint64 unwindtable_cost(const UnwindTable *table, guint64 addr);

/*
 * Returns TRUE if the return address of a thread at @addr is at the top of its stack, or on arm64
 * in the link register: the function has no frame there. Also returns FALSE where the table has an
 * instruction that compilers don't use for this.
 */
gboolean unwindtable_returns_from_top(const UnwindTable *table, guint64 addr);

#endif
