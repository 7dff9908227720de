/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups that may leak, and the scans that read the figures by which they are judged: for
 * suspects.c.
 */
#ifndef KMT_REPORT_LEAKS_SUSPECT_H
#define KMT_REPORT_LEAKS_SUSPECT_H

#include "report/groups/live_groups.h"
#include "report/print/printer.h"

#define SUSPECT_PAGES 16

typedef struct {
	LiveGroup *group;
	LeakGroup facts;
	LeakJudgement judgement;
	LifetimeBins *freed_at;       /* of facts; NULL: not read */
	const LiveGroup *leader;      /* of facts.follows: the group that it follows */
	guint64 pages[SUSPECT_PAGES]; /* of some live objects; of pages their origins; 0: unused */
} Suspect;

typedef struct {
	const Printer *printer;
	LiveGroups *live;
	LeakTrace trace;
	gint64 from_ns;      /* allocations before do not count */
	GArray *all;         /* of Suspect: groups with enough that is live, and orphans */
	guint32 *numbers;    /* by group: its number in @all; GROUPS_NONE: none */
	guint64 linear_base; /* address of page 0; 0: unknown */
} Suspects;

static inline Suspect *suspect_at(const Suspects *suspects, guint number)
{
	return &g_array_index(suspects->all, Suspect, number);
}

/* Of an allocation that is part of the sample. */
typedef struct {
	gsize group;
	gint64 lifetime_ns;
} SampledLifetime;

/*
 * Calls live_groups_read_live(), which finds the suspects and what is live of them, and reads the
 * load of the trace. *@lifetimes: those of the sample that ended, by group; of SampledLifetime, for
 * g_array_unref(), also after an error.
 */
gboolean suspects_read_live(Suspects *suspects, gint64 older_ns, GArray **lifetimes,
			    GError **error);

/*
 * Calls live_groups_read_curves() for the whole trace, and reads what the suspects from
 * LEAK_POSSIBLE on freed.
 */
gboolean suspects_read_freed(Suspects *suspects, GError **error);

/* Which suspects the kernel frees when memory is short. */
gboolean suspects_read_reclaimable(Suspects *suspects, GError **error);

#endif
