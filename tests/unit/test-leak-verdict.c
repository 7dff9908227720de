// SPDX-License-Identifier: GPL-2.0-or-later
/* Bins of times and lifetimes, and the judgement of groups with known figures. */
#include <glib.h>

#include "analysis/growth/leak_verdict.h"

#define MS	G_GINT64_CONSTANT(1000000)
#define SECOND	(1000 * MS)

/* ---- bins ---- */

static void expect_same_bins(const TimeBins *a, const TimeBins *b)
{
	g_assert_cmpint(a->total, ==, b->total);
	g_assert_cmpint(a->first_ns, ==, b->first_ns);
	g_assert_cmpint(a->last_ns, ==, b->last_ns);
	g_assert_cmpuint(a->shift, ==, b->shift);
	g_assert_cmpint(a->slot, ==, b->slot);
	g_assert_cmpmem(a->counts, sizeof(a->counts), b->counts, sizeof(b->counts));
}

/* The result is the same in any order, and in any split. */
static void time_bins_do_not_depend_on_the_order(void)
{
	for (guint round = 0; round < 2000; round++) {
		TimeBins all = { 0 }, back = { 0 }, parts[2] = { { 0 }, { 0 } };
		guint count = g_test_rand_int_range(1, 60);
		gint64 times[60];

		for (guint i = 0; i < count; i++) {
			times[i] = (gint64)g_test_rand_int_range(0, G_MAXINT)
				   << g_test_rand_int_range(0, 28);
			time_bins_add(&all, times[i]);
			time_bins_add(&parts[g_test_rand_int_range(0, 2)], times[i]);
		}
		for (guint i = count; i-- > 0;)
			time_bins_add(&back, times[i]);
		time_bins_merge(&parts[0], &parts[1]);
		expect_same_bins(&all, &back);
		expect_same_bins(&all, &parts[0]);
	}
}

static void time_bins_have_each_time_in_its_bin(void)
{
	TimeBins bins = { 0 };
	guint sum = 0;

	for (guint i = 0; i < 1000; i++)
		time_bins_add(&bins, 5 * SECOND + i * 10 * MS);
	g_assert_cmpint(bins.total, ==, 1000);
	g_assert_cmpint(bins.first_ns, ==, 5 * SECOND);
	g_assert_cmpint(bins.last_ns, ==, 14990 * MS);
	g_assert_cmpuint(time_bins_count(&bins), >, TIME_BINS / 2);
	g_assert_cmpint(time_bins_from(&bins, 0), ==, bins.first_ns);
	g_assert_cmpint(time_bins_to(&bins, time_bins_count(&bins) - 1), ==, bins.last_ns);
	for (guint i = 0; i < time_bins_count(&bins); i++) {
		sum += bins.counts[i];
		g_assert_cmpint(time_bins_before(&bins, time_bins_to(&bins, i) + 1), ==, sum);
	}
	g_assert_cmpuint(sum, ==, 1000);
	g_assert_cmpint(time_bins_before(&bins, 0), ==, 0);
	g_assert_cmpint(time_bins_before(&bins, 10 * SECOND), >=, 495);
	g_assert_cmpint(time_bins_before(&bins, 10 * SECOND), <=, 505);
}

static void lifetime_quantiles_are_an_eighth_too_large_at_most(void)
{
	for (guint round = 0; round < 200; round++) {
		LifetimeBins bins = { 0 }, other = { 0 };
		gint64 scale = G_GINT64_CONSTANT(1) << g_test_rand_int_range(0, 50);

		for (gint64 i = 1; i <= 1000; i++)
			lifetime_bins_add(i % 2 ? &bins : &other, i * scale);
		lifetime_bins_merge(&bins, &other);
		g_assert_cmpint(bins.total, ==, 1000);
		g_assert_cmpint(lifetime_bins_quantile(&bins, 99), >=, 990 * scale);
		g_assert_cmpint(lifetime_bins_quantile(&bins, 99), <=, 990 * scale / 8 * 9);
		g_assert_cmpint(lifetime_bins_above(&bins, 1000 * scale), ==, 0);
		g_assert_cmpint(lifetime_bins_above(&bins, 500 * scale), <=, 500);
		g_assert_cmpint(lifetime_bins_above(&bins, 500 * scale), >=, 430);
	}
}

