// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocations are counted when their events arrive. Live memory is counted anew in each round, from
 * the pairing's own list: pages may be freed in parts, and it may turn out late that they back
 * other memory.
 */
#include "top/model.h"

#include <string.h>

#include "analysis/containers/intern.h"
#include "top/tasks.h"
#include "trace/event/kind.h"

#define NS_A_SECOND 1e9
#define SITES_MANY  65536 /* 10 MiB */

typedef struct {
	TopName name;
	enum trace_kind kind;
	guint32 process, thread;       /* numbers of their names: tasks.h */
	gboolean hidden;               /* not selected */
	gint64 bytes;                  /* of one allocation */
	gint64 live_bytes, live_count; /* as of the last round, like all below except allocs */
	gint64 before_bytes;           /* live_bytes at the end of the last interval */
	gint64 allocs;                 /* since then */
	double growth, churn;          /* per second */
} Site;

struct TopModel {
	guint page_shift;
	TopNamer namer;
	gpointer data;
	TopSelection selection;
	Pair *pair;
	TopTasks *tasks;
	Intern *origins; /* of TopOrigin */
	GArray *sites;   /* of Site, by origin − 1 */
	guint sites_max; /* at which those that are not needed are dropped */
	guint32 era;
	guint64 span_ns;    /* end of the last interval with rates, or the start */
	gboolean has_rates; /* there is such an interval */
	guint64 events;
	guint64 unmatched;
};

static Site *site_of(const TopModel *model, guint32 origin)
{
	return &g_array_index(model->sites, Site, origin - 1);
}

static void take_lifetime(gpointer data, const PairLifetime *lifetime)
{
	(void)data;
	(void)lifetime;
}

static void take_unmatched(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	(void)event;
	(void)class;
	(void)pages;
	((TopModel *)data)->unmatched++;
}

static void take_matched_late(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	(void)event;
	(void)class;
	(void)pages;
	((TopModel *)data)->unmatched--;
}

static void take_failed(gpointer data, const PairEvent *event)
{
	(void)data;
	(void)event;
}

/* These pages back an object, which is what counts. */
static void take_backed(gpointer data, guint32 origin)
{
	site_of(data, origin)->allocs--;
}

TopModel *top_model_new(guint page_shift, guint64 linear_base, TopNamer namer, gpointer data)
{
	TopModel *model = g_new0(TopModel, 1);
	PairSink sink = { take_lifetime, take_unmatched, take_matched_late, take_failed, model };

	model->page_shift = page_shift;
	model->namer = namer;
	model->data = data;
	model->pair = pair_new(page_shift, linear_base, &sink);
	pair_set_backed(model->pair, take_backed);
	model->tasks = top_tasks_new();
	model->origins = intern_new(sizeof(TopOrigin));
	model->sites = g_array_new(FALSE, TRUE, sizeof(Site));
	model->sites_max = SITES_MANY;
	return model;
}

void top_model_set_account(TopModel *model, guint32 bits)
{
	pair_set_account(model->pair, bits);
}

void top_model_select(TopModel *model, const TopSelection *selection)
{
	model->selection = *selection;
	top_tasks_reserve(model->tasks, selection->process);
	top_tasks_reserve(model->tasks, selection->thread);
}

void top_model_free(TopModel *model)
{
	if (!model)
		return;
	pair_free(model->pair);
	top_tasks_free(model->tasks);
	intern_free(model->origins);
	g_array_unref(model->sites);
	g_free(model);
}

void top_model_start(TopModel *model, guint64 time_ns)
{
	model->span_ns = time_ns;
}

/* Returns FALSE if the event is not an allocation. */
static gboolean kind_of(guint event, enum trace_kind *kind)
{
	*kind = trace_event_kind(event);
	return trace_event_action(event) == TRACE_ALLOC;
}

/* Returns TRUE for events that are not part of an allocation's life. */
static gboolean is_other(const struct trace_event *event)
{
	enum trace_action action = trace_event_action(event->event);

	return action == TRACE_NAME || action == TRACE_MARKED || action == TRACE_SPACE ||
	       action == TRACE_BUDDY;
}

