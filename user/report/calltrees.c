// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trees of what was read: for each origin its stack becomes a path of frames, by what is asked for.
 */
#include "report/calldatapriv.h"

/* One expression, and what of it each stack and event has. */
typedef struct {
	const StackExpr *expr;	/* NULL: none */
	guint64 *stacks;	/* by stack */
} Match;

typedef struct {
	const CallData *data;
	const CallView *view;
	Match focus, ignore;
	gboolean *starts;	/* by address: it fits view->from; NULL: all stacks are whole */
	GArray *addrs;		/* of guint32: the stack at hand, innermost first */
	GArray *path;		/* of guint32: frames, outermost first */
} Maker;

static void match_init(Match *match, const CallData *data, const StackExpr *expr)
{
	match->expr = expr;
	match->stacks = expr ? callnames_match(data->names, expr) : NULL;
}

static gboolean match_holds(const Match *match, const CallData *data, const CallOrigin *origin)
{
	guint64 names = stackexpr_names(match->expr, origin->event) |
			callnames_match_addr(data->names, match->expr, origin->caller);

	if (callnames_stack(data->names, origin->stack))
		names |= match->stacks[origin->stack];
	return stackexpr_holds(match->expr, names);
}

static gboolean is_wanted(const Maker *maker, const CallOrigin *origin)
{
	if (maker->focus.expr && !match_holds(&maker->focus, maker->data, origin))
		return FALSE;
	return !maker->ignore.expr || !match_holds(&maker->ignore, maker->data, origin);
}

/* ---- a stack as addresses ---- */

static guint32 addr_at(const Maker *maker, guint i)
{
	return g_array_index(maker->addrs, guint32, i);
}

static void read_stack(Maker *maker, const CallOrigin *origin)
{
	const CallNames *names = maker->data->names;
	const CallStack *node = callnames_stack(names, origin->stack);

	g_array_set_size(maker->addrs, 0);
	for (; node; node = callnames_stack(names, node->parent))
		g_array_append_val(maker->addrs, node->addr);
}

/* Where the allocators end: the place of the caller, else of the first who could be. */
static guint find_caller(const Maker *maker, const CallOrigin *origin)
{
	const CallNames *names = maker->data->names;
	guint i = 0;

	while (i < maker->addrs->len && addr_at(maker, i) != origin->caller)
		i++;
	if (i < maker->addrs->len)
		return i;
	for (i = 0; i < maker->addrs->len; i++) {
		if (!callnames_is_allocator(names, callnames_frame(names, addr_at(maker, i))))
			break;
	}
	return i;
}

/* The outermost place of what the tree begins with; G_MAXUINT: there is none. */
static guint find_start(const Maker *maker)
{
	for (guint i = maker->addrs->len; i-- > 0;) {
		if (maker->starts[addr_at(maker, i)])
			return i;
	}
	return G_MAXUINT;
}

/* ---- and as a path ---- */

static void append(Maker *maker, guint32 frame)
{
	GArray *path = maker->path;

	if (maker->view->by_module) {
		frame = callnames_module_frame(maker->data->names, frame);
		if (path->len && g_array_index(path, guint32, path->len - 1) == frame)
			return;
	}
	g_array_append_val(path, frame);
}

/* Appends the addresses from place @first inwards to place @last. */
static void append_addrs(Maker *maker, guint first, guint last)
{
	for (guint i = first + 1; i-- > last;)
		append(maker, callnames_frame(maker->data->names, addr_at(maker, i)));
}

/* The caller is not in the stack: a stack that was cut, or a call site that isn't on it. */
static void append_caller(Maker *maker, const CallOrigin *origin)
{
	guint32 frame = callnames_frame(maker->data->names, origin->caller);

	if (!maker->path->len)
		append(maker, CALLNAMES_NO_STACK);
	if (origin->caller && g_array_index(maker->path, guint32, maker->path->len - 1) != frame)
		append(maker, frame);
}

static gboolean has_addr(const Maker *maker, gint64 addr)
{
	for (guint i = 0; i < maker->addrs->len; i++) {
		if (addr_at(maker, i) == addr)
			return TRUE;
	}
	return FALSE;
}