static void lifetime_bins_take_any_number(void)
{
	const gint64 numbers[] = { G_MININT64, -1, 0, 7, 8, 15, 16, G_MAXINT64 };
	LifetimeBins bins = { 0 };

	g_assert_cmpint(lifetime_bins_quantile(&bins, 99), ==, 0);
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
		lifetime_bins_add(&bins, numbers[i]);
	g_assert_cmpint(lifetime_bins_quantile(&bins, 100), ==, G_MAXINT64);
	g_assert_cmpint(lifetime_bins_quantile(&bins, 1), ==, 0);
	g_assert_cmpint(lifetime_bins_above(&bins, 16), ==, 1);
	g_assert_cmpint(lifetime_bins_above(&bins, -5), ==, 5);
}

/* ---- judgement ---- */

/* Live allocations of 256 bytes: @count, evenly spaced from @from_ms to @to_ms. */
typedef struct {
	guint count;
	gint64 from_ms, to_ms;
} Run;

/* A group in a trace whose load is one allocation each millisecond, from 0 to load_ms. */
typedef struct {
	const char *name;
	gint64 span_ms, load_ms;
	Run live[3];
	guint freed; /* with lifetimes evenly distributed up to: */
	gint64 life_ms;
	LeakVerdict verdict;
	LeakConfidence confidence;
	guint doubts;
} Case;

static void put_times(TimeBins *bins, const Run *run)
{
	for (guint i = 0; i < run->count; i++)
		time_bins_add(bins, run->from_ms * MS + (run->to_ms - run->from_ms) * MS * i /
							MAX(run->count - 1, 1));
}

static LeakTrace trace_of(gint64 span_ms, gint64 load_ms)
{
	LeakTrace trace = { .span_ns = span_ms * MS, .until_ns = span_ms * MS };

	trace.load.count = load_ms;
	trace.load.allocations = g_new(LeakAllocation, load_ms + 1);
	for (gint64 i = 0; i < load_ms; i++)
		trace.load.allocations[i] = (LeakAllocation){ i * MS, 1 };
	return trace;
}

static LeakJudgement judge(const Case *known, const LeakGroup *more)
{
	LeakGroup group = *more;
	LeakTrace trace = trace_of(known->span_ms, known->load_ms);
	LifetimeBins lifetimes = { 0 };
	LeakJudgement judgement;

	for (guint i = 0; i < G_N_ELEMENTS(known->live); i++)
		put_times(&group.live, &known->live[i]);
	for (guint i = 1; i <= known->freed; i++)
		lifetime_bins_add(&lifetimes, known->life_ms * MS * i / known->freed);
	group.bytes = group.bytes ?: 256 * group.live.total;
	group.freed = known->freed;
	group.freed_at = &lifetimes;
	group.allocated = group.freed + group.live.total;
	group.cpus = group.cpus ?: 1;
	group.tasks[0] = 1;
	group.task_count = 1;
	judgement = leak_judge(&group, &trace);
	g_free(trace.load.allocations);
	return judgement;
}

#define NO_LEAK(verdict) verdict, LEAK_LOW, 0

