// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/suspects.h"

#include <string.h>

#include "base/compare.h"

static void judge(Suspects *suspects, Suspect *suspect, const LifetimeBins *freed_at)
{
	suspect->facts.freed_at = freed_at;
	suspect->judgement = leak_judge(&suspect->facts, &suspects->trace);
	suspect->facts.freed_at = NULL;
	suspect->group->verdict = suspect->judgement.verdict;
}

/*
 * Judges each suspect by its sampled lifetimes, which are adjacent. Each represents several
 * allocations, so one is enough to know how long freed ones lived. The sample may lack the longest
 * lifetime: lifetimes are assumed to be half as long again.
 */
static void judge_by_sample(Suspects *suspects, const GArray *lifetimes)
{
	g_autofree LifetimeBins *bins = g_new(LifetimeBins, 1);

	for (guint number = 0, at = 0; number < suspects->all->len; number++) {
		Suspect *suspect = suspect_at(suspects, number);
		gsize group = suspect->group - suspects->live->all;

		memset(bins, 0, sizeof(*bins));
		for (; at < lifetimes->len; at++) {
			const SampledLifetime *sampled =
				&g_array_index(lifetimes, SampledLifetime, at);

			if (sampled->group > group)
				break;
			for (guint i = 0; sampled->group == group && i < LEAK_FREED_KNOWN; i++)
				lifetime_bins_add(bins,
						  sampled->lifetime_ns + sampled->lifetime_ns / 2);
		}
		judge(suspects, suspect, bins);
	}
}

static void take_facts(StoreRows *rows, gpointer data)
{
	Suspects *suspects = data;

	suspects->linear_base = (guint64)store_rows_int(rows, 0);
	suspects->cpus = (guint)store_rows_int(rows, 1);
	suspects->trace.boot = store_rows_int(rows, 2) != 0;
}

gboolean suspects_read(Suspects *suspects, const Printer *printer, LiveGroups *live,
		       gint64 older_ns, GError **error)
{
	const Selection *selection = printer->selection;
	g_autoptr(GArray) lifetimes = NULL;
	LeakTrace *trace = &suspects->trace;

	*suspects = (Suspects){ .printer = printer, .live = live };
	suspects->all = g_array_new(FALSE, FALSE, sizeof(Suspect));
	trace->span_ns = trace->until_ns = MAX(live->groups.span_ns, 1);
	if (selection_has_interval(selection)) {
		suspects->from_ns = selection->from_ns;
		trace->until_ns = CLAMP(selection->to_ns, 0, trace->span_ns);
	}
	trace->incomplete = completeness_is_incomplete(&printer->completeness);
	if (!store_each(live->db, "suspects_facts", NULL, take_facts, suspects, error) ||
	    !suspects_read_live(suspects, older_ns, &lifetimes, error))
		return FALSE;
	judge_by_sample(suspects, lifetimes);
	return TRUE;
}

void suspects_clear(Suspects *suspects)
{
	for (guint i = 0; suspects->all && i < suspects->all->len; i++)
		g_free(suspect_at(suspects, i)->freed_at);
	g_clear_pointer(&suspects->all, g_array_unref);
	g_clear_pointer(&suspects->numbers, g_free);
	g_clear_pointer(&suspects->held, tally_free);
	g_clear_pointer(&suspects->trace.load.allocations, g_free);
}

/* ---- companions of reclaimable objects ---- */

#define FOLLOWS_POINTS  32
#define FOLLOWS_PERCENT 2  /* tolerance */
#define FOLLOWS_LEADERS 64 /* compared groups at most, to avoid quadratic time */

/*
 * Returns whether @live has as many allocations as @leader at each time, or twice or half as many.
 */
static gboolean follows(const TimeBins *live, const TimeBins *leader)
{
	static const double ratios[] = { 1, 2, .5 };
	double limit = (double)live->total * FOLLOWS_PERCENT / 100;

	for (guint i = 0; i < G_N_ELEMENTS(ratios); i++) {
		gboolean same = ABS(leader->total * ratios[i] - live->total) <= limit;

		for (guint j = 0; j <= FOLLOWS_POINTS && same; j++) {
			gint64 ns = live->first_ns +
				    (live->last_ns - live->first_ns) / FOLLOWS_POINTS * j;

			same = ABS(time_bins_before(leader, ns) * ratios[i] -
				   time_bins_before(live, ns)) <= limit;
		}
		if (same)
			return TRUE;
	}
	return FALSE;
}

