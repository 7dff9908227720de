/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the chunks of a file that are missing or out of place, by their numbers. A moved chunk
 * leaves a gap, and appears where the numbers do not rise. Chunks of another file are foreign.
 */
#ifndef KMT_TRACE_FILE_NUMBERS_H
#define KMT_TRACE_FILE_NUMBERS_H

#include <stdint.h>

/* Zero-initialized at the start of a file. */
struct trace_numbers {
	uint64_t gaps, displaced, foreign;
	uint32_t last; /* number of the last chunk in order; 0: none yet */
};

/* Adds the number of the next chunk; 0: it has none. */
void trace_numbers_add(struct trace_numbers *numbers, uint32_t number);

/* Returns the count of missing or misplaced chunks; 0 also for a file without numbers. */
uint64_t trace_numbers_missing(const struct trace_numbers *numbers);

#endif
