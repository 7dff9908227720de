/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_BASE_COMPARE_H
#define KMT_BASE_COMPARE_H

/*
 * For functions that sort: below 0 if @x is less than @y, 0 if they are equal. Both are evaluated
 * twice.
 */
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

#endif
