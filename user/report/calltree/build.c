// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds trees from the costs: converts the stack of each origin to a path of frames, according to
 * the options.
 */
#include "base/glob.h"
#include "report/calltree/costs_priv.h"

/* An expression, and its matching names in each stack and event. */
typedef struct {
	const StackExpr *expr; /* NULL: none */
	guint64 *stacks;       /* by stack */
} Match;

/* A function of a stack. */
typedef struct {
	guint32 addr; /* 0: none */
	guint32 frame;
	gboolean inlined;
} Step;

typedef struct {
	const CallCosts *data;
	const CallView *view;
	Match focus, ignore;
	gboolean *starts; /* by address: whether it matches view->from; NULL: whole stacks */
	gboolean *inlined_starts; /* the same by frame, of inlined functions */
	GArray *steps;            /* of Step: the current stack, innermost first */
	GArray *path;             /* of guint32: frames, outermost first */
} Maker;

static void match_init(Match *match, const CallCosts *data, const StackExpr *expr)
{
	match->expr = expr;
	match->stacks = expr ? call_frames_match(data->names, expr) : NULL;
}

static gboolean match_holds(const Match *match, const CallCosts *data, const CallOrigin *origin)
{
	guint64 names = stackexpr_names(match->expr, origin->event) |
			call_frames_match_addr(data->names, match->expr, origin->caller);

	if (call_frames_stack(data->names, origin->stack))
		names |= match->stacks[origin->stack];
	return stackexpr_holds(match->expr, names);
}

static gboolean is_wanted(const Maker *maker, const CallOrigin *origin)
{
	if (maker->focus.expr && !match_holds(&maker->focus, maker->data, origin))
		return FALSE;
	return !maker->ignore.expr || !match_holds(&maker->ignore, maker->data, origin);
}

/* ---- a stack, innermost first ---- */

static const Step *step_at(const Maker *maker, guint i)
{
	return &g_array_index(maker->steps, Step, i);
}

/* Inserts the functions at @addr at index @at; returns the index after them. */
static guint insert_addr(Maker *maker, guint at, gint64 addr)
{
	const CallAddr *found = call_frames_addr(maker->data->names, addr);
	const GArray *inlined = found ? found->inlined : NULL;
	Step step = { .addr = found ? addr : 0, .inlined = TRUE };

	for (guint i = 0; inlined && i < inlined->len; i++) {
		step.frame = g_array_index(inlined, guint32, i);
		g_array_insert_val(maker->steps, at++, step);
	}
	step.inlined = FALSE;
	step.frame = call_frames_frame(maker->data->names, addr);
	g_array_insert_val(maker->steps, at, step);
	return at + 1;
}

static void read_stack(Maker *maker, const CallOrigin *origin)
{
	const CallFrames *names = maker->data->names;
	const CallStack *node = call_frames_stack(names, origin->stack);

	g_array_set_size(maker->steps, 0);
	for (; node; node = call_frames_stack(names, node->parent))
		insert_addr(maker, maker->steps->len, node->addr);
}

static guint32 function_at(const Maker *maker, gint64 addr)
{
	const CallAddr *found = call_frames_addr(maker->data->names, addr);

	return found ? found->function : CALLNAMES_UNKNOWN;
}

/* Returns the index of the innermost function at @addr; G_MAXUINT: not in the stack. */
static guint find_addr(const Maker *maker, gint64 addr)
{
	for (guint i = 0; i < maker->steps->len; i++) {
		if (step_at(maker, i)->addr == addr)
			return i;
	}
	return G_MAXUINT;
}

/* Returns the end of the allocators: the index of the caller, else of the first candidate. */
static guint find_caller(const Maker *maker, const CallOrigin *origin)
{
	guint i = origin->caller ? find_addr(maker, origin->caller) : G_MAXUINT;

	if (i != G_MAXUINT)
		return i;
	for (i = 0; i < maker->steps->len; i++) {
		if (!call_frames_is_allocator(maker->data->names,
					      function_at(maker, step_at(maker, i)->addr)))
			break;
	}
	return i;
}

/* Inserts a call site that is missing in the stack: the stack was cut, or the site isn't on it. */
static void insert_caller(Maker *maker, const CallOrigin *origin, guint at)
{
	if (!origin->caller || find_addr(maker, origin->caller) != G_MAXUINT)
		return;
	if (at < maker->steps->len &&
	    function_at(maker, step_at(maker, at)->addr) == function_at(maker, origin->caller))
		return;
	insert_addr(maker, at, origin->caller);
}

/* Skips allocators that were inlined at index @at, as kmalloc() always is. */
static guint skip_inlined(const Maker *maker, guint at)
{
	while (at < maker->steps->len && step_at(maker, at)->inlined &&
	       call_frames_is_allocator(maker->data->names, step_at(maker, at)->frame))
		at++;
	return at;
}

/* Returns the index of the outermost function that the tree begins with; G_MAXUINT: none. */
static guint find_start(const Maker *maker)
{
	for (guint i = maker->steps->len; i-- > 0;) {
		const Step *step = step_at(maker, i);

		if (step->inlined ? maker->inlined_starts[step->frame] : maker->starts[step->addr])
			return i;
	}
	return G_MAXUINT;
}

