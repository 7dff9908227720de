// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/suspects.h"

#include <string.h>

#include "base/compare.h"
#include "store/query/scan.h"

static Suspect *suspect_at(const Suspects *suspects, guint32 number)
{
	return &g_array_index(suspects->all, Suspect, number);
}

static void judge(Suspects *suspects, Suspect *suspect, const LifetimeBins *freed_at)
{
	suspect->facts.freed_at = freed_at;
	suspect->judgement = leak_judge(&suspect->facts, &suspects->trace);
	suspect->facts.freed_at = NULL;
	suspect->group->verdict = suspect->judgement.verdict;
}

/* ---- live allocations ---- */

typedef struct {
	gsize group;
	gint64 lifetime_ns;
} SampledLifetime;

typedef struct {
	const Suspects *suspects;
	Suspect **sums;    /* by group; NULL: nothing is live */
	GArray *load;      /* of LeakAllocation: the sample */
	GArray *lifetimes; /* of SampledLifetime */
} LiveWorker;

/* By which what holds it is found later: the origin of pages, the page of an object. */
static void take_page(const Suspects *suspects, const LiveInterval *interval, const gint64 *values,
		      Suspect *sums)
{
	guint64 *page = &sums->pages[sums->facts.live.total % SUSPECT_PAGES];
	gint64 page_size = suspects->live->groups.page_size;
	guint64 addr;

	if (interval->kind == TRACE_PAGE) {
		*page = (guint64)values[LIVE_INTERVAL_ORIGIN];
	} else if (interval->kind == TRACE_SLAB && suspects->linear_base && page_size > 0) {
		addr = lifetime_addr(suspects->linear_base, values[LIVE_ADDR],
				     values[LIVE_INTERVAL_ENDING]);
		*page = (addr - suspects->linear_base) / (guint64)page_size;
	}
}

static void add_task(LeakGroup *facts, guint32 task)
{
	guint i = 0;

	while (i < MIN(facts->task_count, LEAK_TASKS) && facts->tasks[i] != task)
		i++;
	if (i < facts->task_count)
		return;
	if (i < LEAK_TASKS)
		facts->tasks[i] = task;
	facts->task_count = i + 1;
}

/* As of LiveGroupsAlso. */
static void take_live(gpointer data, const LiveInterval *interval, const gint64 *values)
{
	const LiveWorker *worker = data;
	const Suspects *suspects = worker->suspects;
	Suspect *sums = worker->sums[interval->group];

	if (!sums)
		sums = worker->sums[interval->group] = g_new0(Suspect, 1);
	take_page(suspects, interval, values, sums);
	time_bins_add(&sums->facts.live, CLAMP(interval->time_ns, 0, suspects->trace.span_ns));
	sums->facts.bytes += interval->bytes_end;
	sums->facts.doubtful += interval->time_ns < suspects->live->doubtful_ns;
	add_task(&sums->facts, (guint32)values[LIVE_INTERVAL_TASK]);
	sums->facts.cpus |= G_GUINT64_CONSTANT(1) << (lifetime_cpu(values[LIVE_PLACE]) & 63);
}

static void add_live(Suspect *to, const Suspect *from)
{
	time_bins_merge(&to->facts.live, &from->facts.live);
	to->facts.bytes += from->facts.bytes;
	to->facts.doubtful += from->facts.doubtful;
	to->facts.cpus |= from->facts.cpus;
	for (guint i = 0; i < MIN(from->facts.task_count, LEAK_TASKS); i++)
		add_task(&to->facts, from->facts.tasks[i]);
	if (from->facts.task_count > LEAK_TASKS)
		to->facts.task_count = LEAK_TASKS + 1;
	for (guint i = 0; i < SUSPECT_PAGES; i++)
		to->pages[i] = from->pages[i] ?: to->pages[i];
}

/* What the workers have of a group is a suspect, if it is enough. */
static void add_suspect(Suspects *suspects, gsize group, LiveWorker workers[SCAN_WORKERS])
{
	Suspect suspect = { .group = &suspects->live->all[group] };
	gboolean orphaned = suspect.group->orphaned;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		if (workers[i].sums[group])
			add_live(&suspect, workers[i].sums[group]);
		g_free(workers[i].sums[group]);
	}
	suspects->numbers[group] = GROUPS_NONE;
	if (suspect.facts.live.total < (orphaned ? 1 : LEAK_SUPPORT_LARGE))
		return;
	suspect.facts.orphaned = orphaned;
	suspect.facts.unseen = strstr(suspects->printer->completeness.unseen_frees,
				      trace_kind_names[suspect.group->kind]) != NULL;
	suspects->numbers[group] = suspects->all->len;
	g_array_append_val(suspects->all, suspect);
}

