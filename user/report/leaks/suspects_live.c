// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/suspect.h"

#include <string.h>

#include "base/compare.h"

typedef struct {
	const Suspects *suspects;
	Suspect **sums;    /* by group; NULL: no live allocation */
	GArray *load;      /* of LeakAllocation: the sample */
	GArray *lifetimes; /* of SampledLifetime */
	Tally *held;       /* of Suspects */
} LiveWorker;

/* Returns the address for script --address; 0: unknown. */
static guint64 addr_of(const Suspects *suspects, const LiveInterval *interval, const gint64 *values)
{
	guint64 base = suspects->linear_base;
	guint64 addr = lifetime_addr(base, values[LIVE_ADDR], values[LIVE_INTERVAL_ENDING]);

	if (interval->kind != TRACE_PAGE)
		return addr;
	return base ? base + addr * (guint64)suspects->live->groups.page_size : 0;
}

/* Notes where to find the backing memory later: the origin of pages, the page of an object. */
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

static void add_held(Tally *held, const gint64 *values)
{
	const TallyRow row = {
		.key = suspects_held_key(values[LIVE_INTERVAL_ORIGIN], values[LIVE_INTERVAL_TASK]),
		.sums = { 1 },
	};

	tally_add(held, &row);
}

/* A LiveGroupsAlso function. */
static void take_live(gpointer data, const LiveInterval *interval, const gint64 *values)
{
	const LiveWorker *worker = data;
	const Suspects *suspects = worker->suspects;
	Suspect *sums = worker->sums[interval->group];
	gint64 ns = CLAMP(interval->time_ns, 0, suspects->trace.span_ns);

	if (!sums)
		sums = worker->sums[interval->group] = g_new0(Suspect, 1);
	take_page(suspects, interval, values, sums);
	if (!sums->facts.live.total || ns < sums->facts.live.first_ns)
		sums->oldest_addr = addr_of(suspects, interval, values);
	add_held(worker->held, values);
	time_bins_add(&sums->facts.live, ns);
	sums->facts.bytes += interval->bytes_end;
	sums->facts.doubtful += interval->time_ns < suspects->live->doubtful_ns;
	add_task(&sums->facts, (guint32)values[LIVE_INTERVAL_TASK]);
	sums->facts.cpus |= G_GUINT64_CONSTANT(1) << (lifetime_cpu(values[LIVE_PLACE]) & 63);
}

static void add_live(Suspect *to, const Suspect *from)
{
	if (!to->facts.live.total || from->facts.live.first_ns < to->facts.live.first_ns)
		to->oldest_addr = from->oldest_addr;
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

/* Adds a suspect if the workers' sums of a group are large enough. */
static void add_suspect(Suspects *suspects, gsize group, LiveWorker workers[SCAN_WORKERS])
{
	Suspect suspect = { .group = &suspects->live->all[group] };
	gboolean orphaned = suspect.group->orphans > 0;

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

/* Merges the samples of the workers. Returns the lifetimes. */
static GArray *take_samples(Suspects *suspects, LiveWorker workers[SCAN_WORKERS])
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
	return g_array_ref(lifetimes);
}

/* A LiveGroupsAlso function. */
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

gboolean suspects_read_live(Suspects *suspects, gint64 older_ns, GArray **lifetimes, GError **error)
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
			tally_new(),
		};
		also.data[i] = &workers[i];
	}
	fine = live_groups_read_live(suspects->live, older_ns, &also, error);
	suspects->numbers = g_new(guint32, count + 1);
	for (gsize i = 0; i < count; i++)
		add_suspect(suspects, i, workers);
	*lifetimes = take_samples(suspects, workers);
	suspects->held = g_steal_pointer(&workers[0].held);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		if (workers[i].held)
			tally_merge(suspects->held, workers[i].held);
		tally_free(workers[i].held);
		g_free(workers[i].sums);
		g_array_unref(workers[i].load);
		g_array_unref(workers[i].lifetimes);
	}
	return fine;
}