/* ---- paths ---- */

static guint32 folded(const Maker *maker, const Step *step)
{
	const CallAddr *addr = call_frames_addr(maker->data->names, step->addr);

	if (maker->view->by_subsystem && addr)
		return addr->subsystem;
	if (maker->view->by_subsystem || maker->view->by_module)
		return call_frames_module_frame(maker->data->names, step->frame);
	return step->frame;
}

static void append(Maker *maker, const Step *step)
{
	GArray *path = maker->path;
	guint32 frame = folded(maker, step);

	if ((maker->view->by_module || maker->view->by_subsystem) && path->len &&
	    g_array_index(path, guint32, path->len - 1) == frame)
		return;
	g_array_append_val(path, frame);
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

/* Appends the frames from index @first, or the outermost, inwards to index @last. */
static void append_steps(Maker *maker, guint first, guint last)
{
	for (guint i = MIN(first + 1, maker->steps->len); i-- > last;)
		append(maker, step_at(maker, i));
}

/* Returns FALSE if the stack is not in this tree. */
static gboolean make_path(Maker *maker, const CallOrigin *origin)
{
	guint first, last;
	gboolean bare;

	g_array_set_size(maker->path, 0);
	read_stack(maker, origin);
	last = maker->view->allocators ? 0 : find_caller(maker, origin);
	bare = last == maker->steps->len;
	insert_caller(maker, origin, last);
	if (!maker->view->allocators)
		last = skip_inlined(maker, last);
	if (maker->starts) {
		first = find_start(maker);
		if (first == G_MAXUINT)
			return FALSE;
		if (maker->view->callers)
			append_steps(maker, maker->steps->len, first);
		else
			append_steps(maker, first, MIN(first, last));
	} else {
		if (bare)
			append(maker, &(Step){ .frame = CALLNAMES_NO_STACK });
		append_steps(maker, maker->steps->len, last);
	}
	if (maker->view->callers)
		reverse(maker->path);
	return TRUE;
}

static gboolean *find_starts(const CallFrames *names, const char *glob, guint32 highest)
{
	g_autoptr(GPatternSpec) pattern = glob_new(glob);
	gboolean *starts = g_new0(gboolean, (gsize)highest + 1);

	for (guint32 i = 1; i <= highest; i++)
		starts[i] = call_frames_fits(names, pattern, i);
	return starts;
}

static gboolean *find_inlined_starts(const CallFrames *names, const char *glob)
{
	g_autoptr(GPatternSpec) pattern = glob_new(glob);
	gboolean *starts = g_new0(gboolean, (gsize)call_frames_frames(names) + 1);

	for (guint32 i = 0; i <= call_frames_frames(names); i++)
		starts[i] = call_frames_fits_inlined(names, pattern, i);
	return starts;
}

static void maker_init(Maker *maker)
{
	const CallView *view = maker->view;
	const CallFrames *names = maker->data->names;

	match_init(&maker->focus, maker->data, view->focus);
	match_init(&maker->ignore, maker->data, view->ignore);
	if (view->from) {
		maker->starts = find_starts(names, view->from, call_frames_addrs(names));
		maker->inlined_starts = find_inlined_starts(names, view->from);
	}
	maker->steps = g_array_new(FALSE, FALSE, sizeof(Step));
	maker->path = g_array_new(FALSE, FALSE, sizeof(guint32));
}

static void maker_clear(Maker *maker)
{
	g_free(maker->focus.stacks);
	g_free(maker->ignore.stacks);
	g_free(maker->starts);
	g_free(maker->inlined_starts);
	g_array_unref(maker->steps);
	g_array_unref(maker->path);
}

CallTree *call_costs_tree_leaves(const CallCosts *data, guint kind, const CallView *view,
				 guint32 *leaves)
{
	CallTree *tree = calltree_new();
	Maker maker = { .data = data, .view = view };

	maker_init(&maker);
	for (guint i = 0; i < data->origins->len; i++) {
		const CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);

		leaves[i] = G_MAXUINT32;
		if (origin->kind == kind && is_wanted(&maker, origin) && make_path(&maker, origin))
			leaves[i] = calltree_add(tree, (const guint32 *)(gpointer)maker.path->data,
						 maker.path->len, &origin->cost);
	}
	calltree_finish(tree);
	maker_clear(&maker);
	return tree;
}

CallTree *call_costs_tree(const CallCosts *data, guint kind, const CallView *view)
{
	g_autofree guint32 *leaves = g_new(guint32, data->origins->len + 1);

	return call_costs_tree_leaves(data, kind, view, leaves);
}

GArray *call_costs_select(const CallCosts *data, const CallView *view)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(gint64));
	Maker maker = { .data = data, .view = view };

	maker_init(&maker);
	for (guint i = 0; i < data->origins->len; i++) {
		const CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);

		if (is_wanted(&maker, origin))
			g_array_append_val(ids, origin->id);
	}
	maker_clear(&maker);
	return ids;
}