static void reverse(GArray *path)
{
	guint32 *frames = (guint32 *)(gpointer)path->data;

	for (guint i = 0, j = path->len; i + 1 < j; i++) {
		guint32 frame = frames[--j];

		frames[j] = frames[i];
		frames[i] = frame;
	}
}

/* No function of the stack begins the tree, but its caller, which isn't on it, may. */
static gboolean make_path_of_caller(Maker *maker, const CallOrigin *origin)
{
	if (!callnames_addr(maker->data->names, origin->caller) ||
	    has_addr(maker, origin->caller) || !maker->starts[origin->caller])
		return FALSE;
	if (maker->view->callers && maker->addrs->len)
		append_addrs(maker, maker->addrs->len - 1, find_caller(maker, origin));
	append(maker, callnames_frame(maker->data->names, origin->caller));
	return TRUE;
}

/* From the functions that the tree begins with on, inwards or outwards. */
static gboolean make_path_from(Maker *maker, const CallOrigin *origin, guint last)
{
	guint start = find_start(maker);

	if (start == G_MAXUINT)
		return make_path_of_caller(maker, origin);
	if (maker->view->callers) {
		append_addrs(maker, maker->addrs->len - 1, start);
		return TRUE;
	}
	append_addrs(maker, start, MIN(last, start));
	if (last <= start && !has_addr(maker, origin->caller))
		append_caller(maker, origin);
	return TRUE;
}

/* FALSE: the stack is not in this tree. */
static gboolean make_path(Maker *maker, const CallOrigin *origin)
{
	gboolean fine = TRUE;
	guint last;

	g_array_set_size(maker->path, 0);
	read_stack(maker, origin);
	last = maker->view->allocators ? 0 : find_caller(maker, origin);
	if (maker->starts) {
		fine = make_path_from(maker, origin, last);
	} else {
		if (maker->addrs->len)
			append_addrs(maker, maker->addrs->len - 1, last);
		if (!has_addr(maker, origin->caller))
			append_caller(maker, origin);
	}
	if (maker->view->callers)
		reverse(maker->path);
	return fine;
}

static gboolean *find_starts(const CallNames *names, const char *glob, guint32 highest)
{
	g_autoptr(GPatternSpec) pattern = g_pattern_spec_new(glob);
	gboolean *starts = g_new0(gboolean, (gsize)highest + 1);

	for (guint32 i = 1; i <= highest; i++) {
		const CallAddr *addr = callnames_addr(names, i);

		starts[i] = g_pattern_spec_match_string(pattern, addr->raw) ||
			    g_pattern_spec_match_string(pattern,
						callnames_function(names, addr->frame));
	}
	return starts;
}

CallTree *calldata_tree_leaves(const CallData *data, guint kind, const CallView *view,
			       guint32 *leaves)
{
	CallTree *tree = calltree_new();
	Maker maker = { .data = data, .view = view };

	match_init(&maker.focus, data, view->focus);
	match_init(&maker.ignore, data, view->ignore);
	if (view->from)
		maker.starts = find_starts(data->names, view->from, callnames_addrs(data->names));
	maker.addrs = g_array_new(FALSE, FALSE, sizeof(guint32));
	maker.path = g_array_new(FALSE, FALSE, sizeof(guint32));
	for (guint i = 0; i < data->origins->len; i++) {
		const CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);

		leaves[i] = G_MAXUINT32;
		if (origin->kind == kind && is_wanted(&maker, origin) && make_path(&maker, origin))
			leaves[i] = calltree_add(tree, (const guint32 *)(gpointer)maker.path->data,
						 maker.path->len, &origin->cost);
	}
	calltree_finish(tree);
	g_free(maker.focus.stacks);
	g_free(maker.ignore.stacks);
	g_free(maker.starts);
	g_array_unref(maker.addrs);
	g_array_unref(maker.path);
	return tree;
}

CallTree *calldata_tree(const CallData *data, guint kind, const CallView *view)
{
	g_autofree guint32 *leaves = g_new(guint32, data->origins->len + 1);

	return calldata_tree_leaves(data, kind, view, leaves);
}
