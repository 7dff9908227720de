/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints gfp flags by their usual names: GFP_KERNEL|__GFP_ZERO instead of one name for each bit.
 */
#ifndef KMT_BASE_GFPTEXT_H
#define KMT_BASE_GFPTEXT_H

#include <glib.h>

/*
 * Returns flags with the largest common combination first, then the other bits, for g_free().
 * @names: the names of all bits, separated by |, or already folded.
 */
char *gfptext_fold(const char *names);

#endif
