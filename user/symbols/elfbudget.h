/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A common budget for ELF files of other users, whose authors chose each number in them. */
#ifndef KMT_SYMBOLS_ELFBUDGET_H
#define KMT_SYMBOLS_ELFBUDGET_H

#include <glib.h>

typedef struct {
	guint64 left;      /* bytes of tables */
	gboolean is_spent; /* set if something exceeded the budget */
} ElfBudget;

/* Takes @bytes from the budget. Returns FALSE, and takes nothing, if they exceed it. */
static inline gboolean elfbudget_take(ElfBudget *budget, guint64 bytes)
{
	budget->is_spent |= bytes > budget->left;
	if (bytes > budget->left)
		return FALSE;
	budget->left -= bytes;
	return TRUE;
}

#endif
