/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quickselect: the k-th smallest value.
 */
#ifndef KMT_BASE_QUICKSELECT_H
#define KMT_BASE_QUICKSELECT_H

#include <glib.h>

/* The value that @values[@rank] would be if the @count of them were sorted; they change places. */
guint64 quickselect(guint64 *values, gsize count, gsize rank);

#endif
