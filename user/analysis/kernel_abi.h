/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The traced kernel's memory, from the text "abi" of a trace or of the tracer.
 */
#ifndef KMT_ANALYSIS_KERNEL_ABI_H
#define KMT_ANALYSIS_KERNEL_ABI_H

#include "analysis/snapshot.h"

#define KERNEL_ABI_PAGE_SHIFT 12 /* the default page size */

typedef struct {
	guint page_shift;
	guint64 linear_base;  /* address of page frame 0; 0: unknown */
	guint32 account_bits; /* __GFP_ACCOUNT; 0: unknown */
} KernelAbi;

/* Adds the data of @line; LINE_BAD for a value that no kernel has. */
LineResult kernel_abi_add(KernelAbi *abi, const AbiLine *line);

/* Parses all of @text, which is modified; NULL is allowed. */
KernelAbi kernel_abi_read(char *text);

#endif
