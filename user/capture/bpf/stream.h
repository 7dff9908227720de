/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of a CPU returns its completed sub-buffers one by one. There is no wake-up: a timer
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
	guint64 seq;         /* of the next one that is returned */
	guint64 written;     /* records in those before */
	guint64 skipped;     /* record slots that flushes left empty */
	guint64 overwritten; /* records that were skipped because newer ones had overwritten them */
	guint64 missed;   /* for all CPUs: events that programs had missed when all was last read */
	guint64 begins;   /* number of the first sub-buffer after that */
	guint64 begin_ns; /* when programs resumed recording then; 0: unknown */
} BpfReader;

/* All CPUs of a source. */
typedef struct {
	const BpfMaps *maps;
	BpfReader *readers; /* by CPU */
	/*
	 * By CPU and index in the ring: the last sub-buffer that was flushed there, as a head: its
	 * number and how many records it has. All others are full.
	 */
	guint64 *flushed;
	gboolean *is_read; /* by CPU: a stream is open */
	gboolean overwrite;
	gint running;     /* atomic */
	gboolean is_kept; /* the caller owns the memory of the readers */
} BpfRings;

BpfRings *bpf_rings_new(const BpfMaps *maps, guint64 session, gboolean overwrite);

/* The same with existing @readers and @flushed, or zeros. They must outlive it. */
BpfRings *bpf_rings_continue(const BpfMaps *maps, BpfReader *readers, guint64 *flushed,
			     gboolean overwrite);
void bpf_rings_free(BpfRings *rings); /* NULL is allowed */

/* Counts the records that were written on a CPU, and those that newer ones have overwritten. */
void bpf_rings_count(const BpfRings *rings, guint cpu, guint64 *written, guint64 *overwritten);

/*
 * Completes the sub-buffers that have records, so that they can be read. @wait: waits until all
 * these records are published, if programs are running. Returns 0 or an errno.
 */
int bpf_rings_flush(BpfRings *rings, gboolean wait);

/* The same once no program is running, also in overwrite mode. */
void bpf_rings_end(BpfRings *rings);

/*
 * To be called at @ns, before programs start or resume recording. @missed: events that they have
 * missed until now. If all earlier events have been read, these are no loss of the data that is
 * read later. That data begins now, even if the first event of a CPU comes much later.
 */
void bpf_rings_begin(BpfRings *rings, guint64 missed, guint64 ns);

/* Returns whether all recorded events have been read. */
gboolean bpf_rings_are_read(const BpfRings *rings);

/* Returns whether any were overwritten since bpf_rings_begin() found that all had been read. */
gboolean bpf_rings_have_overwritten(const BpfRings *rings);

/* Returns the current name of a thread, for g_free(); NULL: it has ended. */
typedef char *(*BpfNameReader)(guint32 tid, guint32 tgid);

/*
 * Records the current name of a thread, while programs record no events but names. Without room,
 * that counts as a lost name.
 */
void bpf_rings_put_name(BpfRings *rings, guint32 tid, guint32 tgid, BpfNameReader read);

/* NULL with an errno. @rings must outlive it. */
ControlStream *bpf_stream_open(BpfRings *rings, guint cpu);

#endif