static const Case cases[] = {
	{ "a leak", 60000, 60000, { { 600, 0, 59900 } }, 0, 0, LEAK_LIKELY, LEAK_HIGH, 0 },
	{ "with an idle tail", 3000, 2000, { { 200, 0, 2000 } }, 0, 0, LEAK_LIKELY, LEAK_MEDIUM,
	  LEAK_DOUBT_SHORT },
	{ "with a long idle tail", 600000, 2000, { { 200, 0, 2000 } }, 0, 0, LEAK_LIKELY,
	  LEAK_MEDIUM, LEAK_DOUBT_PART },
	{ "which stopped", 10000, 10000, { { 200, 0, 2000 } }, 0, 0, NO_LEAK(LEAK_STOPPED) },
	{ "which paused", 60000, 60000, { { 200, 0, 50000 } }, 0, 0, LEAK_LIKELY, LEAK_MEDIUM,
	  LEAK_DOUBT_PAUSED },
	{ "slow", 600000, 60000, { { 20, 15000, 590000 } }, 0, 0, LEAK_LIKELY, LEAK_MEDIUM,
	  LEAK_DOUBT_SUPPORT },
	{ "slower", 600000, 60000, { { 8, 15000, 590000 } }, 0, 0, LEAK_LIKELY, LEAK_LOW,
	  LEAK_DOUBT_SUPPORT },
	{ "too few", 600000, 60000, { { 7, 15000, 590000 } }, 0, 0, NO_LEAK(LEAK_FEW) },
	{ "three bursts", 60000, 60000, { { 40, 0, 2 }, { 40, 20000, 20002 }, { 40, 45000, 45002 } },
	  0, 0, LEAK_LIKELY, LEAK_HIGH, 0 },
	{ "two bursts", 60000, 60000, { { 40, 0, 2 }, { 40, 40000, 40002 } }, 0, 0, NO_LEAK(LEAK_STOPPED) },
	{ "one burst", 60000, 60000, { { 200, 30000, 30050 } }, 0, 0, NO_LEAK(LEAK_STOPPED) },
	{ "one burst at the end", 60000, 60000, { { 200, 59940, 60000 } }, 0, 0, LEAK_POSSIBLE,
	  LEAK_LOW, LEAK_DOUBT_BRIEF | LEAK_DOUBT_PART },
	{ "late", 60000, 60000, { { 200, 55000, 60000 } }, 0, 0, LEAK_LIKELY, LEAK_MEDIUM,
	  LEAK_DOUBT_PART },
	{ "late, after some early ones", 60000, 60000, { { 10, 0, 100 }, { 200, 50000, 60000 } }, 0,
	  0, LEAK_LIKELY, LEAK_HIGH, 0 },
	{ "a burst among others", 60000, 60000, { { 5, 0, 60000 }, { 200, 30000, 30010 } }, 0, 0,
	  NO_LEAK(LEAK_STOPPED) },
	{ "a cache that fills ever slower", 60000, 60000,
	  { { 160, 0, 15000 }, { 30, 15000, 30000 }, { 10, 30000, 60000 } }, 0, 0,
	  NO_LEAK(LEAK_STOPPED) },
	{ "a short trace", 900, 900, { { 200, 0, 890 } }, 0, 0, LEAK_POSSIBLE, LEAK_LOW,
	  LEAK_DOUBT_SHORT },
	{ "beside many frees", 60000, 60000, { { 100, 0, 59000 } }, 5000, 500, LEAK_LIKELY,
	  LEAK_HIGH, 0 },
	{ "lifetimes as long as the trace", 60000, 60000, { { 100, 0, 59000 } }, 100, 40000,
	  NO_LEAK(LEAK_IN_USE) },
	{ "young ones", 60000, 60000, { { 500, 59000, 60000 } }, 5000, 1000, NO_LEAK(LEAK_IN_USE) },
	{ "young ones, and some of the beginning", 60000, 60000,
	  { { 30, 0, 90 }, { 500, 59000, 60000 } }, 5000, 1000, NO_LEAK(LEAK_STOPPED) },
	{ "young ones, and a leak", 60000, 60000, { { 60, 0, 55000 }, { 500, 59000, 60000 } }, 5000,
	  1000, LEAK_LIKELY, LEAK_HIGH, 0 },
	{ "too few freed to know", 60000, 60000, { { 100, 0, 59000 } }, 4, 40000, LEAK_LIKELY,
	  LEAK_HIGH, 0 },
	{ "nothing live", 60000, 60000, { { 0 } }, 5000, 1000, NO_LEAK(LEAK_FEW) },
};

