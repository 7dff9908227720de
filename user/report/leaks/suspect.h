/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups that may leak, and the scans that read the figures to judge them. Private to
 * suspects.c and suspects_*.c.
 */
#ifndef KMT_REPORT_LEAKS_SUSPECT_H
#define KMT_REPORT_LEAKS_SUSPECT_H

#include "analysis/containers/tally.h"
#include "report/groups/live_groups.h"
#include "report/print/printer.h"

#define SUSPECT_PAGES 16

typedef struct {
	LiveGroup *group;
	LeakGroup facts;
	LeakJudgement judgement;
	LifetimeBins *freed_at;       /* of facts; NULL: not read */
	guint32 leader;               /* of facts.follows: an origin of the group that it follows */
	guint64 oldest_addr;          /* of the allocation at facts.live.first_ns; 0: unknown */
	guint64 pages[SUSPECT_PAGES]; /* of some live objects; for pages their origins; 0: unused */
} Suspect;

typedef struct {
	const Printer *printer;
	LiveGroups *live;
	LeakTrace trace;
	gint64 from_ns;      /* earlier allocations do not count */
	GArray *all;         /* of Suspect: groups with enough live memory, and orphans */
	guint32 *numbers;    /* by group: its index in @all; GROUPS_NONE: none */
	guint64 linear_base; /* address of page 0; 0: unknown */
	guint cpus;          /* 0: unknown */
	Tally *held;         /* live allocations by origin and task: suspects_held_key() */
} Suspects;

static inline Suspect *suspect_at(const Suspects *suspects, guint number)
{
	return &g_array_index(suspects->all, Suspect, number);
}

/* Returns an origin of the suspect's group. */
static inline guint32 suspects_origin(const Suspects *suspects, const Suspect *suspect)
{
	return groups_first(&suspects->live->groups, suspect->group - suspects->live->all);
}

static inline guint64 suspects_held_key(gint64 origin, gint64 task)
{
	return (guint64)origin << 32 | (guint32)task;
}

static inline guint32 suspects_held_origin(const TallyRow *row)
{
	return (guint32)(row->key >> 32);
}

static inline guint32 suspects_held_task(const TallyRow *row)
{
	return (guint32)row->key;
}

/* Returns the suspect of a row of @held; GROUPS_NONE: none. */
static inline guint32 suspects_held_number(const Suspects *suspects, const TallyRow *row)
{
	const Groups *groups = &suspects->live->groups;
	const GroupOrigin *origin = groups_origin(groups, suspects_held_origin(row));

	return suspects->numbers[groups_of(groups, origin, suspects_held_task(row))];
}

/* An allocation of the sample. */
typedef struct {
	gsize group;
	gint64 lifetime_ns;
} SampledLifetime;

/*
 * Calls live_groups_read_live(), which finds the suspects and their live allocations, and reads the
 * load of the trace. *@lifetimes: the lifetimes in the sample that ended, by group; of
 * SampledLifetime, for g_array_unref(), also after an error.
 */
gboolean suspects_read_live(Suspects *suspects, gint64 older_ns, GArray **lifetimes,
			    GError **error);

/*
 * Calls live_groups_read_curves() for the whole trace, and reads what suspects from LEAK_POSSIBLE
 * on have freed.
 */
gboolean suspects_read_freed(Suspects *suspects, GError **error);

/* Finds the suspects that the kernel frees when memory is short. */
gboolean suspects_read_reclaimable(Suspects *suspects, GError **error);

/* The same by their caches. Also finds the suspects that are freed with a delay. */
gboolean suspects_read_caches(Suspects *suspects, GError **error);

/*
 * Finds likely leaks that come with objects of reclaimable suspects: sets facts.follows and leader.
 */
gboolean suspects_read_company(Suspects *suspects, GError **error);

/* Judges suspects from @from on again. Returns FALSE if none from LEAK_POSSIBLE on is left. */
gboolean suspects_judge_again(Suspects *suspects, LeakVerdict from);

#endif
