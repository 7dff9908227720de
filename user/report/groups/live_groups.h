/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live memory of each group (report/groups/groups.h), at the end and at other times of the trace.
 * Pages that back other memory are left out, and so is memory passed to kfree_rcu(). A block of
 * pages that was freed in parts counts with the remaining pages from the beginning on.
 */
#ifndef KMT_REPORT_GROUPS_LIVE_GROUPS_H
#define KMT_REPORT_GROUPS_LIVE_GROUPS_H

#include "analysis/growth/growth_pattern.h"
#include "analysis/growth/leak_verdict.h"
#include "report/groups/groups.h"
#include "report/groups/live_interval.h"

/* Bounds between ages: 1s, 10s, 1m, 10m. */
#define LIVE_GROUPS_AGES 5

typedef struct {
	guint8 kind;       /* enum trace_kind */
	gboolean wanted;   /* has a curve */
	gint64 orphans;    /* live allocations from before its module was unloaded */
	gint64 live_bytes; /* at the end of the trace, as all fields but the curve and *_count */
	gint64 ages[LIVE_GROUPS_AGES]; /* live allocations, by age */
	gint64 oldest_ns;              /* age */
	gint64 old_bytes, old_count;   /* of these, older than the limit */
	gint64 doubtful;             /* of old_count: allocated before the last events were lost */
	gint64 from_count, to_count; /* live at the first and at the last time of the curve */
	LeakVerdict verdict;         /* LEAK_FEW, until the group is judged */
	gint64 curve[GROWTH_STEPS + 2]; /* bytes at each time; the last one is for later changes */
} LiveGroup;

typedef struct {
	StoreDb *db;
	const char *by; /* as given */
	Groups groups;
	gint64 doubtful_ns; /* a free before this time may be lost; 0: none */
	LiveGroup *all;     /* by group; those without allocations have no bytes */
	gsize count;
} LiveGroups;

/*
 * Reads groups of suspects, as of groups_read_suspects(). @by must live as long as @live. *@live is
 * for live_groups_clear(), also after an error.
 */
gboolean live_groups_init(LiveGroups *live, StoreDb *db, const char *by, const char *site,
			  GError **error);
void live_groups_clear(LiveGroups *live);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LiveGroups, live_groups_clear)

/* Columns of scan_live.sql, scan_live_sample.sql and scan_curves.sql after LIVE_INTERVAL_PARTS. */
enum { LIVE_PLACE = LIVE_INTERVAL_PARTS + 1, LIVE_ADDR, LIVE_IS_SAMPLE };

/*
 * Additional work for each allocation; @values are the columns of the statement. Each worker has an
 * element of @data; two run at the same time.
 */
typedef struct {
	void (*take)(gpointer data, const LiveInterval *interval, const gint64 *values);
	/*
	 * The same for a sample of all allocations except those of the tracer and its recorder,
	 * only from live_groups_read_live(); @interval is NULL if it is in no group.
	 */
	void (*take_sample)(gpointer data, const LiveInterval *interval, const gint64 *values);
	gpointer data[SCAN_WORKERS];
} LiveGroupsAlso;

/*
 * Reads live allocations at the end. Those older than @older_ns are old. @also may be NULL, also
 * below.
 */
gboolean live_groups_read_live(LiveGroups *live, gint64 older_ns, const LiveGroupsAlso *also,
			       GError **error);

/*
 * Reads what the wanted groups held from @from_ns to @to_ns, which is later: their curves and
 * counts. After store_restrict() on the database, allocations outside of its interval count, too:
 * those of one interval alone can't grow after it.
 */
gboolean live_groups_read_curves(LiveGroups *live, gint64 from_ns, gint64 to_ns,
				 const LiveGroupsAlso *also, GError **error);

/*
 * Returns the first @limit groups of a kind with a @value above 0, the largest first. Elements are
 * LiveGroup *, owned by @live.
 */
GPtrArray *live_groups_top(const LiveGroups *live, enum trace_kind kind, guint limit,
			   gint64 (*value)(const LiveGroup *));

#endif
