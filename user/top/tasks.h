/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current names of threads and their processes. The number of names is limited, since any
 * process can rename itself all the time. Names that are no longer used are forgotten.
 */
#ifndef KMT_TOP_TASKS_H
#define KMT_TOP_TASKS_H

#include <glib.h>

#include "trace/event/event.h"

#define TOP_TASKS_OTHER 2 /* number of the name of all threads beyond the limit */

typedef struct TopTasks TopTasks;

TopTasks *top_tasks_new(void);
void top_tasks_free(TopTasks *tasks);

/* Keeps room for a name, as top_tasks_is() compares: "name", or "name-id". NULL is allowed. */
void top_tasks_reserve(TopTasks *tasks, const char *asked);

/* Sets the name of the thread @tid of the process @tgid from now on. */
void top_tasks_rename(TopTasks *tasks, guint32 tid, guint32 tgid, const char *comm);

/* Returns the number of names, which is above each name's number. */
guint32 top_tasks_names(const TopTasks *tasks);

/* Returns whether names should be forgotten, so that there is room for others. */
gboolean top_tasks_lack_room(const TopTasks *tasks);

/*
 * Notes that all events have been taken that were written before the previous call. Only then are
 * threads dropped that have ended since.
 */
void top_tasks_catch_up(TopTasks *tasks);

/*
 * Forgets names that no thread has, and that are not @used, by number. Marks those that threads
 * have. The numbers get other names.
 */
void top_tasks_forget(TopTasks *tasks, gboolean *used);

/* Finds the numbers of the names of the process and the thread that caused @event. */
void top_tasks_find(const TopTasks *tasks, const struct trace_event *event, guint32 *process,
		    guint32 *thread);

/*
 * Returns whether the process and the thread that caused @event have these names or ids, or both as
 * "name-id". NULL: any.
 */
gboolean top_tasks_is(const TopTasks *tasks, const struct trace_event *event, const char *process,
		      const char *thread);

/* Returns the number of threads in memory. */
guint top_tasks_threads(const TopTasks *tasks);

/* Returns the name with a number, valid until names are forgotten. */
const char *top_tasks_name(const TopTasks *tasks, guint32 number);

#endif
