/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of a recording: sizes, events and filters. A setting that is not given gets its
 * default, so that none is left over from the previous recording. Sizes that are not given stay as
 * they are, and a recording restores them when it ends.
 */
#ifndef KMT_CAPTURE_TRACER_SETTINGS_H
#define KMT_CAPTURE_TRACER_SETTINGS_H

#include "capture/tracer/control.h"

#define SETTINGS_EVENTS_DEFAULT "slab page"

typedef struct {
	char *source;         /* as of source_open() */
	guint64 buffer_bytes; /* for each CPU; 0: as the tracer is set */
	guint64 subbuf_size;  /* bytes; 0: the same, and so the next */
	guint64 subbufs;      /* for each CPU */
	guint64 stack_bytes;  /* of the table of stacks */
	int stack_depth;      /* return addresses; −1: as the tracer is set */
	char *events;         /* groups, as "slab page"; NULL: the default */
	char *pids;           /* processes, as "12 34"; NULL: all */
	char *cgroup;         /* its path below the cgroup2 mount, or with it; NULL: all */
	char *cache;          /* name of a slab cache; NULL: all */
	guint64 min_size;     /* bytes */
	guint64 sample;       /* one address in N; 0: all */
	gboolean overwrite;   /* a full buffer drops its oldest events */
	gboolean user_stacks; /* those of allocations too */
} Settings;

void settings_clear(Settings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Settings, settings_clear)

/*
 * Whether times mean the same here as for the tracer: in a time namespace they don't. Before the
 * first thread is made: until it executes something, a process that has just got one can make none.
 */
gboolean settings_check_clock(GError **error);

/*
 * Checks whether the tracer can do what @settings want, before it changes anything. If none of the
 * events named is in this kernel, that is an error.
 */
gboolean settings_check(const Control *control, const Settings *settings, GError **error);

/* Empties the tracer, which must be off, and sets it up. */
gboolean settings_apply(const Control *control, const Settings *settings, GError **error);

/*
 * Reads what settings_apply() sets but for the sizes, to write it back later to the tracer, which
 * must be empty then. For g_ptr_array_unref(); NULL: an error.
 */
GPtrArray *settings_save(const Control *control, GError **error);
gboolean settings_restore(const Control *control, const GPtrArray *saved, GError **error);

/*
 * Reads the sizes and the stack depth that the tracer is set to, which stay when a recording ends;
 * all else in *@settings is left as it is.
 */
gboolean settings_read_sizes(const Control *control, Settings *settings, GError **error);

/* Sets those of @settings. The tracer must be off and empty. */
gboolean settings_set_sizes(const Control *control, const Settings *settings, GError **error);

/*
 * Of the events named, those that this kernel doesn't have, and why, for g_free(); NULL if none.
 * The tracer must run: only then all of them are known.
 */
char *settings_unavailable(const Control *control, const Settings *settings);

/* The current filters, one a line; NULL: this tracer has no filters. */
char *settings_filters_text(const Control *control);

#endif