/* ---- the sample ---- */

static gint by_group(gconstpointer a, gconstpointer b)
{
	const SampledLifetime *one = a, *other = b;

	return COMPARE(one->group, other->group);
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const LeakAllocation *one = a, *other = b;

	return COMPARE(one->ns, other->ns);
}

/*
 * Judges each suspect by its sampled lifetimes, which are together. Each of them stands for some:
 * one is enough to know about how long the freed live. A few have not the longest: it is taken to
 * be half as much again.
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

/* What the workers have of the sample. */
static void take_samples(Suspects *suspects, LiveWorker workers[SCAN_WORKERS])
{
	GArray *load = workers[0].load, *lifetimes = workers[0].lifetimes;

	for (guint i = 1; i < SCAN_WORKERS; i++) {
		g_array_append_vals(load, workers[i].load->data, workers[i].load->len);
		g_array_append_vals(lifetimes, workers[i].lifetimes->data,
				    workers[i].lifetimes->len);
	}
	g_array_sort(load, by_time);
	g_array_sort(lifetimes, by_group);
	suspects->trace.load.count = load->len;
	suspects->trace.load.allocations =
		g_memdup2(load->data, load->len * sizeof(LeakAllocation));
	judge_by_sample(suspects, lifetimes);
}

/* As of LiveGroupsAlso. */
static void take_sample(gpointer data, const LiveInterval *interval, const gint64 *values)
{
	LiveWorker *worker = data;
	const LeakAllocation allocation = { values[LIVE_INTERVAL_TIME],
					    (guint32)values[LIVE_INTERVAL_TASK] };
	SampledLifetime sampled = { .lifetime_ns = values[LIVE_INTERVAL_LIFETIME] };

	g_array_append_val(worker->load, allocation);
	if (!interval || !lifetime_is_freed(values[LIVE_INTERVAL_ENDING]))
		return;
	sampled.group = interval->group;
	g_array_append_val(worker->lifetimes, sampled);
}

/* ---- all ---- */

static gboolean read_live(Suspects *suspects, gint64 older_ns, GError **error)
{
	gsize count = suspects->live->count;
	LiveWorker workers[SCAN_WORKERS];
	LiveGroupsAlso also = { .take = take_live, .take_sample = take_sample };
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i] = (LiveWorker){
			suspects,
			g_new0(Suspect *, count + 1),
			g_array_new(FALSE, FALSE, sizeof(LeakAllocation)),
			g_array_new(FALSE, FALSE, sizeof(SampledLifetime)),
		};
		also.data[i] = &workers[i];
	}
	fine = live_groups_read_live(suspects->live, older_ns, &also, error);
	suspects->numbers = g_new(guint32, count + 1);
	for (gsize i = 0; i < count; i++)
		add_suspect(suspects, i, workers);
	take_samples(suspects, workers);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_free(workers[i].sums);
		g_array_unref(workers[i].load);
		g_array_unref(workers[i].lifetimes);
	}
	return fine;
}

static void take_facts(StoreRows *rows, gpointer data)
{
	Suspects *suspects = data;

	suspects->linear_base = (guint64)store_rows_int(rows, 0);
}

gboolean suspects_read(Suspects *suspects, const Printer *printer, LiveGroups *live,
		       gint64 older_ns, GError **error)
{
	const Interval *interval = printer->interval;
	LeakTrace *trace = &suspects->trace;

	*suspects = (Suspects){ .printer = printer, .live = live };
	suspects->all = g_array_new(FALSE, FALSE, sizeof(Suspect));
	trace->span_ns = trace->until_ns = MAX(live->groups.span_ns, 1);
	if (interval && interval->from) {
		suspects->from_ns = interval->from_ns;
		trace->until_ns = CLAMP(interval->to_ns, 0, trace->span_ns);
	}
	trace->incomplete = completeness_is_incomplete(&printer->completeness);
	return store_each(live->db, "suspects_facts", NULL, take_facts, suspects, error) &&
	       read_live(suspects, older_ns, error);
}

