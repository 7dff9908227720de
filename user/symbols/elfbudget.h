/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ELF files of other users may cost in all: whoever made them chose each number in them. */
#ifndef KMT_SYMBOLS_ELFBUDGET_H
#define KMT_SYMBOLS_ELFBUDGET_H

#include <glib.h>

typedef struct {
	guint64 left;      /* bytes of tables */
	gboolean is_spent; /* set if something exceeded the budget */
} ElfBudget;

/* FALSE if @bytes exceed @budget, of which nothing is taken then. */
static inline gboolean elfbudget_take(ElfBudget *budget, guint64 bytes)
{
	budget->is_spent |= bytes > budget->left;
	if (bytes > budget->left)
		return FALSE;
	budget->left -= bytes;
	return TRUE;
}

#endif
