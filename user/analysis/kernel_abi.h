/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traced kernel's memory, from the text "abi" of a trace or of the tracer.
 */
#ifndef KMT_ANALYSIS_KERNEL_ABI_H
#define KMT_ANALYSIS_KERNEL_ABI_H

#include "analysis/snapshot.h"

#define KERNEL_ABI_PAGE_SHIFT 12 /* unless the text has another page size */

typedef struct {
	guint page_shift;
	guint64 linear_base;  /* address of page frame 0; 0: not known */
	guint32 account_bits; /* __GFP_ACCOUNT; 0: not known */
} KernelAbi;

/* Takes what belongs there; LINE_BAD if it is a value that no kernel has. */
LineResult kernel_abi_add(KernelAbi *abi, const AbiLine *line);

/* All of @text, which is taken apart; NULL is allowed. */
KernelAbi kernel_abi_read(char *text);

#endif
