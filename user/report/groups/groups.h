/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns lifetimes to groups, by the words of --by. A group has one kind of memory. It follows
 * from the origin of an allocation, and for processes, threads and CPUs also from its task, or its
 * CPU, which the scans then have in place of the task. So statements map origins and tasks to
 * groups, and lifetimes are scanned as plain numbers. Groups are numbered in the order of their
 * names; what has numbers, in the order of these.
 */
#ifndef KMT_REPORT_GROUPS_GROUPS_H
#define KMT_REPORT_GROUPS_GROUPS_H

#include "store/query/scan.h"
#include "trace/event/kind.h"

#define GROUPS_NONE G_MAXUINT32

typedef struct {
	guint32 group; /* without tasks; GROUPS_NONE: not wanted */
	guint8 kind;   /* enum trace_kind */
	gint64 bytes;  /* that one takes */
	/*
	 * Of sites, stacks and modules: when the module was unloaded, G_MAXINT64 if for good. What
	 * it allocated before is an orphan. -1: it was not unloaded.
	 */
	gint64 orphan_until_ns;
} GroupOrigin;

typedef struct {
	guint32 origins, tasks; /* the highest numbers */
	GroupOrigin *origin;    /* by number */
	guint32 *task;    /* by number: its group of tasks, 0: not known; GROUPS_NONE: left out */
	gboolean by_task; /* a group is one of @firsts and one of @first_tasks */
	gboolean by_cpu;  /* CPUs stand for tasks: scans are those named scan_…_by_cpu */
	GArray *firsts;   /* of guint32: by group without tasks, its first origin */
	GArray *first_tasks; /* of guint32: by group of tasks, its first task */
	gint64 span_ns;      /* of the trace */
	gint64 page_size;
	gint64 factor; /* of counts and bytes that are shown */
} Groups;

/*
 * @by: as of groups_is_by(), or "requested", the bytes asked for, which no option takes.
 * @site: only what this function called for; "": all. *@groups is for groups_clear(), also after an
 * error.
 */
gboolean groups_read(StoreDb *db, const char *by, const char *site, Groups *groups, GError **error);

/*
 * The same without the memory of the tracer and, unless @by is task or thread, of its recorder.
 * With a @site all memory of that is included. Not for the word cpu, which the scans of suspects
 * don't have.
 */
gboolean groups_read_suspects(StoreDb *db, const char *by, const char *site, Groups *groups,
			      GError **error);
void groups_clear(Groups *groups);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Groups, groups_clear)

/* The words of --by in all commands, NULL behind the last. "process" is "task" to statements. */
extern const char *const groups_words[];

/* What a title says of a word: "call site". */
const char *groups_title(const char *by);

/* How many groups of tasks there are for each group without tasks. */
static inline gsize groups_tasks(const Groups *groups)
{
	return groups->by_task ? groups->first_tasks->len : 1;
}

/* How many there can be. */
static inline gsize groups_count(const Groups *groups)
{
	return groups->firsts->len * groups_tasks(groups);
}

/* NULL: the lifetime isn't wanted, or its database is invalid. */
static inline const GroupOrigin *groups_origin(const Groups *groups, gint64 origin)
{
	if (origin < 0 || origin > groups->origins || groups->origin[origin].group == GROUPS_NONE)
		return NULL;
	return &groups->origin[origin];
}

/* Whether the memory of @task is left out. */
static inline gboolean groups_leaves_out(const Groups *groups, gint64 task)
{
	return task >= 0 && task <= groups->tasks && groups->task[task] == GROUPS_NONE;
}

/* The group of an allocation of @origin by @task. */
static inline gsize groups_of(const Groups *groups, const GroupOrigin *origin, gint64 task)
{
	if (!groups->by_task)
		return origin->group;
	return origin->group * groups_tasks(groups) +
	       (task < 0 || task > groups->tasks ? 0 : groups->task[task]);
}

/* The first origin of a group, and its first task (0 if groups are not tasks): they name it. */
static inline guint32 groups_first(const Groups *groups, gsize group)
{
	return g_array_index(groups->firsts, guint32, group / groups_tasks(groups));
}

static inline guint32 groups_first_task(const Groups *groups, gsize group)
{
	return g_array_index(groups->first_tasks, guint32, group % groups_tasks(groups));
}

static inline enum trace_kind groups_kind(const Groups *groups, gsize group)
{
	return groups->origin[groups_first(groups, group)].kind;
}

#endif
