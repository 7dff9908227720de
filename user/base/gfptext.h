/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints gfp flags by their usual names: GFP_KERNEL|__GFP_ZERO instead of one name for each bit.
 */
#ifndef KMT_BASE_GFPTEXT_H
#define KMT_BASE_GFPTEXT_H

#include <glib.h>

/*
 * @names: of all bits, with | between them, or folded before. The largest common combination comes
 * first, then the other bits. For g_free().
 */
char *gfptext_fold(const char *names);

#endif
