/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many chunks of a file are missing, or out of place, by their numbers. A chunk that was moved
 * leaves a gap, and comes where the numbers don't rise. Those of another file are strangers.
 */
#ifndef KMT_TRACE_FILE_NUMBERS_H
#define KMT_TRACE_FILE_NUMBERS_H

#include <stdint.h>

/* All 0 at the start of a file. */
struct trace_numbers {
	uint64_t gaps, displaced, strangers;
	uint32_t last; /* number of the last chunk in its place; 0: none yet */
};

/* The number of the next chunk; 0: it has none. */
void trace_numbers_add(struct trace_numbers *numbers, uint32_t number);

/* 0 as well for a file without numbers. */
uint64_t trace_numbers_missing(const struct trace_numbers *numbers);

#endif
