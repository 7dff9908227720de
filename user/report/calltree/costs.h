/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a trace's allocations by stack: read once, then turned into any number of trees,
 * top-down or bottom-up, of all stacks or some. Each kind of memory has its own trees. Pages that
 * back other memory are left out, and figures of a sampled trace are scaled.
 *
 * The frames of a tree are functions: addresses in one function of one module are equal, and
 * suffixes that compilers add are removed. A stack ends with the first function outwards that is
 * not part of an allocator, unless allocators are wanted. The calls of a program, if they were
 * recorded, are the outer part of a stack; a program or library is a module.
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
/* Those that need no way through all lifetimes. */
#define CALL_METRICS_QUICK                                                                         \
	(CALL_METRICS_BIT(CALL_BYTES) | CALL_METRICS_BIT(CALL_COUNT) |                             \
	 CALL_METRICS_BIT(CALL_LIVE_BYTES) | CALL_METRICS_BIT(CALL_LIVE_COUNT) |                   \
	 CALL_METRICS_BIT(CALL_WASTE_BYTES) | CALL_METRICS_BIT(CALL_TEMPORARY))
/* Those that an interval of the trace has, too. */
#define CALL_METRICS_INTERVAL                                                                      \
	(CALL_METRICS_BIT(CALL_BYTES) | CALL_METRICS_BIT(CALL_COUNT) |                             \
	 CALL_METRICS_BIT(CALL_LIVE_BYTES) | CALL_METRICS_BIT(CALL_LIVE_COUNT) |                   \
	 CALL_METRICS_BIT(CALL_WASTE_BYTES) | CALL_METRICS_BIT(CALL_BYTE_MS) |                     \
	 CALL_METRICS_BIT(CALL_LIVED_US))

typedef struct CallCosts CallCosts;

/*
 * Reads the costs in @metrics, a set of bits; others may come at no cost. If @from_ns isn't below
 * 0, reads only the time from then to @to_ns (below 0: the end): what was allocated in it, what was
 * live at @to_ns, and, for CALL_BYTE_MS and CALL_LIVED_US, what was live in between; these are the
 * metrics of CALL_METRICS_INTERVAL. After store_restrict() on @db, without @from_ns, it is all that
 * became of the remaining allocations; CALL_TEMPORARY is counted if requested. NULL with an error
 * if the database can't be read or is invalid, or the trace ends earlier.
 */
CallCosts *call_costs_read(StoreDb *db, guint metrics, gint64 from_ns, gint64 to_ns,
			   GError **error);
void call_costs_free(CallCosts *data); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallCosts, call_costs_free)

/*
 * Once, and before trees are made: if @db has source lines, they have frames for inlined functions,
 * and a frame is a function and the line of one call in it. Only what is in stacks of @kind (below
 * 0: of all) is looked up.
 */
void call_costs_add_lines(CallCosts *data, StoreDb *db, int kind);
gboolean call_costs_has_lines(const CallCosts *data); /* it did */

/* The number of kernel functions in those stacks without a known subsystem. */
guint32 call_costs_unknown_subsystems(const CallCosts *data);

/* The metrics that are known, as bits; costs of others are 0. */
guint call_costs_metrics(const CallCosts *data);

/* All of a kind. */
CallCost call_costs_all(const CallCosts *data, guint kind);

/* When most of a kind was live; −1: never, or CALL_PEAK_BYTES is not known. */
gint64 call_costs_peak_ns(const CallCosts *data, guint kind);

/* The stacks in a tree, and its direction. All zero: all stacks, from the outermost function. */
typedef struct {
	gboolean callers; /* bottom-up: from the function that allocated on, outwards */
	/*
	 * A glob, or NULL. The tree begins with the functions that fit it; stacks without one are
	 * left out. Where there are more in a stack it is the outermost, so that each counts once.
	 */
	const char *from;
	gboolean allocators;     /* the allocators' functions, too */
	gboolean by_module;      /* a frame is a module; calls in it are one */
	gboolean by_subsystem;   /* the same with folders of the source; needs lines */
	const StackExpr *focus;  /* NULL, or only stacks of which it is true */
	const StackExpr *ignore; /* NULL, or only others */
} CallView;

/*
 * Checks, after call_costs_add_lines(), that each name in @view fits something in the trace. FALSE
 * with an error that has the closest function or module.
 */
gboolean call_costs_check_view(const CallCosts *data, const CallView *view, GError **error);

/* A finished tree of a kind; node 0 has all that was not left out. For calltree_free(). */
CallTree *call_costs_tree(const CallCosts *data, guint kind, const CallView *view);

/*
 * The numbers in the database, of gint64, of all origins that @view's focus and ignore keep, of all
 * kinds. For g_array_unref().
 */
GArray *call_costs_select(const CallCosts *data, const CallView *view);

/*
 * Frames of trees: the highest number there is; a function's name, or in brackets a module's; the
 * module it is in, NULL for the kernel itself and for what is no function. Frame 0 is "everything".
 */
guint32 call_costs_frames(const CallCosts *data);
const char *call_costs_function(const CallCosts *data, guint32 frame);
const char *call_costs_module(const CallCosts *data, guint32 frame);
const CallPlace *call_costs_place(const CallCosts *data, guint32 frame);

/* "(file:line)", "(file:line, inlined)"; NULL: neither is known. For g_free(). */
char *call_costs_describe_place(const CallCosts *data, guint32 frame);

#endif
