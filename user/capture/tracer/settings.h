/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of a recording: sizes, events and filters. A setting that is not given gets its
 * default, so that none is left over from the previous recording. Sizes that are not given stay
 * unchanged, and a recording restores them when it ends.
 */
#ifndef KMT_CAPTURE_TRACER_SETTINGS_H
#define KMT_CAPTURE_TRACER_SETTINGS_H

#include "capture/tracer/control.h"

#define SETTINGS_EVENTS_DEFAULT "slab page"

typedef struct {
	char *source;         /* for source_open() */
	guint64 buffer_bytes; /* for each CPU; 0: the current value */
	guint64 subbuf_size;  /* bytes; 0: the same, also for the next two */
	guint64 subbufs;      /* for each CPU */
	guint64 stack_bytes;  /* of the stack table */
	int stack_depth;      /* return addresses; −1: the current value */
	char *events;         /* groups, as "slab page"; NULL: the default */
	char *pids;           /* processes, as "12 34"; NULL: all */
	char *cgroup;         /* path below the cgroup2 mount, or including it; NULL: all */
	char *cache;          /* name of a slab cache; NULL: all */
	guint64 min_size;     /* bytes */
	guint64 sample;       /* one address in N; 0: all */
	gboolean overwrite;   /* a full buffer drops its oldest events */
	gboolean user_stacks; /* of allocations, too */
} Settings;

void settings_clear(Settings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Settings, settings_clear)

/*
 * Checks whether the tracer supports @settings, before it changes anything. If this kernel has none
 * of the requested events, that is an error.
 */
gboolean settings_check(const Control *control, const Settings *settings, GError **error);

/* Empties the tracer, which must be off, and sets it up. */
gboolean settings_apply(const Control *control, const Settings *settings, GError **error);

/*
 * Reads the settings that settings_apply() sets, except the sizes, to restore them later to the
 * tracer, which must be empty then. For g_ptr_array_unref(); NULL: an error.
 */
GPtrArray *settings_save(const Control *control, GError **error);
gboolean settings_restore(const Control *control, const GPtrArray *saved, GError **error);

/*
 * Reads the tracer's sizes and stack depth, which stay when a recording ends. Other fields of
 * *@settings are unchanged.
 */
gboolean settings_read_sizes(const Control *control, Settings *settings, GError **error);

/* Sets the sizes of @settings. The tracer must be off and empty. */
gboolean settings_set_sizes(const Control *control, const Settings *settings, GError **error);

/*
 * Returns which of the requested events this kernel lacks, and why, for g_free(); NULL: none. The
 * tracer must be running: only then are all of them known.
 */
char *settings_unavailable(const Control *control, const Settings *settings);

/* Returns the current filters, one per line; NULL: this tracer has no filters. */
char *settings_filters_text(const Control *control);

#endif