static gint64 bytes_of(const TopModel *model, const struct trace_event *event)
{
	if (trace_event_kind(event->event) == TRACE_PAGE)
		return G_GINT64_CONSTANT(1) << (event->order + model->page_shift);
	return event->bytes_alloc;
}

static gboolean is_in(const Range *range, gint64 value)
{
	return !range || (value >= range->least && value <= range->most);
}

/* Names a new site, or one whose name was not found before; applies the selection. */
static void name_site(const TopModel *model, const TopOrigin *origin, Site *site)
{
	const TopSelection *wanted = &model->selection;
	const char *module;

	model->namer(model->data, origin, &site->name);
	module = site->name.module ? site->name.module : "kernel";
	site->hidden = site->process == G_MAXUINT32 ||
		       (wanted->site && g_strcmp0(site->name.caller, wanted->site)) ||
		       (wanted->module && strcmp(module, wanted->module)) ||
		       !is_in(wanted->size, site->bytes) ||
		       (wanted->order &&
			(site->kind != TRACE_PAGE || !is_in(wanted->order, origin->order)));
}

/* ---- dropping sites ---- */

typedef struct {
	TopModel *model;
	Intern *origins; /* the kept ones, as the next */
	GArray *sites;
	guint32 *moved; /* by origin: its new number, or 0 */
} Drop;

/* Returns the new number of @origin, with the site of the old number @old if it has none yet. */
static guint32 keep_as(Drop *drop, const TopOrigin *origin, guint32 old)
{
	gboolean added;
	guint32 id = intern_add(drop->origins, origin, &added);

	if (added)
		g_array_append_vals(drop->sites, site_of(drop->model, old), 1);
	return id;
}

static guint32 keep(gpointer data, guint32 old)
{
	Drop *drop = data;

	if (!drop->moved[old])
		drop->moved[old] = keep_as(drop, intern_key(drop->model->origins, old), old);
	return drop->moved[old];
}

/* Adds a site without live memory to that of the other threads. */
static void merge(Drop *drop, guint32 old)
{
	const Site *site = site_of(drop->model, old);
	TopOrigin origin = *(const TopOrigin *)intern_key(drop->model->origins, old);
	guint count = drop->sites->len;
	Site *other;
	guint32 id;

	origin.process = origin.thread = TOP_TASKS_OTHER;
	id = keep_as(drop, &origin, old);
	other = &g_array_index(drop->sites, Site, id - 1);
	other->process = other->thread = TOP_TASKS_OTHER;
	if (drop->sites->len > count)
		return;
	other->live_bytes += site->live_bytes;
	other->live_count += site->live_count;
	other->before_bytes += site->before_bytes;
	other->allocs += site->allocs;
	other->growth += site->growth;
	other->churn += site->churn;
}

/* A hidden site may be shown later, when its name is known. */
static gboolean may_have_figures(const Site *site)
{
	return site->live_count || site->before_bytes || site->allocs || site->growth ||
	       site->churn;
}

static gboolean has_figures(const Site *site)
{
	return !site->hidden && may_have_figures(site);
}

/*
 * Drops sites that are not needed. A process can make many by renaming its threads: if too many
 * have rates but no live memory, these lose the names of their threads.
 */
static void drop_sites(TopModel *model)
{
	guint count = model->sites->len, others = 0;
	g_autofree guint32 *moved = g_new0(guint32, (gsize)count + 1);
	Drop drop = { model, intern_new(sizeof(TopOrigin)), g_array_new(FALSE, TRUE, sizeof(Site)),
		      moved };

	pair_map_origins(model->pair, keep, &drop);
	for (guint32 i = 1; i <= count; i++)
		others += !moved[i] && has_figures(site_of(model, i));
	for (guint32 i = 1; i <= count; i++) {
		if (moved[i] || !has_figures(site_of(model, i)))
			continue;
		if (others > SITES_MANY / 2)
			merge(&drop, i);
		else
			keep(&drop, i);
	}
	intern_free(model->origins);
	g_array_unref(model->sites);
	model->origins = drop.origins;
	model->sites = drop.sites;
	model->sites_max = MAX(SITES_MANY, 2 * model->sites->len);
}

