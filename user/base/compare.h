/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_BASE_COMPARE_H
#define KMT_BASE_COMPARE_H

#include <string.h>

/*
 * For comparison functions: below 0 if @x is less than @y, 0 if they are equal. Evaluates both
 * twice.
 */
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* Compares strings, for arrays of them. */
static inline int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
