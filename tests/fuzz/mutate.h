/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes traces below their checksums: chunks, fields, names and counters change, then all CRCs
 * and packed payloads are recomputed. Targets that read whole traces are linked with mutator.c,
 * which provides this to libFuzzer and to main.c.
 */
#ifndef KMT_TESTS_FUZZ_MUTATE_H
#define KMT_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Replaces the @size bytes at @data, which has room for @room bytes, with a changed trace. The same
 * @seed makes the same changes. Returns the new size; 0 if @data is no trace.
 */
size_t mutate_trace(uint8_t *data, size_t size, size_t room, uint32_t seed);

/*
 * Writes the trace @a with some chunks of the trace @b to @out, which has room for @room bytes.
 * Returns its size; 0 if one of them is no trace.
 */
size_t mutate_cross(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
		    size_t room, uint32_t seed);

/*
 * Removes some or all sub-buffers with records, and perhaps texts and stacks. Returns the new size;
 * 0 if there is none to remove.
 */
size_t mutate_remove_records(uint8_t *data, size_t size, uint32_t seed);

#endif
