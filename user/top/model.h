/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of top: live memory, its growth, and allocation rates by group. Events go in, in time
 * order; a round ends an interval that growth and rates refer to.
 *
 * Memory is proportional to the number of live allocations and of origins, never to the running
 * time.
 */
#ifndef KMT_TOP_MODEL_H
#define KMT_TOP_MODEL_H

#include "analysis/pairing/pair.h"
#include "base/range.h"
#include "trace/event/kind.h"

/* A few milliseconds are too short for a rate per second. */
#define TOP_RATES_MIN_NS G_GUINT64_CONSTANT(500000000)

typedef enum {
	TOP_SITES,
	TOP_CACHES,
	TOP_MODULES,
	TOP_PROCESSES, /* those of one name are one row, and so with threads */
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
	guint32 era;             /* modules came or went between one and the next */
	guint32 process, thread; /* numbers of their names: tasks.h; G_MAXUINT32: not selected */
} TopOrigin;

/* What people call it. The names live as long as the process: g_intern_string(). */
typedef struct {
	const char *caller;
	const char *module;  /* NULL: the kernel itself */
	const char *cache;   /* NULL: it has none */
	PairBacking backing; /* that the stack of pages shows */
	gboolean unresolved; /* worth another try when modules have come */
} TopName;

typedef void (*TopNamer)(gpointer data, const TopOrigin *origin, TopName *name);

typedef struct TopModel TopModel;

/* @page_shift, @linear_base: as for pair_new(). @namer is asked once for each origin. */
TopModel *top_model_new(guint page_shift, guint64 linear_base, TopNamer namer, gpointer data);

/* As pair_set_account(). */
void top_model_set_account(TopModel *model, guint32 bits);

/* Which allocations are shown; NULL selects all. */
typedef struct {
	const char *site;
	const char *module;           /* "kernel": of no module */
	const char *process, *thread; /* names, ids, or "name-id" */
	const Range *order, *size;    /* of pages; in bytes */
	const char *text;             /* all of that, for people */
} TopSelection;

/* Before the first event; what it points to must outlive the model. */
void top_model_select(TopModel *model, const TopSelection *selection);

void top_model_free(TopModel *model); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TopModel, top_model_free)

/* Tracing began at this time, on the clock of events. */
void top_model_start(TopModel *model, guint64 time_ns);

/* The thread has this name, as if it had been told by an event. */
void top_model_name_thread(TopModel *model, guint32 tid, guint32 tgid, const char *comm);

void top_model_take(TopModel *model, const struct trace_event *event);

/* Modules were loaded or unloaded: later addresses are looked up again. */
void top_model_renew(TopModel *model);

/*
 * Ends a span, at @time_ns on the clock of events. A span of no time is none. The first one that
 * rates are told of has TOP_RATES_MIN_NS at least: as long as it hasn't, it goes on.
 */
void top_model_round(TopModel *model, guint64 time_ns);

typedef struct {
	const char *name;   /* as long as the model */
	const char *module; /* TOP_SITES alone; NULL: the kernel itself */
	gint64 live_bytes, live_count;
	double growth; /* of live bytes, bytes a second */
	double churn;  /* allocations a second */
} TopRow;

/* FALSE: no span was long enough for rates, which are 0 in all rows. */
gboolean top_model_has_rates(const TopModel *model);

/*
 * As of the last round, all rows in order whose name or module has the text @filter in it, whatever
 * its case: TopRow. The caller unrefs.
 */
GArray *top_model_rows(const TopModel *model, TopView view, enum trace_kind kind, TopSort sort,
		       const char *filter);

/* The sum of what is selected of a kind. name is NULL. */
TopRow top_model_sum(const TopModel *model, enum trace_kind kind);

/* Frees of memory allocated before tracing began, or unseen. */
guint64 top_model_unmatched(const TopModel *model);
/* Allocations that are live now, of all kinds, pages that back others too: memory goes by them. */
guint64 top_model_live(const TopModel *model);
guint64 top_model_events(const TopModel *model);

#endif