static void expect(const Case *known, const LeakJudgement *found)
{
	gboolean suspect = known->verdict >= LEAK_POSSIBLE;

	if (found->verdict != known->verdict ||
	    (suspect && (found->confidence != known->confidence || found->doubts != known->doubts)))
		g_error("%s: %s, %s, doubts %x; expected %s, %s, %x", known->name,
			leak_verdict_name(found->verdict), leak_confidence_name(found->confidence),
			found->doubts, leak_verdict_name(known->verdict),
			leak_confidence_name(known->confidence), known->doubts);
}

static void known_groups_have_their_verdict(void)
{
	const LeakGroup group = { 0 };

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		LeakJudgement found = judge(&cases[i], &group);

		expect(&cases[i], &found);
	}
}

/* A leak with high confidence, and with counter-evidence. */
static void doubts_lower_verdict_and_confidence(void)
{
	const struct {
		const char *name;
		LeakGroup group;
		LeakVerdict verdict;
		LeakConfidence confidence;
		guint doubts;
	} table[] = {
		{ "orphaned", { .orphaned = TRUE }, LEAK_ORPHANED, LEAK_HIGH, 0 },
		{ "orphaned, frees unseen", { .orphaned = TRUE, .unseen = TRUE }, LEAK_ORPHANED,
		  LEAK_LOW, LEAK_DOUBT_UNSEEN },
		{ "reclaimable", { .reclaimable = TRUE }, LEAK_POSSIBLE, LEAK_LOW,
		  LEAK_DOUBT_RECLAIMABLE },
		{ "follows", { .follows = TRUE }, LEAK_POSSIBLE, LEAK_LOW, LEAK_DOUBT_FOLLOWS },
		{ "delayed", { .delayed = TRUE }, LEAK_POSSIBLE, LEAK_LOW, LEAK_DOUBT_DELAYED },
		{ "unseen", { .unseen = TRUE }, LEAK_POSSIBLE, LEAK_LOW, LEAK_DOUBT_UNSEEN },
		{ "before a loss", { .doubtful = 40 }, LEAK_LIKELY, LEAK_LOW, LEAK_DOUBT_LOST },
		{ "a few before a loss", { .doubtful = 30 }, LEAK_LIKELY, LEAK_HIGH, 0 },
		{ "on as many CPUs", { .cpus = G_MAXUINT64 }, LEAK_POSSIBLE, LEAK_LOW,
		  LEAK_DOUBT_CPUS },
	};

	for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
		const Case known = { table[i].name, 60000, 60000, { { 60, 0, 59000 } }, 0, 0,
				     table[i].verdict, table[i].confidence, table[i].doubts };
		LeakJudgement found = judge(&known, &table[i].group);

		expect(&known, &found);
	}
}

static void an_orphan_needs_no_support(void)
{
	const Case known = { "one orphan", 60000, 60000, { { 1, 5, 5 } }, 0, 0, LEAK_ORPHANED,
			     LEAK_HIGH, 0 };
	const LeakGroup group = { .orphaned = TRUE };
	LeakJudgement found = judge(&known, &group);

	expect(&known, &found);
}

static void large_blocks_need_less_support(void)
{
	const LeakGroup large = { .bytes = 5 << 20 }, small = { 0 };
	const Case known = { "five blocks of 1M", 60000, 60000, { { 5, 0, 59000 } }, 0, 0,
			     LEAK_LIKELY, LEAK_LOW, LEAK_DOUBT_SUPPORT };
	LeakJudgement found = judge(&known, &large);

	expect(&known, &found);
	g_assert_cmpint(judge(&known, &small).verdict, ==, LEAK_FEW);
}

/* 200 of 256 bytes in 2 s. */
static void growth_is_that_of_the_active_time(void)
{
	const Case known = { .span_ms = 3000, .load_ms = 2000, .live = { { 200, 0, 2000 } } };
	const LeakGroup group = { 0 };
	LeakJudgement found = judge(&known, &group);

	g_assert_cmpint(found.bytes_per_s, >, 25000);
	g_assert_cmpint(found.bytes_per_s, <, 28000);
	g_assert_cmpint(found.to_ns, ==, 2000 * MS);
	g_assert_cmpint(found.outlived, ==, 200);
}