static guint32 origin_of(TopModel *model, const struct trace_event *event, enum trace_kind kind)
{
	TopOrigin origin = {
		.call_site = event->call_site,
		.stack_id = event->stack_id,
		.bytes_alloc = event->bytes_alloc,
		.cache = event->cache,
		.event = event->event,
		.order = event->order,
		.era = model->era,
	};
	gboolean by_task = model->selection.process || model->selection.thread;
	gboolean added;
	guint32 id;

	if (!by_task ||
	    top_tasks_is(model->tasks, event, model->selection.process, model->selection.thread))
		top_tasks_find(model->tasks, event, &origin.process, &origin.thread);
	else
		origin.process = origin.thread = G_MAXUINT32;
	if (model->sites->len >= model->sites_max)
		drop_sites(model);
	id = intern_add(model->origins, &origin, &added);
	if (added) {
		Site site = { .kind = kind,
			      .process = origin.process,
			      .thread = origin.thread,
			      .bytes = bytes_of(model, event) };

		name_site(model, &origin, &site);
		g_array_append_val(model->sites, site);
	}
	return id;
}

/* Forgets the names of threads that have ended, or were renamed, and have no memory left. */
static void forget_names(TopModel *model)
{
	guint32 names = top_tasks_names(model->tasks);
	g_autofree gboolean *used = g_new0(gboolean, names);

	for (guint32 i = 1; i <= model->sites->len; i++) {
		const Site *site = site_of(model, i);

		if (site->process >= names || site->thread >= names || !may_have_figures(site))
			continue;
		used[site->process] = used[site->thread] = TRUE;
	}
	top_tasks_forget(model->tasks, used);
}

void top_model_name_thread(TopModel *model, guint32 tid, guint32 tgid, const char *comm)
{
	if (top_tasks_lack_room(model->tasks))
		forget_names(model);
	top_tasks_rename(model->tasks, tid, tgid, comm);
}

void top_model_catch_up(TopModel *model)
{
	top_tasks_catch_up(model->tasks);
}

void top_model_take(TopModel *model, const struct trace_event *event)
{
	PairEvent paired = { .event = event, .task = event->tid };
	guint64 before = pair_stats(model->pair)->allocs;
	enum trace_kind kind;

	model->events++;
	if (trace_event_action(event->event) == TRACE_NAME)
		top_model_name_thread(model, event->tid, event->tgid, event->comm);
	if (is_other(event))
		return;
	if (!kind_of(event->event, &kind)) {
		pair_feed(model->pair, &paired);
		return;
	}
	paired.origin = origin_of(model, event, kind);
	if (kind == TRACE_PAGE)
		paired.backing = site_of(model, paired.origin)->name.backing;
	pair_feed(model->pair, &paired);
	if (!paired.backing)
		site_of(model, paired.origin)->allocs += pair_stats(model->pair)->allocs - before;
}

void top_model_renew(TopModel *model)
{
	model->era++;
	for (guint32 i = 1; i <= model->sites->len; i++) {
		Site *site = site_of(model, i);

		if (site->name.unresolved)
			name_site(model, intern_key(model->origins, i), site);
	}
}

/* ---- a round ---- */

static void count_live(gpointer data, const PairLifetime *lifetime)
{
	const TopModel *model = data;
	Site *site = site_of(model, lifetime->origin);

	if (lifetime->state != PAIR_LIVE || lifetime->backing)
		return;
	site->live_count++;
	site->live_bytes += site->bytes - ((gint64)lifetime->pages_freed << model->page_shift);
}

static void tell_rates(TopModel *model, double seconds)
{
	for (guint32 i = 1; i <= model->sites->len; i++) {
		Site *site = site_of(model, i);

		site->growth = (double)(site->live_bytes - site->before_bytes) / seconds;
		site->churn = (double)MAX(site->allocs, 0) / seconds;
		site->before_bytes = site->live_bytes;
		site->allocs = 0;
	}
	model->has_rates = TRUE;
}

void top_model_round(TopModel *model, guint64 time_ns)
{
	gint64 ns = (gint64)(time_ns - model->span_ns);

	if (ns <= 0)
		return;
	for (guint32 i = 1; i <= model->sites->len; i++) {
		Site *site = site_of(model, i);

		site->live_bytes = site->live_count = 0;
	}
	pair_each_live(model->pair, count_live, model);
	if (!model->has_rates && ns < (gint64)TOP_RATES_MIN_NS)
		return;
	tell_rates(model, (double)ns / NS_A_SECOND);
	model->span_ns = time_ns;
}

