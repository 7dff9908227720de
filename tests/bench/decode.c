// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * decode FILE.kmt: reads and merges all events, without using them, and prints their number.
 */
#include <inttypes.h>
#include <stdio.h>

#include "trace/event/merge.h"

int main(int argc, char **argv)
{
	struct trace_error err = { "" };
	struct trace_reader *reader;
	struct trace_merge *merge;
	struct trace_event event;
	uint64_t count = 0;
	int ret;

	if (argc != 2 || trace_reader_open(argv[1], &reader, &err) ||
	    trace_merge_open(reader, &merge, &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return 1;
	}
	while ((ret = trace_merge_next(merge, &event, &err)) > 0)
		count++;
	printf("%" PRIu64 "\n", count);
	trace_merge_close(merge);
	trace_reader_close(reader);
	return ret < 0;
}
