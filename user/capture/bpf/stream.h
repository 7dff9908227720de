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
	guint64 number;      /* of the sub-buffer that is read next */
	guint64 seq;         /* of the next one that is given out */
	guint64 written;     /* records in those before */
	guint64 skipped;     /* places of records that flushes left empty */
	guint64 overwritten; /* records that were skipped, as newer ones had overwritten them */
	guint64 missed;   /* of all CPUs: events that programs missed until all before was read */
	guint64 begins;   /* number of the first sub-buffer since all before was read */
	guint64 begin_ns; /* when programs began to record again then; 0: unknown */
} BpfReader;

/* All CPUs of a source. */
typedef struct {
	const BpfMaps *maps;
	BpfReader *readers; /* by CPU */
	/*
	 * By CPU and place: the last sub-buffer that was flushed there, as a head: its number and
	 * how many records it has. All others are full.
	 */
	guint64 *flushed;
	gboolean *is_read; /* by CPU: a stream is open */
	gboolean overwrite;
	gint running;     /* atomic */
	gboolean is_kept; /* the readers are in memory of the caller */
} BpfRings;

BpfRings *bpf_rings_new(const BpfMaps *maps, guint64 session, gboolean overwrite);

/* The same, with @readers and @flushed of before, or zeros. They must outlive it. */
BpfRings *bpf_rings_continue(const BpfMaps *maps, BpfReader *readers, guint64 *flushed,
			     gboolean overwrite);
void bpf_rings_free(BpfRings *rings); /* NULL is allowed */

/* Records that were written on a CPU, and those of them that newer ones have overwritten. */
void bpf_rings_count(const BpfRings *rings, guint cpu, guint64 *written, guint64 *overwritten);

/*
 * Completes the sub-buffers that have records, so that they can be read. @wait: until all of these
 * are published, if programs run. Returns 0 or an errno.
 */
int bpf_rings_flush(BpfRings *rings, gboolean wait);

/* The same once no program runs any more, also of sub-buffers that are overwritten. */
void bpf_rings_end(BpfRings *rings);

/*
 * To be called at @ns, before programs record, again or for the first time. @missed: events that
 * they missed until now. If all before was read, these are no loss of what is read later, which
 * begins now, however late the first event of a CPU comes.
 */
void bpf_rings_begin(BpfRings *rings, guint64 missed, guint64 ns);

/* Whether all that was recorded is read. */
gboolean bpf_rings_are_read(const BpfRings *rings);

/* Whether newer records have overwritten some since bpf_rings_begin() found that all was read. */
gboolean bpf_rings_have_overwritten(const BpfRings *rings);

/* Returns the name that a thread has now, for g_free(), or NULL: it has ended. */
typedef char *(*BpfNameReader)(guint32 tid, guint32 tgid);

/*
 * Records the name that a thread has now, while programs record no events but names. Without room
 * that is counted as a lost name.
 */
void bpf_rings_put_name(BpfRings *rings, guint32 tid, guint32 tgid, BpfNameReader read);

/* NULL with an errno. @rings must outlive it. */
ControlStream *bpf_stream_open(BpfRings *rings, guint cpu);

#endif
