/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns lifetimes to groups: by call site, stack, cache, module, task (a process) or thread. A
 * group has one kind of memory.
 */
#ifndef KMT_REPORT_GROUPS_GROUPS_H
#define KMT_REPORT_GROUPS_GROUPS_H

#include "store/query/scan.h"

#define GROUPS_NONE G_MAXUINT32

typedef struct {
	guint32 group; /* without tasks; GROUPS_NONE: not wanted */
	guint8 kind;
	guint32 bytes; /* that one takes */
} GroupOrigin;

typedef struct {
	guint32 origins, tasks; /* the highest numbers */
	GroupOrigin *origin;    /* by number */
	guint32 *task;          /* by number: the first task that is the same */
	gboolean by_task;       /* a group is one of @firsts and one of tasks */
	GArray *firsts;         /* of guint32: by group without tasks, its first origin */
	gint64 span_ns;         /* of the trace */
	gint64 page_size;
} Groups;

/*
 * @site: only what this function called for; "": all. *@groups is for groups_clear(), also after an
 * error.
 */
gboolean groups_read(StoreDb *db, const char *by, const char *site, Groups *groups, GError **error);
void groups_clear(Groups *groups);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Groups, groups_clear)

/* How many there can be. */
gsize groups_count(const Groups *groups);

/* NULL: the lifetime isn't wanted, or its database is invalid. */
static inline const GroupOrigin *groups_origin(const Groups *groups, gint64 origin)
{
	if (origin < 0 || origin > groups->origins || groups->origin[origin].group == GROUPS_NONE)
		return NULL;
	return &groups->origin[origin];
}

/* The group of an allocation of @origin by @task. */
static inline gsize groups_of(const Groups *groups, const GroupOrigin *origin, gint64 task)
{
	if (!groups->by_task)
		return origin->group;
	return (gsize)origin->group * (groups->tasks + 1) +
	       (task < 0 || task > groups->tasks ? 0 : groups->task[task]);
}

/*
 * Appends "first origin,task", by which a statement finds a group's name; task is 0 but for tasks.
 */
void groups_append(const Groups *groups, gsize group, GString *json);

#endif
