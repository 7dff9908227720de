/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_TESTS_CALLS_H
#define KMT_TESTS_CALLS_H

typedef long kernel_caller(long number, long a, long b, long c, long d);

#endif
