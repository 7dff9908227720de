/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of top: live memory, its growth, and allocation rates by group. Events are added in time
 * order; a round ends an interval that growth and rates refer to.
 *
 * Memory is proportional to the number of live allocations, never to the running time: origins
 * without live memory are dropped when there are many.
 */
#ifndef KMT_TOP_MODEL_H
#define KMT_TOP_MODEL_H

#include "analysis/pairing/pair.h"
#include "base/range.h"
#include "trace/event/kind.h"

/*
 * The minimum length of the first interval with rates: a few milliseconds are too short for them.
 */
#define TOP_RATES_MIN_NS G_GUINT64_CONSTANT(500000000)

typedef enum {
	TOP_SITES,
	TOP_CACHES,
	TOP_MODULES,
	TOP_PROCESSES, /* processes of one name share a row, and so do threads */
	TOP_THREADS,
	TOP_VIEWS
} TopView;

typedef enum {
	TOP_BY_BYTES,
	TOP_BY_COUNT,
	TOP_BY_GROWTH,
	TOP_BY_CHURN,
	TOP_BY_NAME,
	TOP_SORTS
} TopSort;

/* The key of an origin. No padding. */
typedef struct {
	guint64 call_site;
	guint32 stack_id;
	guint32 bytes_alloc;
	guint16 cache;
	guint8 event;            /* enum kmemtrace_event */
	guint8 order;            /* of pages */
	guint32 era;             /* changes when modules are loaded or unloaded */
	guint32 process, thread; /* numbers of their names: tasks.h; G_MAXUINT32: not selected */
} TopOrigin;

/* The names of an origin. They are interned (g_intern_string()) and never freed. */
typedef struct {
	const char *caller;
	const char *module;  /* NULL: the kernel itself */
	const char *cache;   /* NULL: none */
	PairBacking backing; /* by the stack of a page allocation */
	gboolean unresolved; /* try again after modules were loaded */
} TopName;

typedef void (*TopNamer)(gpointer data, const TopOrigin *origin, TopName *name);

typedef struct TopModel TopModel;

/*
 * @page_shift, @linear_base: as for pair_new(). @namer is asked for each origin, and again for one
 * that was dropped.
 */
TopModel *top_model_new(guint page_shift, guint64 linear_base, TopNamer namer, gpointer data);

/* Sets the bits as pair_set_account() does. */
void top_model_set_account(TopModel *model, guint32 bits);

/* Which allocations are shown; NULL selects all. */
typedef struct {
	const char *site;
	const char *module;           /* "kernel": not a module */
	const char *process, *thread; /* names, ids, or "name-id" */
	const Range *order, *size;    /* of pages; in bytes */
	const char *text;             /* description of all of that */
} TopSelection;

/* Sets the selection, before the first event. Its pointers must outlive the model. */
void top_model_select(TopModel *model, const TopSelection *selection);

void top_model_free(TopModel *model); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TopModel, top_model_free)

/* Sets the time when tracing began, on the clock of events. */
void top_model_start(TopModel *model, guint64 time_ns);

/* Sets the name of a thread, as an event does. */
void top_model_name_thread(TopModel *model, guint32 tid, guint32 tgid, const char *comm);

void top_model_take(TopModel *model, const struct trace_event *event);

/* As top_tasks_catch_up(). */
void top_model_catch_up(TopModel *model);

/* To be called after modules were loaded or unloaded: later addresses are looked up again. */
void top_model_renew(TopModel *model);

/*
 * Ends an interval at @time_ns, on the clock of events. Ignores an interval without a length. The
 * first interval with rates has at least TOP_RATES_MIN_NS: a shorter one continues in the next
 * round.
 */
void top_model_round(TopModel *model, guint64 time_ns);

typedef struct {
	const char *name;   /* valid as long as the model */
	const char *module; /* only for TOP_SITES; NULL: the kernel itself */
	gint64 live_bytes, live_count;
	double growth; /* of live bytes, in bytes per second */
	double churn;  /* allocations per second */
} TopRow;

/* Returns FALSE if no interval was long enough for rates: they are 0 in all rows. */
gboolean top_model_has_rates(const TopModel *model);

/*
 * Returns the sorted rows, of TopRow, as of the last round, whose name or module contains @filter,
 * ignoring case. The caller unrefs it.
 */
GArray *top_model_rows(const TopModel *model, TopView view, enum trace_kind kind, TopSort sort,
		       const char *filter);

/* Returns the sum of the selected allocations of a kind. name is NULL. */
TopRow top_model_sum(const TopModel *model, enum trace_kind kind);

/* Returns the number of frees of memory that was allocated before tracing began, or unseen. */
guint64 top_model_unmatched(const TopModel *model);
/*
 * Returns the number of live allocations of all kinds, with pages that back other memory. It
 * determines the memory in use.
 */
guint64 top_model_live(const TopModel *model);

/* Returns the number of origins in memory. */
guint top_model_origins(const TopModel *model);
guint64 top_model_events(const TopModel *model);

#endif
