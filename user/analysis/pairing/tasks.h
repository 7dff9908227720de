/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps a thread id to its task at a given time. A thread that changes its name (exec) becomes
 * another task, so its allocations are reported under the name that it had at the time.
 */
#ifndef KMT_ANALYSIS_PAIRING_TASKS_H
#define KMT_ANALYSIS_PAIRING_TASKS_H

#include <glib.h>

#include "trace/event/event.h"

typedef struct {
	guint32 tid;
	gint64 tgid;      /* -1: unknown */
	const char *comm; /* NULL: unknown. Owned by the Tasks */
} Task;

typedef struct Tasks Tasks;

Tasks *tasks_new(void);
void tasks_free(Tasks *tasks); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tasks, tasks_free)

/* Sets the name of @tid before its first event. Only the first call counts. */
void tasks_add_default(Tasks *tasks, guint32 tid, guint32 tgid, const char *comm);

/* Renames @tid from now on. */
void tasks_rename(Tasks *tasks, guint32 tid, guint32 tgid, const char *comm);

/* Returns the current task of @tid: 1, 2, 3… in order of appearance. */
guint32 tasks_current(Tasks *tasks, guint32 tid);

/* Adds the main threads, if their names are known, of the processes that have other tasks. */
void tasks_add_mains(Tasks *tasks);

/* Returns whether @id is the current task of its thread. */
gboolean tasks_is_current(const Tasks *tasks, guint32 id);

guint32 tasks_count(const Tasks *tasks);
Task tasks_get(const Tasks *tasks, guint32 id);

#endif
