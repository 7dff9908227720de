/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands at a rank, without sorting.
 */
#ifndef KMT_BASE_SELECT_H
#define KMT_BASE_SELECT_H

#include <glib.h>

/* The value that @values[@rank] would be if the @count of them were sorted; they change places. */
guint64 select_rank(guint64 *values, gsize count, gsize rank);

#endif
