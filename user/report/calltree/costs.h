/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a trace's allocations by stack: read once, then converted to any number of trees,
 * top-down or bottom-up, of all stacks or some. Each kind of memory has its own trees. Pages that
 * back other memory are left out, and figures of a sampled trace are scaled.
 *
 * The frames of a tree are functions: addresses in one function of one module are equal, and
 * compiler suffixes are removed. A stack ends with the first function outwards that is not part of
 * an allocator, unless allocators are requested. User stacks, if recorded, are the outer part of a
 * stack; a program or library is a module.
 */
#ifndef KMT_REPORT_CALLTREE_COSTS_H
#define KMT_REPORT_CALLTREE_COSTS_H

#include "analysis/stacks/calltree.h"
#include "report/calltree/frames.h"
#include "report/groups/stackexpr.h"
#include "store/store.h"

/* Metrics as bits. */
#define CALL_METRICS_BIT(metric) (1U << (metric))
#define CALL_METRICS_ALL         (CALL_METRICS_BIT(CALL_METRICS) - 1)
/* Metrics that need no scan of all lifetimes. */
#define CALL_METRICS_QUICK                                                                         \
	(CALL_METRICS_BIT(CALL_BYTES) | CALL_METRICS_BIT(CALL_COUNT) |                             \
	 CALL_METRICS_BIT(CALL_LIVE_BYTES) | CALL_METRICS_BIT(CALL_LIVE_COUNT) |                   \
	 CALL_METRICS_BIT(CALL_WASTE_BYTES) | CALL_METRICS_BIT(CALL_TEMPORARY))
/* Metrics that are also available for an interval of the trace. */
#define CALL_METRICS_INTERVAL                                                                      \
	(CALL_METRICS_BIT(CALL_BYTES) | CALL_METRICS_BIT(CALL_COUNT) |                             \
	 CALL_METRICS_BIT(CALL_LIVE_BYTES) | CALL_METRICS_BIT(CALL_LIVE_COUNT) |                   \
	 CALL_METRICS_BIT(CALL_WASTE_BYTES) | CALL_METRICS_BIT(CALL_BYTE_MS) |                     \
	 CALL_METRICS_BIT(CALL_LIVED_US))

typedef struct CallCosts CallCosts;

/*
 * Reads the costs in @metrics, a set of bits; others may be included at no cost. If @from_ns isn't
 * below 0, reads only the time from then to @to_ns (below 0: the end): allocations in it, live
 * memory at @to_ns, and, for CALL_BYTE_MS and CALL_LIVED_US, live memory in between; only metrics
 * of CALL_METRICS_INTERVAL are available. After store_restrict() on @db, without @from_ns, reads
 * the whole lifetime of the remaining allocations; CALL_TEMPORARY is counted if requested. NULL
 * with an error if the database can't be read or is invalid, or the trace ends earlier.
 */
CallCosts *call_costs_read(StoreDb *db, guint metrics, gint64 from_ns, gint64 to_ns,
			   GError **error);

/*
 * Reads the stacks of all allocations, also of pages with a backing, without their costs: for
 * call_costs_select(). NULL with an error likewise.
 */
CallCosts *call_costs_read_stacks(StoreDb *db, GError **error);
void call_costs_free(CallCosts *data); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallCosts, call_costs_free)

/*
 * To be called once, before trees are made: if @db has source lines, adds frames for inlined
 * functions; a frame is then a function and the line of one call in it. Looks up only stacks of
 * @kind (below 0: of all).
 */
void call_costs_add_lines(CallCosts *data, StoreDb *db, int kind);
gboolean call_costs_has_lines(const CallCosts *data); /* lines were added */

/* The number of kernel functions in those stacks without a known subsystem. */
guint32 call_costs_unknown_subsystems(const CallCosts *data);

/* The available metrics, as bits; costs of others are 0. */
guint call_costs_metrics(const CallCosts *data);

/*
 * Returns a note that names the metrics whose sum exceeds 64 bits, which are not available; NULL if
 * there are none. For g_free().
 */
char *call_costs_too_large(const CallCosts *data);

/* Returns the note of temporaries_note() on CALL_TEMPORARY, if that is available; else NULL. */
const char *call_costs_temporaries_note(const CallCosts *data);

/* Returns the cost of all allocations of a kind. */
CallCost call_costs_all(const CallCosts *data, guint kind);

/* Returns the end of the interval as given to call_costs_read(). */
gint64 call_costs_to_ns(const CallCosts *data);

/* Returns the peak time of a kind; -1: nothing was live, or CALL_PEAK_BYTES is unavailable. */
gint64 call_costs_peak_ns(const CallCosts *data, guint kind);

/* The stacks in a tree, and its direction. All zero: all stacks, from the outermost function. */
typedef struct {
	gboolean callers; /* bottom-up: from the allocating function outwards */
	/*
	 * A glob, or NULL. The tree begins with functions that match it; stacks without one are
	 * left out. If a stack has several, the outermost one counts, so that the stack counts
	 * once.
	 */
	const char *from;
	gboolean allocators;     /* include the allocators' functions */
	gboolean by_module;      /* a frame is a module; calls within it are merged */
	gboolean by_subsystem;   /* the same with folders of the source; needs lines */
	const StackExpr *focus;  /* NULL, or only stacks that match it */
	const StackExpr *ignore; /* NULL, or no stacks that match it */
} CallView;

/*
 * After call_costs_add_lines(), checks that each name in @view matches something in the trace, or,
 * as a bit of call_costs_view_names(), in another one: @elsewhere; NULL: there is no other one.
 * FALSE with an error that has the closest function or module.
 */
gboolean call_costs_check_view(const CallCosts *data, const CallView *view,
			       const guint64 *elsewhere, GError **error);

/* Finds the names in the focus and in the ignored stacks of @view that match something. */
void call_costs_view_names(const CallCosts *data, const CallView *view, guint64 names[2]);

/*
 * Returns a finished tree of a kind; node 0 has the sum of all included stacks. For
 * calltree_free().
 */
CallTree *call_costs_tree(const CallCosts *data, guint kind, const CallView *view);

/*
 * Returns the ids in the database, of gint64, of the origins of all kinds that @view's focus and
 * ignore keep. For g_array_unref().
 */
GArray *call_costs_select(const CallCosts *data, const CallView *view);

/*
 * Frames of trees: the highest number; the name of a function, or of a module in brackets; its
 * module, NULL for the kernel itself and for frames that are no functions. Frame 0 is "everything".
 */
guint32 call_costs_frames(const CallCosts *data);
const char *call_costs_function(const CallCosts *data, guint32 frame);
const char *call_costs_module(const CallCosts *data, guint32 frame);
const CallPlace *call_costs_place(const CallCosts *data, guint32 frame);

/* Returns "(file:line)" or "(file:line, inlined)"; NULL: unknown. For g_free(). */
char *call_costs_describe_place(const CallCosts *data, guint32 frame);

#endif
