// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pairing/stream_end.h"

StreamEnd stream_end(const struct trace_stream_stats *seen, const StatsLine *stats,
		     const StatsLine *before)
{
	guint64 seq = seen->next_seq, written = seen->next_written;
	StreamEnd end = { 0 };

	if (!seen->subbufs && before) {
		seq = MAX(before->consumed, 0);
		written = before->written;
	}
	if (stats->consumed > 0 && (guint64)stats->consumed > seq) {
		end.reason = TRACE_LOSS_MISSING;
		end.count = stats->consumed - seq;
	} else if (stats->written > written && (seen->subbufs || stats->consumed < 0)) {
		end.reason = TRACE_LOSS_SHORT;
		end.count = stats->written - written;
	} else if (stats->written < written && seen->subbufs) {
		end.surplus = written - stats->written;
	}
	return end;
}
