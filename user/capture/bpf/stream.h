/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of a CPU: gives its completed sub-buffers one by one. There is no wake-up: a timer
 * says when to look.
 */
#ifndef KMT_CAPTURE_BPF_STREAM_H
#define KMT_CAPTURE_BPF_STREAM_H

#include "capture/bpf/programs.h"
#include "capture/tracer/control_class.h"

/* The reader's side of a ring, which lives as long as the ring. */
typedef struct {
	guint64 session;
	guint64 number;   /* of the sub-buffer that is read next */
	guint64 seq;      /* of the next one that is given out */
	guint64 written;  /* records in those before */
	guint64 skipped;  /* places of records that a flush left empty */
	guint32 *flushed; /* by place: records of a sub-buffer that was flushed; 0: all */
	gboolean is_read; /* a stream is open */
} BpfReader;

/* All CPUs of a source. */
typedef struct {
	const BpfMaps *maps;
	BpfReader *readers; /* by CPU */
	gboolean overwrite;
	gint running; /* atomic */
} BpfRings;

BpfRings *bpf_rings_new(const BpfMaps *maps, guint64 session, gboolean overwrite);
void bpf_rings_free(BpfRings *rings); /* NULL is allowed */

/* Records that were written on a CPU, and those of them that newer ones have overwritten. */
void bpf_rings_count(const BpfRings *rings, guint cpu, guint64 *written, guint64 *overwritten);

/*
 * Completes the sub-buffers that have records, so that they can be read. @wait: until all of these
 * are published, if programs run. Returns 0 or an errno.
 */
int bpf_rings_flush(BpfRings *rings, gboolean wait);

/* NULL with an errno. @rings must outlive it. */
ControlStream *bpf_stream_open(BpfRings *rings, guint cpu);

#endif
