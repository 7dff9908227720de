/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random bytes rarely have a correct CRC, and the code that follows the check would never be
 * reached.
 */
#ifndef KMT_TESTS_FUZZ_CRCS_H
#define KMT_TESTS_FUZZ_CRCS_H

#include <stddef.h>
#include <stdint.h>

/* Corrects the CRCs and the magic of all chunks that can be found. */
void crcs_fix(uint8_t *data, size_t size);

#endif
