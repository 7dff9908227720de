/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's unwind tables (ORC). By these, its unwinder gets from a frame to that of the caller,
 * given only the address. See arch/x86/include/asm/orc_types.h and arch/x86/kernel/unwind_orc.c of
 * the kernel. The layout of an entry comes from the kernel's BTF.
 */
#ifndef KMT_CAPTURE_BPF_ORC_H
#define KMT_CAPTURE_BPF_ORC_H

#include <glib.h>

#include "capture/bpf/kernel_memory.h"
#include "capture/bpf/symbols.h"

/* Where the CFA (canonical frame address) is, just above the return address. */
typedef enum {
	ORC_SP,       /* sp + cfa */
	ORC_BP,       /* bp + cfa */
	ORC_BP_SAVED, /* *(bp + cfa): the function aligned its stack */
	ORC_SP_SAVED, /* *sp + cfa: the stack was switched */
	ORC_REGS,     /* struct pt_regs at sp + cfa: an exception */
	ORC_END,      /* there is no caller */
} OrcKind;

typedef struct {
	OrcKind kind;
	gint cfa;          /* bytes */
	gboolean saves_bp; /* the caller's bp is at CFA + @bp, with BP_SAVED at bp + @bp */
	gint bp;           /* else it is still in bp */
} OrcRule;

typedef struct OrcTables OrcTables;

/* Reads the tables of the kernel itself, for orc_free(). NULL: they can't be read. */
OrcTables *orc_read(const KernelMemory *memory, const BpfSymbols *symbols);
void orc_free(OrcTables *tables); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OrcTables, orc_free)

/*
 * Reads the tables of the modules again. If a module is unloaded meanwhile, the data may be wrong.
 * FALSE: none are known now.
 */
gboolean orc_read_modules(OrcTables *tables, const KernelMemory *memory);

/*
 * Finds the rule for the instruction at @ip: the interrupted one, or the one before a return
 * address. FALSE: it is in no table, or its rule is none of the above.
 */
gboolean orc_find(const OrcTables *tables, guint64 ip, OrcRule *rule);

#endif
