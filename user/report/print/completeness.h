/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a trace is complete: in detail for the head of the report, in a line for other output. */
#ifndef KMT_REPORT_PRINT_COMPLETENESS_H
#define KMT_REPORT_PRINT_COMPLETENESS_H

#include <stdio.h>

#include "store/store.h"

typedef struct {
	gint64 lost_events;      /* while recording */
	gint64 lost_subbufs;     /* missing from the file */
	gint64 missing_stacks;   /* missing in the file */
	gint64 uncounted;        /* CPUs without the tracer's final counters; 1: all */
	gint64 missing_chunks;   /* missing or out of place, by their numbers */
	gint64 torn_texts;       /* with a missing part */
	gboolean mixed_sessions; /* of the tracer; nothing was traced between them */
	gboolean ends_early;     /* the recording continues in another file */
	gint64 unfinished;       /* records that their writer had not finished */
	gint64 unknown;          /* records of an event or context that this version doesn't know */
	gint64 surplus;          /* records in excess of the tracer's own counters */
	gint64 backward;         /* records with a time long before that of earlier ones */
	gint64 absurd;           /* page events that no kernel emits: ignored */
	gboolean frozen;         /* an oops of the kernel stopped the tracer, */
	gint64 frozen_ns;        /* at this time; 0: unknown */
	gboolean cut;            /* the file has no end */
	gint64 cut_offset;       /* its length in bytes; only if cut */
	gint64 left_out;         /* bytes missing in a file that this one was recovered from, */
	gint64 left_out_places;  /* and the number of gaps */
	gboolean lost_end;       /* the damaged file had no end */
	guint64 pauses;          /* times when the tracer was disabled, within the trace, */
	guint64 paused_ns;       /* and their sum */
	gboolean late;           /* older events are missing */
	gint64 overwritten;      /* their number. Set only if late, like all that follow */
	gint64 late_left_out;    /* older events of other CPUs, which are left out, */
	gint64 late_ns; /* the time from the first of them to the time when all CPUs have events: */
	gint64 late_cpu;         /* the last CPU to have some */
	gboolean late_elsewhere; /* these events may be in another file */
	char *unseen_frees;      /* kinds with untraced frees: "slab, page"; "": none */
	char *partly_unseen;     /* untraced paths of kinds with other, traced paths; "": none */
	char *unseen;            /* untraced paths, "bulk, rcu"; "": none */
	char *lacking;           /* missing rows of meta; "": none */
	gint64 sample;           /* N: one address in N was traced */
} Completeness;

/* *@completeness is the caller's, for completeness_clear(), also after an error. */
gboolean completeness_read(StoreDb *db, Completeness *completeness, GError **error);
void completeness_clear(Completeness *completeness);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Completeness, completeness_clear)

/*
 * Returns TRUE if expected data is missing: exit code 3. A kind without events in this kernel is
 * not expected.
 */
gboolean completeness_is_incomplete(const Completeness *completeness);

/*
 * Prints the second line of the output: "Trust: complete; no event was lost", or what is missing.
 * @indent: spaces before it. coverage_print_limits() prints what could not be traced.
 */
void completeness_print(const Completeness *completeness, int indent, FILE *out);

/* Returns all of it in one line without a line break, for g_free(). NULL: complete. */
char *completeness_summary(const Completeness *completeness);

/* Prints the same as a message, unless complete. */
void completeness_say(const Completeness *completeness);

#endif
