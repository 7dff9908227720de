/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns lifetimes to groups, by the words of --by. A group has one kind of memory. The origin of
 * an allocation determines its group, for processes and threads together with its task, and for
 * CPUs with its CPU, which the scans then return instead of the task. So statements map origins and
 * tasks to groups, and lifetimes are scanned as plain numbers. Groups are numbered in the order of
 * their names; those that are numbers, numerically.
 */
#ifndef KMT_REPORT_GROUPS_GROUPS_H
#define KMT_REPORT_GROUPS_GROUPS_H

#include "store/query/scan.h"
#include "trace/event/kind.h"

#define GROUPS_NONE G_MAXUINT32

typedef struct {
	guint32 group; /* without tasks; GROUPS_NONE: not included */
	guint8 kind;   /* enum trace_kind */
	gint64 bytes;  /* that one takes */
	/*
	 * When the module was unloaded, G_MAXINT64 if for good: it left what it allocated before.
	 * -1: it was not unloaded, or the kernel frees it. The second is the same for sites, stacks
	 * and modules, otherwise -1: what was left in such a group is an orphan.
	 */
	gint64 left_until_ns, orphan_until_ns;
} GroupOrigin;

typedef struct {
	guint32 origins, tasks; /* the highest numbers */
	GroupOrigin *origin;    /* by number */
	guint32 *task;        /* by number: its group of tasks, 0: unknown; GROUPS_NONE: left out */
	gboolean by_task;     /* a group is one of @firsts combined with one of @naming_tasks */
	gboolean by_cpu;      /* CPUs instead of tasks, from the scans named scan_…_by_cpu */
	GArray *firsts;       /* of guint32: by group without tasks, its first origin */
	GArray *naming_tasks; /* of guint32: by group of tasks, the task that names it */
	gint64 span_ns;       /* of the trace */
	gint64 page_size;
	gint64 factor; /* scale of displayed counts and bytes */
} Groups;

/*
 * @by: as of groups_is_by(), or "requested", the requested bytes, which is no word of an option.
 * @site: only allocations made by this function; "": all. *@groups is for groups_clear(), also
 * after an error.
 */
gboolean groups_read(StoreDb *db, const char *by, const char *site, Groups *groups, GError **error);

/*
 * The same for those who free: a group is of all kinds, as kfree_rcu() frees areas of vmalloc
 * space, too.
 */
gboolean groups_read_frees(StoreDb *db, const char *by, Groups *groups, GError **error);

/*
 * The same without the memory of the tracer and, unless @by is task or thread, of its recorder.
 * With a @site all of its memory is included. Not for the word cpu, which the scans of suspects
 * lack.
 */
gboolean groups_read_suspects(StoreDb *db, const char *by, const char *site, Groups *groups,
			      GError **error);
void groups_clear(Groups *groups);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Groups, groups_clear)

/* The words of --by in all commands, NULL-terminated. "process" is "task" in statements. */
extern const char *const groups_words[];

/* Returns the word in a title: "call site". */
const char *groups_title(const char *by);

/* Returns the number of groups of tasks for each group without tasks. */
static inline gsize groups_tasks(const Groups *groups)
{
	return groups->by_task ? groups->naming_tasks->len : 1;
}

/* Returns the highest possible number of groups. */
static inline gsize groups_count(const Groups *groups)
{
	return groups->firsts->len * groups_tasks(groups);
}

/* Returns NULL if the lifetime isn't included, or the database is invalid. */
static inline const GroupOrigin *groups_origin(const Groups *groups, gint64 origin)
{
	if (origin < 0 || origin > groups->origins || groups->origin[origin].group == GROUPS_NONE)
		return NULL;
	return &groups->origin[origin];
}

/*
 * Returns whether memory of @origin that @task allocated at @place is left out. That of interrupts
 * is not the interrupted task's, nor is that which an unloaded module left.
 */
static inline gboolean groups_leaves_out(const Groups *groups, const GroupOrigin *origin,
					 gint64 task, gint64 place, gint64 time_ns)
{
	return task >= 0 && task <= groups->tasks && groups->task[task] == GROUPS_NONE &&
	       !lifetime_is_of_interrupt(place) && time_ns > origin->left_until_ns;
}

/* Returns the group of an allocation of @origin by @task. */
static inline gsize groups_of(const Groups *groups, const GroupOrigin *origin, gint64 task)
{
	if (!groups->by_task)
		return origin->group;
	return origin->group * groups_tasks(groups) +
	       (task < 0 || task > groups->tasks ? 0 : groups->task[task]);
}

/* Return the origin and the task (0 for groups without tasks) that name a group. */
static inline guint32 groups_first(const Groups *groups, gsize group)
{
	return g_array_index(groups->firsts, guint32, group / groups_tasks(groups));
}

static inline guint32 groups_naming_task(const Groups *groups, gsize group)
{
	return g_array_index(groups->naming_tasks, guint32, group % groups_tasks(groups));
}

static inline enum trace_kind groups_kind(const Groups *groups, gsize group)
{
	return groups->origin[groups_first(groups, group)].kind;
}

#endif