static gint by_total(gconstpointer a, gconstpointer b)
{
	const Suspect *one = *(Suspect *const *)a, *other = *(Suspect *const *)b;

	return COMPARE(other->facts.live.total, one->facts.live.total) ?: COMPARE(one, other);
}

/*
 * Returns the reclaimable groups with the most live allocations: of Suspect *, for
 * g_ptr_array_unref().
 */
static GPtrArray *find_leaders(const Suspects *suspects)
{
	GPtrArray *leaders = g_ptr_array_new();

	for (guint i = 0; i < suspects->all->len; i++) {
		Suspect *suspect = suspect_at(suspects, i);

		if (suspect->facts.reclaimable && suspect->judgement.verdict >= LEAK_POSSIBLE)
			g_ptr_array_add(leaders, suspect);
	}
	g_ptr_array_sort(leaders, by_total);
	g_ptr_array_set_size(leaders, MIN(leaders->len, FOLLOWS_LEADERS));
	return leaders;
}

static void find_leader(const Suspects *suspects, const GPtrArray *leaders, Suspect *suspect)
{
	for (guint i = 0; i < leaders->len && !suspect->leader; i++) {
		const Suspect *leader = g_ptr_array_index(leaders, i);

		if (follows(&suspect->facts.live, &leader->facts.live))
			suspect->leader = suspects_origin(suspects, leader);
	}
	suspect->facts.follows = suspect->leader != 0;
}

gboolean suspects_judge_again(Suspects *suspects, LeakVerdict from)
{
	gboolean any = FALSE;

	for (guint i = 0; i < suspects->all->len; i++) {
		Suspect *suspect = suspect_at(suspects, i);

		if (suspect->judgement.verdict >= from)
			judge(suspects, suspect, suspect->freed_at);
		any |= suspect->judgement.verdict >= LEAK_POSSIBLE;
	}
	return any;
}

gboolean suspects_judge(Suspects *suspects, GError **error)
{
	g_autoptr(GPtrArray) leaders = NULL;

	for (gsize i = 0; i < suspects->live->count; i++) {
		LiveGroup *group = &suspects->live->all[i];

		group->wanted |= group->verdict >= LEAK_POSSIBLE;
	}
	if (!suspects_read_freed(suspects, error))
		return FALSE;
	if (!suspects_judge_again(suspects, LEAK_POSSIBLE))
		return TRUE;
	if (!suspects_read_reclaimable(suspects, error) || !suspects_read_caches(suspects, error))
		return FALSE;
	suspects_judge_again(suspects, LEAK_POSSIBLE);
	leaders = find_leaders(suspects);
	for (guint i = 0; i < suspects->all->len; i++) {
		if (suspect_at(suspects, i)->judgement.verdict == LEAK_LIKELY)
			find_leader(suspects, leaders, suspect_at(suspects, i));
	}
	if (!suspects_judge_again(suspects, LEAK_LIKELY))
		return TRUE;
	if (!suspects_read_company(suspects, error))
		return FALSE;
	suspects_judge_again(suspects, LEAK_LIKELY);
	return TRUE;
}

/* ---- sorting ---- */

static gint by_suspicion(gconstpointer a, gconstpointer b)
{
	const Suspect *one = *(Suspect *const *)a, *other = *(Suspect *const *)b;

	return COMPARE(other->judgement.verdict, one->judgement.verdict)
		       ?: COMPARE(other->judgement.confidence, one->judgement.confidence)
		       ?: COMPARE(other->facts.bytes, one->facts.bytes)
		       ?: COMPARE(one->group, other->group);
}

GPtrArray *suspects_sorted(const Suspects *suspects)
{
	GPtrArray *sorted = g_ptr_array_new();

	for (guint i = 0; i < suspects->all->len; i++) {
		if (suspect_at(suspects, i)->judgement.verdict >= LEAK_POSSIBLE)
			g_ptr_array_add(sorted, suspect_at(suspects, i));
	}
	g_ptr_array_sort(sorted, by_suspicion);
	return sorted;
}
