/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random bytes rarely have a right CRC, and nothing behind one would ever be reached.
 */
#ifndef KMT_TESTS_FUZZ_CRCS_H
#define KMT_TESTS_FUZZ_CRCS_H

#include <stddef.h>
#include <stdint.h>

/* Sets the CRCs of all chunks that can be found right, and their magic. */
void crcs_fix(uint8_t *data, size_t size);

#endif
