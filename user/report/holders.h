/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds memory: allocations in groups by stack, call site, module, cache, process or thread, of
 * each kind by itself, and what each group held at times of the trace. Pages that back something
 * else are left out, and so is what kfree_rcu() was called for and that was not freed yet. A block
 * of pages that was freed in parts counts as what is left of it, from the beginning on.
 *
 * What a group is follows from the origin of an allocation, of tasks alone from its task, so a
 * statement gives each origin its group, and lifetimes are read as plain numbers.
 */
#ifndef KMT_REPORT_HOLDERS_H
#define KMT_REPORT_HOLDERS_H

#include "analysis/shape.h"
#include "store/store.h"

typedef enum {
	HOLDERS_SLAB,
	HOLDERS_PAGE,
	HOLDERS_PERCPU,
	HOLDERS_VMALLOC,
	HOLDERS_KINDS,
} HoldersKind;

/* Bounds between ages: 1s, 10s, 1m, 10m. */
#define HOLDERS_AGES	5

typedef struct {
	/* One of the group, which its names are taken from; 0: no allocation. */
	guint32 origin, task;
	guint8 kind;		/* HoldersKind */
	gboolean wanted;	/* has a curve */
	gboolean orphaned;	/* of stacks, sites and modules: the module is gone at the end */
	gint64 live_bytes;	/* at the end of the trace, as all but the curve and *_count[] */
	gint64 ages[HOLDERS_AGES];	/* allocations that are live, by age */
	gint64 old_bytes, old_count;	/* of these, older than asked for */
	gint64 oldest_ns;	/* age */
	gint64 doubtful;	/* of old_count: allocated before the last events were lost */
	gint64 from_count, to_count;	/* live at the first and at the last time of the curve */
	gint64 curve[SHAPE_STEPS + 2];	/* bytes at each time; the last is for what comes later */
} HoldersGroup;

typedef struct {
	guint32 group;		/* what to add to that of the origin */
	guint32 first;		/* task of the group, which its name is taken from */
} HoldersTask;

typedef struct {
	StoreDb *db;
	gint64 span_ns;		/* of the trace */
	gint64 page_size;
	gint64 doubtful_ns;	/* a free before this time may be lost; 0: none was */
	GArray *groups;		/* of HoldersGroup */
	GArray *origins;	/* by number: group and bytes */
	GArray *tasks;		/* of HoldersTask, by number */
	GArray *left_out;	/* tasks that don't count, by number: gboolean */
} Holders;

/* "stack", "site", "module", "cache", "task" or "thread". */
gboolean holders_is_by(const char *by);

/*
 * *@holders is the caller's, for holders_clear(), also after an error. @site: only what this
 * function called for; "": all, but for what the tracer has, and, unless @by is task or thread, its recorder.
 */
gboolean holders_init(Holders *holders, StoreDb *db, const char *by, const char *site,
		      GError **error);
void holders_clear(Holders *holders);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Holders, holders_clear)

/* Reads what is live at the end. Old is what is older than @older_ns then. */
gboolean holders_read_live(Holders *holders, gint64 older_ns, GError **error);

/*
 * Reads what the groups that are wanted held from @from_ns to @to_ns, which is later: their curves
 * and counts. Of all that they held, also if store_restrict() was called for the database: what was
 * allocated in an interval alone can't rise behind it.
 */
gboolean holders_read_curves(Holders *holders, gint64 from_ns, gint64 to_ns, GError **error);

/*
 * The first @limit groups of a kind by @value, the largest first; none of which that isn't above 0.
 * Elements are HoldersGroup *, owned by @holders.
 */
GPtrArray *holders_top(const Holders *holders, HoldersKind kind, guint limit,
		       gint64 (*value)(const HoldersGroup *));

const char *holders_kind_name(HoldersKind kind);	/* as the view kinds has it */

#endif
