// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/growth/leak_verdict.h"

#define RATE_MAX      4e18 /* bytes per second; a hostile database has any */
#define NS_PER_SECOND 1e9

/* The live allocations that outlived the freed ones, and their distribution over time. */
typedef struct {
	gint64 count;
	gint64 skipped;    /* of these, before the active time */
	guint first, last; /* bins */
	gint64 from_ns, to_ns;
	gint64 horizon_ns; /* end of the time in which an allocation can be judged */
	gint64 pause_ns;   /* the longest time without one in between */
	guint filled;      /* windows with allocations */
	gint64 most, late; /* maximum of a window; in the second half */
	gint64 bursts;     /* in the two largest bursts; 0: they are too long to tell */
} Growth;

/* ---- load ---- */

static gsize load_before(const LeakLoad *load, gint64 ns)
{
	gsize low = 0, high = load->count;

	while (low < high) {
		gsize middle = low + (high - low) / 2;

		if (load->allocations[middle].ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static gboolean has_task(const LeakGroup *group, guint32 task)
{
	guint i = 0;

	while (i < group->task_count && group->tasks[i] != task)
		i++;
	return i < group->task_count;
}

/*
 * Counts the allocations from @from_ns to @to_ns, both included; with @group only those by its
 * tasks.
 */
static gint64 load_between(const LeakLoad *load, gint64 from_ns, gint64 to_ns,
			   const LeakGroup *group)
{
	gsize from = load_before(load, from_ns), to = load_before(load, to_ns + 1);
	gint64 count = 0;

	if (to <= from)
		return 0;
	if (!group || group->task_count > LEAK_TASKS)
		return (gint64)(to - from);
	for (gsize i = from; i < to; i++)
		count += has_task(group, load->allocations[i].task);
	return count;
}

/* ---- growth ---- */

/*
 * Returns the age from which live allocations have outlived the freed ones; 0 if too few were
 * freed.
 */
static gint64 patience(const LeakGroup *group, LeakJudgement *judgement)
{
	if (!group->freed_at || group->freed_at->total < LEAK_FREED_KNOWN)
		return 0;
	judgement->p99_ns = lifetime_bins_quantile(group->freed_at, LEAK_PERCENTILE);
	return judgement->p99_ns > G_MAXINT64 / LEAK_PATIENCE ? G_MAXINT64
							      : LEAK_PATIENCE * judgement->p99_ns;
}

/* Counts the bins that are entirely older than @age_ns. */
static void count_old(const TimeBins *live, gint64 age_ns, const LeakTrace *trace, Growth *growth)
{
	guint count = time_bins_count(live);

	growth->horizon_ns = MIN(trace->span_ns - MIN(age_ns, trace->span_ns), trace->until_ns);
	for (guint i = 0; i < count; i++) {
		if (age_ns && time_bins_to(live, i) > growth->horizon_ns)
			break;
		if (live->counts[i])
			growth->last = i;
		growth->count += live->counts[i];
	}
}

/* Leaves out the first few allocations if they are far from the others. */
static void skip_early(const TimeBins *live, Growth *growth)
{
	gint64 before = growth->count / LEAK_BEFORE_DIVISOR;
	guint first = growth->first, bins = growth->last + 1;

	while (first < growth->last && before >= live->counts[first])
		before -= live->counts[first++];
	if (first <= bins / LEAK_BEFORE_BINS_DIVISOR)
		return;
	while (growth->first < first)
		growth->skipped += live->counts[growth->first++];
}

/* Finds the active time, and the longest pause in it. */
static void find_range(const TimeBins *live, Growth *growth)
{
	gint64 last_ns;

	growth->from_ns = last_ns = time_bins_from(live, growth->first);
	growth->to_ns = time_bins_to(live, growth->last);
	for (guint i = growth->first; i <= growth->last; i++) {
		if (!live->counts[i])
			continue;
		growth->pause_ns = MAX(growth->pause_ns, time_bins_from(live, i) - last_ns);
		last_ns = time_bins_to(live, i);
	}
}

static void fill_windows(const TimeBins *live, Growth *growth)
{
	guint bins = growth->last - growth->first + 1;
	gint64 windows[LEAK_WINDOWS] = { 0 };

	for (guint i = 0; i < bins; i++)
		windows[(2 * i + 1) * LEAK_WINDOWS / (2 * bins)] += live->counts[growth->first + i];
	for (guint i = 0; i < LEAK_WINDOWS; i++) {
		growth->filled += windows[i] > 0;
		growth->most = MAX(growth->most, windows[i]);
		growth->late += i >= LEAK_WINDOWS / 2 ? windows[i] : 0;
	}
}

static gint64 count_of_burst(const TimeBins *live, const Growth *growth, guint at)
{
	return (gint64)live->counts[at] + (at < growth->last ? live->counts[at + 1] : 0);
}

/* Finds the two largest bursts, of two bins each, that do not overlap. */
static void find_bursts(const TimeBins *live, Growth *growth)
{
	guint largest = growth->first;
	gint64 second = 0;

	if (growth->last - growth->first + 1 < LEAK_BURSTS_BINS)
		return;
	for (guint i = growth->first; i <= growth->last; i++) {
		if (count_of_burst(live, growth, i) > count_of_burst(live, growth, largest))
			largest = i;
	}
	for (guint i = growth->first; i <= growth->last; i++) {
		if (i + 1 < largest || i > largest + 1)
			second = MAX(second, count_of_burst(live, growth, i));
	}
	growth->bursts = count_of_burst(live, growth, largest) + second;
}

/* ---- verdict ---- */

static gboolean has_support(const LeakGroup *group, gint64 count)
{
	return count >= LEAK_SUPPORT || (count >= LEAK_SUPPORT_LARGE && group->live.total > 0 &&
					 group->bytes / group->live.total >= LEAK_LARGE_BYTES);
}

static gboolean is_spread(const Growth *growth)
{
	gint64 count = growth->count;

	return growth->filled >= (count < LEAK_SUPPORT_MEDIUM ? LEAK_FILLED_FEW : LEAK_FILLED) &&
	       growth->most * 100 <= count * LEAK_BURST_PERCENT &&
	       growth->bursts * 100 <= count * LEAK_TWO_BURSTS_PERCENT &&
	       growth->late * 100 >= count * LEAK_LATER_PERCENT;
}

/* Returns how long growth has paused at the end, in percent of the active time and of its load. */
static gint64 paused_percent(const Growth *growth, const LeakTrace *trace, const LeakGroup *group)
{
	gint64 pause = growth->horizon_ns - growth->to_ns, active = growth->to_ns - growth->from_ns;
	gint64 load, since;

	if (pause <= LEAK_PAUSE * growth->pause_ns)
		return 0;
	load = load_between(&trace->load, growth->from_ns, growth->to_ns, group);
	since = load_between(&trace->load, growth->to_ns + 1, growth->horizon_ns, group);
	return (gint64)MIN(100. * pause / MAX(active, 1), 100. * since / MAX(load, 1));
}

static gboolean has_stopped(const Growth *growth, const LeakTrace *trace, const LeakGroup *group)
{
	return paused_percent(growth, trace, group) >= LEAK_STOPPED_PERCENT ||
	       paused_percent(growth, trace, NULL) >= LEAK_STOPPED_ALL_PERCENT;
}

static guint doubts_of(const LeakGroup *group, const LeakTrace *trace, const Growth *growth)
{
	gint64 active = growth->to_ns - growth->from_ns, count = growth->count;
	const struct {
		LeakDoubt doubt;
		gboolean there;
	} doubts[] = {
		{ LEAK_DOUBT_SHORT, trace->span_ns < LEAK_SPAN_HIGH_NS },
		{ LEAK_DOUBT_SUPPORT, count < LEAK_SUPPORT_HIGH },
		{ LEAK_DOUBT_BRIEF, active < LEAK_OPERATION_NS },
		{ LEAK_DOUBT_PART, active < trace->span_ns / LEAK_ACTIVE_DIVISOR },
		{ LEAK_DOUBT_PAUSED, paused_percent(growth, trace, NULL) >= LEAK_PAUSED_PERCENT },
		{ LEAK_DOUBT_RECLAIMABLE, group->reclaimable },
		{ LEAK_DOUBT_FOLLOWS, !group->reclaimable && group->follows },
		{ LEAK_DOUBT_CPUS, group->live.total <= __builtin_popcountll(group->cpus) },
		{ LEAK_DOUBT_INCOMPLETE, trace->incomplete },
		{ LEAK_DOUBT_LOST, 2 * group->doubtful > group->live.total },
		{ LEAK_DOUBT_UNSEEN, group->unseen },
		{ LEAK_DOUBT_DELAYED, group->delayed },
		{ LEAK_DOUBT_BOOT, trace->boot && trace->span_ns < LEAK_SPAN_BOOT_NS },
	};
	guint bits = 0;

	for (guint i = 0; i < G_N_ELEMENTS(doubts); i++)
		bits |= doubts[i].there ? doubts[i].doubt : 0;
	return bits;
}

static LeakConfidence confidence_of(const LeakTrace *trace, guint doubts, gint64 count)
{
	const guint low = LEAK_DOUBT_BRIEF | LEAK_DOUBT_LOST | LEAK_DOUBT_UNSEEN |
			  LEAK_DOUBT_RECLAIMABLE | LEAK_DOUBT_FOLLOWS | LEAK_DOUBT_DELAYED |
			  LEAK_DOUBT_CPUS | LEAK_DOUBT_BOOT;

	if (doubts & low || count < LEAK_SUPPORT_MEDIUM || trace->span_ns < LEAK_SPAN_NS)
		return LEAK_LOW;
	/* A short trace does not count when two doubts lower medium to low. */
	doubts &= ~(guint)LEAK_DOUBT_SHORT;
	if (doubts & (doubts - 1))
		return LEAK_LOW;
	return doubts || trace->span_ns < LEAK_SPAN_HIGH_NS ? LEAK_MEDIUM : LEAK_HIGH;
}

static LeakVerdict verdict_of_growth(const LeakTrace *trace, guint doubts)
{
	const guint other = LEAK_DOUBT_BRIEF | LEAK_DOUBT_RECLAIMABLE | LEAK_DOUBT_FOLLOWS |
			    LEAK_DOUBT_DELAYED | LEAK_DOUBT_CPUS | LEAK_DOUBT_UNSEEN |
			    LEAK_DOUBT_BOOT;

	return doubts & other || trace->span_ns < LEAK_SPAN_NS ? LEAK_POSSIBLE : LEAK_LIKELY;
}

static LeakJudgement judge_orphan(const LeakGroup *group, const LeakTrace *trace,
				  LeakJudgement judgement)
{
	judgement.verdict = LEAK_ORPHANED;
	judgement.outlived = group->live.total;
	judgement.doubts = (trace->incomplete ? LEAK_DOUBT_INCOMPLETE : 0) |
			   (2 * group->doubtful > group->live.total ? LEAK_DOUBT_LOST : 0) |
			   (group->unseen ? LEAK_DOUBT_UNSEEN : 0);
	judgement.confidence = judgement.doubts & (LEAK_DOUBT_LOST | LEAK_DOUBT_UNSEEN) ? LEAK_LOW
			       : judgement.doubts ? LEAK_MEDIUM
						  : LEAK_HIGH;
	return judgement;
}

LeakJudgement leak_judge(const LeakGroup *group, const LeakTrace *trace)
{
	LeakJudgement judgement = { .from_ns = group->live.first_ns, .to_ns = group->live.last_ns };
	gint64 age_ns = patience(group, &judgement);
	Growth growth = { 0 };

	if (group->orphaned)
		return judge_orphan(group, trace, judgement);
	if (!has_support(group, group->live.total))
		return judgement; /* LEAK_FEW */
	judgement.verdict = LEAK_IN_USE;
	count_old(&group->live, age_ns, trace, &growth);
	judgement.outlived = growth.count;
	if (!has_support(group, growth.count) ||
	    (age_ns && growth.count < LEAK_TAIL * lifetime_bins_above(group->freed_at, age_ns)))
		return judgement;
	skip_early(&group->live, &growth);
	find_range(&group->live, &growth);
	fill_windows(&group->live, &growth);
	find_bursts(&group->live, &growth);
	judgement.from_ns = growth.from_ns;
	judgement.to_ns = growth.to_ns;
	if (growth.to_ns > growth.from_ns) {
		double rate = (double)group->bytes / group->live.total *
			      (growth.count - growth.skipped) * NS_PER_SECOND /
			      (growth.to_ns - growth.from_ns);

		judgement.bytes_per_s = (gint64)CLAMP(rate, 0, RATE_MAX);
	}
	judgement.verdict = LEAK_STOPPED;
	if (!is_spread(&growth) || has_stopped(&growth, trace, group))
		return judgement;
	judgement.doubts = doubts_of(group, trace, &growth);
	judgement.confidence = confidence_of(trace, judgement.doubts, growth.count);
	judgement.verdict = verdict_of_growth(trace, judgement.doubts);
	return judgement;
}

/* ---- names ---- */

const char *leak_verdict_name(LeakVerdict verdict)
{
	static const char *const names[LEAK_VERDICTS] = {
		[LEAK_FEW] = "few",
		[LEAK_IN_USE] = "in use",
		[LEAK_STOPPED] = "stopped",
		[LEAK_POSSIBLE] = "possible leak",
		[LEAK_LIKELY] = "likely leak",
		[LEAK_ORPHANED] = "orphan",
	};

	return names[verdict];
}

const char *leak_verdict_legend(LeakVerdict verdict)
{
	static const char *const legends[LEAK_VERDICTS] = {
		[LEAK_FEW] = "too few are live to judge",
		[LEAK_IN_USE] = "not older than freed ones became",
		[LEAK_STOPPED] = "grew once or twice, or no longer grows",
		[LEAK_POSSIBLE] = "grows as a leak does, but so does what is no leak",
		[LEAK_LIKELY] = "keeps growing, and nothing suggests that it will be freed",
		[LEAK_ORPHANED] = "its module was unloaded: nothing is left to free it",
	};

	return legends[verdict];
}

const char *leak_confidence_name(LeakConfidence confidence)
{
	static const char *const names[] = { "low", "medium", "high" };

	return names[confidence];
}

const char *leak_doubt_name(LeakDoubt doubt)
{
	static const char *const names[] = { "short",      "support",     "brief",   "part",
					     "paused",     "reclaimable", "follows", "cpus",
					     "incomplete", "lost",        "unseen",  "delayed",
					     "boot" };

	return names[__builtin_ctz(doubt)];
}
