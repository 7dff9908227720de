/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of threads and of their processes now. Their number is limited, since any process can
 * give itself new names all the time.
 */
#ifndef KMT_TOP_TASKS_H
#define KMT_TOP_TASKS_H

#include <glib.h>

#include "trace/event/event.h"

typedef struct TopTasks TopTasks;

TopTasks *top_tasks_new(void);
void top_tasks_free(TopTasks *tasks);

/* From now on the thread @tid of the process @tgid has this name. */
void top_tasks_rename(TopTasks *tasks, guint32 tid, guint32 tgid, const char *comm);

/* Numbers of the names of who makes @event: its process, and its thread. */
void top_tasks_find(const TopTasks *tasks, const struct trace_event *event, guint32 *process,
		    guint32 *thread);

/*
 * Whether who makes @event is the process and the thread of these names or ids, or of both as
 * "name-id". NULL: any.
 */
gboolean top_tasks_is(const TopTasks *tasks, const struct trace_event *event, const char *process,
		      const char *thread);

/* As long as the TopTasks; one for each number. */
const char *top_tasks_name(const TopTasks *tasks, guint32 number);

#endif
