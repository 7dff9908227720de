// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/file/numbers.h"

#include "kmemtrace_file.h"

void trace_numbers_add(struct trace_numbers *numbers, uint32_t number)
{
	uint32_t last = numbers->last;
	uint32_t ahead = (number - last) & KMEMTRACE_CHUNK_PLACE;

	if (!last)
		ahead = number & KMEMTRACE_CHUNK_PLACE;
	if (!number || (last && (number ^ last) & KMEMTRACE_CHUNK_FILE)) {
		numbers->foreign++;
	} else if (!ahead || ahead > KMEMTRACE_CHUNK_PLACE / 2) {
		numbers->displaced++;
	} else {
		numbers->gaps += ahead - 1;
		numbers->last = number;
	}
}

uint64_t trace_numbers_missing(const struct trace_numbers *numbers)
{
	if (!numbers->last && !numbers->displaced)
		return 0;
	return (numbers->gaps > numbers->displaced ? numbers->gaps : numbers->displaced) +
	       numbers->foreign;
}
