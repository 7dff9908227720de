/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times when tracing was off during a session, as in the module's view "abi". Times are of
 * CLOCK_MONOTONIC, as those of records.
 */
#ifndef KMT_CAPTURE_BPF_PAUSES_H
#define KMT_CAPTURE_BPF_PAUSES_H

#include <glib.h>

#define BPF_PAUSES_KEPT 16 /* the last ones; older ones are only in the sum */

/* All zeros: no pauses. It may be in memory that outlives this process. */
typedef struct {
	guint64 count, total_ns;
	guint64 off_ns; /* start of the current pause; 0: tracing is on, or never was */
	struct {
		guint64 off_ns, on_ns;
	} kept[BPF_PAUSES_KEPT]; /* by their number modulo BPF_PAUSES_KEPT */
} BpfPauses;

/* Notes that tracing is off from @ns on, unless a pause has begun already. */
void bpf_pauses_begin(BpfPauses *pauses, guint64 ns);

/* Notes that tracing is on from @ns on. */
void bpf_pauses_end(BpfPauses *pauses, guint64 ns);

/* Appends lines of the view "abi". */
void bpf_pauses_append(const BpfPauses *pauses, GString *text);

#endif