void suspects_clear(Suspects *suspects)
{
	for (guint i = 0; suspects->all && i < suspects->all->len; i++)
		g_free(suspect_at(suspects, i)->freed_at);
	g_clear_pointer(&suspects->all, g_array_unref);
	g_clear_pointer(&suspects->numbers, g_free);
	g_clear_pointer(&suspects->trace.load.allocations, g_free);
}

/* ---- what suspects freed ---- */

typedef struct {
	gint64 allocated, freed;
	LifetimeBins *freed_at; /* NULL: none */
} Freed;

typedef struct {
	const Suspects *suspects;
	Freed *sums; /* by number of a suspect */
} FreedWorker;

/* As of LiveGroupsAlso. */
static void take_freed(gpointer data, const LiveInterval *interval, const gint64 *values)
{
	const FreedWorker *worker = data;
	const Suspects *suspects = worker->suspects;
	guint32 number = suspects->numbers[interval->group];
	Freed *sums;

	if (number == GROUPS_NONE ||
	    suspect_at(suspects, number)->judgement.verdict < LEAK_POSSIBLE ||
	    interval->time_ns < suspects->from_ns ||
	    (suspects->trace.until_ns < suspects->trace.span_ns &&
	     interval->time_ns >= suspects->trace.until_ns))
		return;
	sums = &worker->sums[number];
	sums->allocated++;
	if (lifetime_state(values[LIVE_INTERVAL_ENDING]) == LIFETIME_LIVE)
		return;
	sums->freed++;
	if (!lifetime_is_freed(values[LIVE_INTERVAL_ENDING]))
		return;
	if (!sums->freed_at)
		sums->freed_at = g_new0(LifetimeBins, 1);
	lifetime_bins_add(sums->freed_at, values[LIVE_INTERVAL_LIFETIME]);
}

static void add_freed(Suspect *to, Freed *from)
{
	to->facts.allocated += from->allocated;
	to->facts.freed += from->freed;
	if (from->freed_at && !to->freed_at)
		to->freed_at = g_steal_pointer(&from->freed_at);
	else if (from->freed_at)
		lifetime_bins_merge(to->freed_at, from->freed_at);
	g_free(from->freed_at);
}

static gboolean read_freed(Suspects *suspects, GError **error)
{
	FreedWorker workers[SCAN_WORKERS];
	LiveGroupsAlso also = { .take = take_freed };
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i] = (FreedWorker){ suspects, g_new0(Freed, suspects->all->len + 1) };
		also.data[i] = &workers[i];
	}
	fine = live_groups_read_curves(suspects->live, 0, suspects->trace.span_ns, &also, error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		for (guint j = 0; j < suspects->all->len; j++)
			add_freed(suspect_at(suspects, j), &workers[i].sums[j]);
		g_free(workers[i].sums);
	}
	return fine;
}

/* ---- what the kernel reclaims ---- */

#define RECLAIMABLE 0x80 /* in @origins; below it is the order, + 1; 0: no pages */

typedef struct {
	guint8 *origins; /* by number */
	gint64 count;
	GArray *slabs; /* of Slab, ascending */
} Pages;

typedef struct {
	guint64 first, end; /* pages */
	gboolean reclaimable;
} Slab;

typedef struct {
	const Pages *pages;
	GArray *slabs;
} SlabWorker;

enum { SLAB_ORIGIN, SLAB_PAGE };

static void take_origin(StoreRows *rows, gpointer data)
{
	Pages *pages = data;
	gint64 id = store_rows_int(rows, 0);

	if (id >= 0 && id < pages->count)
		pages->origins[id] = (guint8)((store_rows_int(rows, 1) + 1) |
					      (store_rows_int(rows, 2) ? RECLAIMABLE : 0));
}

/* A ScanFunc. */
static void take_slab(gpointer data, const gint64 *values)
{
	SlabWorker *worker = data;
	gint64 origin = values[SLAB_ORIGIN];
	guint8 pages =
		origin < 0 || origin >= worker->pages->count ? 0 : worker->pages->origins[origin];
	Slab slab = { .first = (guint64)values[SLAB_PAGE] };

	if (!pages)
		return;
	slab.end = slab.first + (G_GUINT64_CONSTANT(1) << ((pages & ~RECLAIMABLE) - 1));
	slab.reclaimable = (pages & RECLAIMABLE) != 0;
	g_array_append_val(worker->slabs, slab);
}

