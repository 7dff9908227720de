// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/event/subbuf_events.h"

#include "trace/file/index.h"

int trace_subbuf_events_begin(struct trace_subbuf_events *piece, const void *bytes, size_t len,
			      const char *name, struct trace_error *err)
{
	struct trace_subbuf subbuf;
	int ret = trace_subbuf_parse(bytes, len, &subbuf, name, 0, err);

	if (ret)
		return ret;
	piece->next = (const uint8_t *)bytes + subbuf.header_len;
	piece->end =
		piece->next + (len - subbuf.header_len) / subbuf.record_len * subbuf.record_len;
	piece->cpu = subbuf.cpu;
	piece->record_len = subbuf.record_len;
	piece->swap = subbuf.swap;
	return 0;
}

bool trace_subbuf_events_next(struct trace_subbuf_events *piece, struct trace_event *event)
{
	while (piece->next < piece->end) {
		const uint8_t *record = piece->next;

		piece->next += piece->record_len;
		event->cpu = piece->cpu;
		if (trace_record_decode(record, piece->record_len, piece->swap, event))
			return true;
	}
	return false;
}