/* Growth counts as ended under other threads' load only if there is much load. */
static void load_of_other_threads_counts_less(void)
{
	LeakGroup group = { .bytes = 51200, .allocated = 200, .cpus = 1, .tasks = { 2 },
			    .task_count = 1 };
	LeakTrace trace = trace_of(60000, 60000);

	put_times(&group.live, &(Run){ 200, 0, 20000 });
	for (guint i = 0; i < 20000; i += 2)
		trace.load.allocations[i].task = 2;
	g_assert_cmpint(leak_judge(&group, &trace).verdict, ==, LEAK_LIKELY);
	g_assert_cmpint(leak_judge(&group, &trace).doubts, ==, LEAK_DOUBT_PAUSED);
	for (guint i = 20000; i < 60000; i += 10)
		trace.load.allocations[i].task = 2;
	g_assert_cmpint(leak_judge(&group, &trace).verdict, ==, LEAK_STOPPED);
	group.tasks[0] = 3;
	group.live = (TimeBins){ 0 };
	put_times(&group.live, &(Run){ 200, 0, 14000 });
	g_assert_cmpint(leak_judge(&group, &trace).verdict, ==, LEAK_STOPPED);
	g_free(trace.load.allocations);
}

/* An interval ends before the trace: the lack of later allocations is no pause. */
static void growth_does_not_stop_with_the_interval(void)
{
	LeakGroup group = { .bytes = 51200, .allocated = 200, .cpus = 1, .tasks = { 1 },
			    .task_count = 1 };
	LeakTrace trace = trace_of(60000, 60000);

	put_times(&group.live, &(Run){ 200, 10000, 20000 });
	g_assert_cmpint(leak_judge(&group, &trace).verdict, ==, LEAK_STOPPED);
	trace.until_ns = 20001 * MS;
	g_assert_cmpint(leak_judge(&group, &trace).verdict, ==, LEAK_LIKELY);
	trace.incomplete = TRUE;
	g_assert_cmpint(leak_judge(&group, &trace).confidence, ==, LEAK_MEDIUM);
	g_assert_cmpint(leak_judge(&group, &trace).doubts, ==, LEAK_DOUBT_INCOMPLETE);
	g_free(trace.load.allocations);
}

/* As in a trace from boot on: within two minutes, all memory may be there to stay. */
static void growth_while_the_kernel_boots_is_no_likely_leak(void)
{
	LeakGroup group = { .bytes = 51200, .allocated = 600, .cpus = 1, .tasks = { 1 },
			    .task_count = 1 };
	LeakTrace trace = trace_of(60000, 60000), longer = trace_of(130000, 130000);
	LeakJudgement judgement;

	put_times(&group.live, &(Run){ 600, 0, 59900 });
	trace.boot = longer.boot = TRUE;
	judgement = leak_judge(&group, &trace);
	g_assert_cmpint(judgement.verdict, ==, LEAK_POSSIBLE);
	g_assert_cmpint(judgement.confidence, ==, LEAK_LOW);
	g_assert_cmpint(judgement.doubts, ==, LEAK_DOUBT_BOOT);
	put_times(&group.live, &(Run){ 600, 60000, 129900 });
	g_assert_cmpint(leak_judge(&group, &longer).verdict, ==, LEAK_LIKELY);
	g_free(trace.load.allocations);
	g_free(longer.load.allocations);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add_func("/leak-verdict/" #test, test)
	ADD(time_bins_do_not_depend_on_the_order);
	ADD(time_bins_have_each_time_in_its_bin);
	ADD(lifetime_quantiles_are_an_eighth_too_large_at_most);
	ADD(lifetime_bins_take_any_number);
	ADD(known_groups_have_their_verdict);
	ADD(doubts_lower_verdict_and_confidence);
	ADD(an_orphan_needs_no_support);
	ADD(large_blocks_need_less_support);
	ADD(growth_is_that_of_the_active_time);
	ADD(load_of_other_threads_counts_less);
	ADD(growth_does_not_stop_with_the_interval);
	ADD(growth_while_the_kernel_boots_is_no_likely_leak);
	return g_test_run();
}