gboolean top_model_has_rates(const TopModel *model)
{
	return model->has_rates;
}

/* ---- rows ---- */

static void name_row(const TopModel *model, const Site *site, TopView view, TopRow *row)
{
	row->module = NULL;
	switch (view) {
	case TOP_CACHES:
		row->name = site->name.cache;
		break;
	case TOP_MODULES:
		row->name = site->name.module ? site->name.module : "(kernel)";
		break;
	case TOP_PROCESSES:
		row->name = top_tasks_name(model->tasks, site->process);
		break;
	case TOP_THREADS:
		row->name = top_tasks_name(model->tasks, site->thread);
		break;
	default:
		row->name = site->name.caller;
		row->module = site->name.module;
	}
}

static void add_site(TopRow *row, const Site *site)
{
	row->live_bytes += site->live_bytes;
	row->live_count += site->live_count;
	row->growth += site->growth;
	row->churn += site->churn;
}

/* Names are interned: equal texts have the same pointer. */
static guint hash_row(gconstpointer data)
{
	const TopRow *row = data;

	return g_direct_hash(row->name) * 31 + g_direct_hash(row->module);
}

static gboolean equal_rows(gconstpointer a, gconstpointer b)
{
	const TopRow *x = a, *y = b;

	return x->name == y->name && x->module == y->module;
}

static int compare_doubles(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
	const TopRow *x = a, *y = b;
	int order = 0;

	switch (*(const TopSort *)data) {
	case TOP_BY_BYTES:
		order = compare_doubles(x->live_bytes, y->live_bytes);
		break;
	case TOP_BY_COUNT:
		order = compare_doubles(x->live_count, y->live_count);
		break;
	case TOP_BY_GROWTH:
		order = compare_doubles(x->growth, y->growth);
		break;
	case TOP_BY_CHURN:
		order = compare_doubles(x->churn, y->churn);
		break;
	default:
		break;
	}
	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : g_strcmp0(x->module, y->module);
}

static gboolean has_text(const char *name, const char *text)
{
	return name && strcasestr(name, text);
}

GArray *top_model_rows(const TopModel *model, TopView view, enum trace_kind kind, TopSort sort,
		       const char *filter)
{
	g_autoptr(GHashTable) by_name = g_hash_table_new_full(hash_row, equal_rows, g_free, NULL);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(TopRow));
	GHashTableIter iter;
	gpointer found;

	for (guint32 i = 1; i <= model->sites->len; i++) {
		const Site *site = site_of(model, i);
		TopRow key = { 0 };

		if (site->hidden || site->kind != kind ||
		    !(site->live_count || site->churn || site->growth))
			continue;
		name_row(model, site, view, &key);
		if (!key.name || !(has_text(key.name, filter) || has_text(key.module, filter)))
			continue;
		found = g_hash_table_lookup(by_name, &key);
		if (!found) {
			found = g_memdup2(&key, sizeof(key));
			g_hash_table_add(by_name, found);
		}
		add_site(found, site);
	}
	g_hash_table_iter_init(&iter, by_name);
	while (g_hash_table_iter_next(&iter, &found, NULL))
		g_array_append_vals(rows, found, 1);
	g_array_sort_with_data(rows, compare_rows, &sort);
	return rows;
}

TopRow top_model_sum(const TopModel *model, enum trace_kind kind)
{
	TopRow sum = { 0 };

	for (guint32 i = 1; i <= model->sites->len; i++) {
		const Site *site = site_of(model, i);

		if (!site->hidden && site->kind == kind)
			add_site(&sum, site);
	}
	return sum;
}

guint64 top_model_unmatched(const TopModel *model)
{
	return model->unmatched;
}

guint top_model_origins(const TopModel *model)
{
	return model->sites->len;
}

guint64 top_model_live(const TopModel *model)
{
	return pair_live(model->pair);
}

guint64 top_model_events(const TopModel *model)
{
	return model->events;
}
