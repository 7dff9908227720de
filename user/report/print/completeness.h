/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a trace is complete: in detail for the head of the report, in a line for other answers.
 */
#ifndef KMT_REPORT_PRINT_COMPLETENESS_H
#define KMT_REPORT_PRINT_COMPLETENESS_H

#include <stdio.h>

#include "store/store.h"

typedef struct {
	gint64 lost_events;      /* while recording */
	gint64 lost_subbufs;     /* missing from the file */
	gint64 missing_stacks;   /* that events have and the file hasn't */
	gint64 uncounted;        /* CPUs without the tracer's counters of the end; 1: all */
	gint64 missing_chunks;   /* of the file, by their numbers, or out of place */
	gint64 torn_texts;       /* that lack a piece */
	gboolean mixed_sessions; /* of the tracer; nothing was traced between them */
	gboolean ends_early;     /* the recording continues in another file */
	gint64 unfinished;       /* records that their writer had not finished */
	gint64 unknown;          /* records of an event or context that this version doesn't know */
	gint64 surplus;          /* records beyond the tracer's own counters */
	gint64 backward;         /* records with a time long before those in front of them */
	gint64 absurd;           /* page events that no kernel emits: ignored */
	gboolean cut;            /* the file has no end */
	gint64 cut_offset;       /* bytes that it has; cut alone */
	gint64 left_out;         /* bytes of a damaged file that this one was recovered from, */
	gint64 left_out_places;  /* number of places */
	gboolean lost_end;       /* that file had no end */
	guint64 pauses;          /* times in which the tracer was disabled, within the trace, */
	guint64 paused_ns;       /* and how long they were in all */
	gboolean late;           /* older events are not in it: it has what came since */
	gint64 overwritten;      /* how many they are. late alone, as all that follow */
	gint64 late_left_out;    /* events of other CPUs that are in it, but too old, */
	gint64 late_ns;          /* as they lie in so long a time before all CPUs begin: */
	gint64 late_cpu;         /* this one's are the last to do so */
	gboolean late_elsewhere; /* they may be in another file */
	char *unseen_frees;      /* kinds of which frees are among them: "slab, page"; "": none */
	char *partly_unseen;     /* names of those of a kind of which others were; "": none */
	char *unseen;            /* names of the paths that were not seen, "bulk, rcu"; "": none */
	char *lacking;           /* rows of meta that aren't in the database; "": none */
	gint64 sample;           /* N: one address in N was traced */
} Completeness;

/* *@completeness is the caller's, for completeness_clear(), also after an error. */
gboolean completeness_read(StoreDb *db, Completeness *completeness, GError **error);
void completeness_clear(Completeness *completeness);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Completeness, completeness_clear)

/*
 * TRUE if something is missing that should be recorded: exit code 3. A kind for which this kernel
 * has no events lacks nothing.
 */
gboolean completeness_is_incomplete(const Completeness *completeness);

/*
 * Prints the second line of the output: "Trust: complete; no event was lost", or what is missing.
 * @indent: spaces before it. What could not be traced is for coverage_print_limits().
 */
void completeness_print(const Completeness *completeness, int indent, FILE *out);

/* All of it in one line without its end, for g_free(). NULL: there is nothing to say. */
char *completeness_summary(const Completeness *completeness);

/* The same as a message, if there is something to say. */
void completeness_say(const Completeness *completeness);

#endif