static gint by_page(gconstpointer a, gconstpointer b)
{
	const Slab *one = a, *other = b;

	return COMPARE(one->first, other->first);
}

static gboolean read_slabs(StoreDb *db, Pages *pages, GError **error)
{
	SlabWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++)
		workers[i] = (SlabWorker){ pages, g_array_new(FALSE, FALSE, sizeof(Slab)) };
	fine = store_scan(db, "scan_slab_pages", NULL, take_slab, workers, sizeof(*workers), error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_array_append_vals(pages->slabs, workers[i].slabs->data, workers[i].slabs->len);
		g_array_unref(workers[i].slabs);
	}
	g_array_sort(pages->slabs, by_page);
	return fine;
}

/* NULL: it lies in no slab that was allocated in the trace. */
static const Slab *find_slab(const GArray *slabs, guint64 page)
{
	guint low = 0, high = slabs->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const Slab *slab = &g_array_index(slabs, Slab, middle);

		if (page >= slab->first && page < slab->end)
			return slab;
		if (page < slab->first)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Most of what is known about its pages: those of objects are those of their slabs. */
static gboolean is_reclaimable(const Suspect *suspect, const Pages *pages)
{
	guint known = 0, reclaimable = 0;

	for (guint i = 0; i < SUSPECT_PAGES; i++) {
		guint64 page = suspect->pages[i];

		if (page && suspect->group->kind == TRACE_PAGE) {
			known++;
			reclaimable +=
				page < (guint64)pages->count && pages->origins[page] & RECLAIMABLE;
		} else if (page) {
			const Slab *slab = find_slab(pages->slabs, page);

			known += slab != NULL;
			reclaimable += slab && slab->reclaimable;
		}
	}
	return 2 * reclaimable > known;
}

static gboolean read_reclaimable(Suspects *suspects, GError **error)
{
	StoreDb *db = suspects->live->db;
	Pages pages = { .count = (gint64)suspects->live->groups.origins + 1 };
	gboolean fine;

	pages.origins = g_new0(guint8, pages.count);
	pages.slabs = g_array_new(FALSE, FALSE, sizeof(Slab));
	fine = store_each(db, "suspects_pages", NULL, take_origin, &pages, error) &&
	       read_slabs(db, &pages, error);
	for (guint i = 0; i < suspects->all->len; i++)
		suspect_at(suspects, i)->facts.reclaimable =
			is_reclaimable(suspect_at(suspects, i), &pages);
	g_array_unref(pages.slabs);
	g_free(pages.origins);
	return fine;
}

/* ---- what comes with a reclaimable object ---- */

#define FOLLOWS_POINTS  32
#define FOLLOWS_PERCENT 2 /* in which they may differ */

/* As many, or twice or half as many, at each time. */
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

static void find_leader(const Suspects *suspects, Suspect *suspect)
{
	for (guint i = 0; i < suspects->all->len && !suspect->leader; i++) {
		const Suspect *other = suspect_at(suspects, i);

		if (other->facts.reclaimable && other->judgement.verdict >= LEAK_POSSIBLE &&
		    follows(&suspect->facts.live, &other->facts.live))
			suspect->leader = other->group;
	}
	suspect->facts.follows = suspect->leader != NULL;
}

/* Judges those from @from on anew; FALSE: none is left from LEAK_POSSIBLE on. */
static gboolean judge_again(Suspects *suspects, LeakVerdict from)
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
	if (!read_freed(suspects, error))
		return FALSE;
	if (!judge_again(suspects, LEAK_POSSIBLE))
		return TRUE;
	if (!read_reclaimable(suspects, error))
		return FALSE;
	judge_again(suspects, LEAK_POSSIBLE);
	for (guint i = 0; i < suspects->all->len; i++) {
		if (suspect_at(suspects, i)->judgement.verdict == LEAK_LIKELY)
			find_leader(suspects, suspect_at(suspects, i));
	}
	judge_again(suspects, LEAK_LIKELY);
	return TRUE;
}

/* ---- the order ---- */

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
