// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A segment tree over the addresses at which modules begin and end: node 1 is the root, the
 * children of node n are 2n and 2n + 1, and the leaves are the ranges between two such addresses. A
 * module belongs to the fewest nodes that cover it. So the modules at an address are those of the
 * nodes from its leaf to the root.
 *
 * Each node has its results as a step function of time, so a lookup does not iterate over its
 * modules.
 */
#include "symbols/moduleindex.h"

#include "base/compare.h"
#include "base/sorted.h"

/* The results of a node from a time on, as numbers of modules; 0: none. */
typedef struct {
	guint64 from_ns;
	guint32 loaded; /* the first one loaded then */
	guint32 last;   /* the last one loaded until then; not a strict one */
} Step;

typedef struct {
	guint32 first, count; /* in the steps */
} Node;

/* A module of a node. */
typedef struct {
	guint32 node, number;
} Member;

struct ModuleIndex {
	IndexedModule *modules; /* by number - 1 */
	GArray *places;         /* of guint64, ascending: starts and ends of modules */
	guint leaves;           /* a power of two */
	Node *nodes;            /* 2 * leaves */
	GArray *steps;          /* of Step */
};

/* Counts the ascending @numbers that are @limit or less. */
static guint count_until(const GArray *numbers, guint64 limit)
{
	return sorted_count(numbers->data, numbers->len, sizeof(guint64), 0, limit);
}

/* ---- the results of a node ---- */

/* Returns the lower number; 0: none. */
static guint32 lower_number(guint32 one, guint32 other)
{
	return one && other ? MIN(one, other) : MAX(one, other);
}

/* State while the steps of one node are made. */
typedef struct {
	const IndexedModule *modules;
	const Member *members; /* by number */
	guint count;
	GArray *times; /* of guint64, ascending: of each step */
	Step *steps;
	guint *free; /* by step: itself if nothing is loaded, or a later step; one more */
} NodeMaker;

static const IndexedModule *member(const NodeMaker *maker, guint i)
{
	return &maker->modules[maker->members[i].number - 1];
}

static guint step_at(const NodeMaker *maker, guint64 time_ns)
{
	return count_until(maker->times, time_ns) - 1;
}

static void add_times(NodeMaker *maker)
{
	guint64 start = 0;

	g_array_set_size(maker->times, 0);
	g_array_append_val(maker->times, start);
	for (guint i = 0; i < maker->count; i++) {
		g_array_append_val(maker->times, member(maker, i)->load_ns);
		g_array_append_val(maker->times, member(maker, i)->unload_ns);
	}
	sorted_make(maker->times);
}

/* Returns the first step from @step on at which nothing is loaded. */
static guint find_free(guint *free, guint step)
{
	guint found = step;

	while (free[found] != found)
		found = free[found];
	while (free[step] != found) {
		guint after = free[step];

		free[step] = found;
		step = after;
	}
	return found;
}

/* Sets members in order of number, so that the first one loaded at a step gets it. */
static void set_loaded(NodeMaker *maker)
{
	for (guint i = 0; i <= maker->times->len; i++)
		maker->free[i] = i;
	for (guint i = 0; i < maker->count; i++) {
		const IndexedModule *module = member(maker, i);
		guint end =
			module->unload_ns ? step_at(maker, module->unload_ns) : maker->times->len;
		guint step = find_free(maker->free, step_at(maker, module->load_ns));

		for (; step < end; step = find_free(maker->free, step)) {
			maker->steps[step].loaded = maker->members[i].number;
			maker->free[step] = step + 1;
		}
	}
}

static void set_others(NodeMaker *maker)
{
	guint count = maker->times->len;

	/* First only the steps at which one is loaded. */
	for (guint i = 0; i < maker->count; i++) {
		Step *step = &maker->steps[step_at(maker, member(maker, i)->load_ns)];

		if (!member(maker, i)->strict && !step->last)
			step->last = maker->members[i].number;
	}
	for (guint i = 1; i < count; i++) {
		if (!maker->steps[i].last)
			maker->steps[i].last = maker->steps[i - 1].last;
	}
}

static void make_node(ModuleIndex *index, NodeMaker *maker)
{
	Node *node = &index->nodes[maker->members->node];

	add_times(maker);
	*node = (Node){ index->steps->len, maker->times->len };
	g_array_set_size(index->steps, index->steps->len + maker->times->len);
	maker->steps = &g_array_index(index->steps, Step, node->first);
	maker->free = g_renew(guint, maker->free, maker->times->len + 1);
	for (guint i = 0; i < maker->times->len; i++)
		maker->steps[i].from_ns = g_array_index(maker->times, guint64, i);
	set_loaded(maker);
	set_others(maker);
}

/* ---- the modules of a node ---- */

static guint leaf_of(const ModuleIndex *index, guint64 place)
{
	return index->leaves + count_until(index->places, place) - 1;
}

static void add_places(ModuleIndex *index, const IndexedModule *modules, guint count)
{
	for (guint i = 0; i < count; i++) {
		guint64 end = modules[i].base + modules[i].size;

		g_array_append_val(index->places, modules[i].base);
		g_array_append_val(index->places, end);
	}
	sorted_make(index->places);
	for (index->leaves = 1; index->leaves < index->places->len;)
		index->leaves *= 2;
	index->nodes = g_new0(Node, 2 * (gsize)index->leaves);
}

static gint compare_members(gconstpointer a, gconstpointer b)
{
	const Member *x = a, *y = b;

	return COMPARE(x->node, y->node) ?: COMPARE(x->number, y->number);
}

static GArray *list_members(const ModuleIndex *index, const IndexedModule *modules, guint count)
{
	GArray *members = g_array_new(FALSE, FALSE, sizeof(Member));

	for (guint i = 0; i < count; i++) {
		guint low = leaf_of(index, modules[i].base);
		guint high = leaf_of(index, modules[i].base + modules[i].size);

		for (; low < high; low /= 2, high /= 2) {
			Member left = { low, i + 1 }, right = { high - 1, i + 1 };

			if (low % 2)
				g_array_append_val(members, left);
			if (high % 2)
				g_array_append_val(members, right);
			low += low % 2;
			high -= high % 2;
		}
	}
	g_array_sort(members, compare_members);
	return members;
}

ModuleIndex *moduleindex_new(const IndexedModule *modules, guint count)
{
	ModuleIndex *index = g_new0(ModuleIndex, 1);
	NodeMaker maker = { .modules = modules };
	g_autoptr(GArray) members = NULL;

	index->modules = g_memdup2(modules, count * sizeof(*modules));
	index->places = g_array_new(FALSE, FALSE, sizeof(guint64));
	index->steps = g_array_new(FALSE, TRUE, sizeof(Step));
	maker.times = g_array_new(FALSE, FALSE, sizeof(guint64));
	add_places(index, modules, count);
	members = list_members(index, modules, count);
	for (guint i = 0; i < members->len; i += maker.count) {
		maker.members = &g_array_index(members, Member, i);
		for (maker.count = 1; i + maker.count < members->len; maker.count++) {
			if (maker.members[maker.count].node != maker.members->node)
				break;
		}
		make_node(index, &maker);
	}
	g_array_unref(maker.times);
	g_free(maker.free);
	return index;
}

void moduleindex_free(ModuleIndex *index)
{
	if (!index)
		return;
	g_array_unref(index->places);
	g_array_unref(index->steps);
	g_free(index->nodes);
	g_free(index->modules);
	g_free(index);
}

/* ---- queries ---- */

/* Combined results of several nodes; see Step. */
typedef struct {
	guint32 loaded, last;
} Answer;

/* Returns the module that was loaded later, of two that were loaded before the time. */
static guint32 later_module(const ModuleIndex *index, guint32 one, guint32 other)
{
	guint64 x, y;

	if (!one || !other)
		return MAX(one, other);
	x = index->modules[one - 1].load_ns;
	y = index->modules[other - 1].load_ns;
	return x == y ? MIN(one, other) : x > y ? one : other;
}

static void query_node(const ModuleIndex *index, const Node *node, guint64 time_ns, Answer *answer,
		       ModuleSpan *span)
{
	const Step *steps = &g_array_index(index->steps, Step, node->first);
	/* the last step that begins by @time_ns */
	guint found =
		sorted_count(steps, node->count, sizeof(Step), offsetof(Step, from_ns), time_ns) -
		1;

	answer->loaded = lower_number(answer->loaded, steps[found].loaded);
	answer->last = later_module(index, answer->last, steps[found].last);
	span->since_ns = MAX(span->since_ns, steps[found].from_ns);
	if (found + 1 < node->count)
		span->until_ns = MIN(span->until_ns, steps[found + 1].from_ns);
}

/* Returns whether a thread may still return to module @number, and narrows *@span accordingly. */
static gboolean is_just_unloaded(const ModuleIndex *index, guint32 number, guint64 time_ns,
				 ModuleSpan *span)
{
	guint64 end_ns = index->modules[number - 1].unload_ns + MODULE_GRACE_NS;

	if (time_ns >= end_ns) {
		span->since_ns = MAX(span->since_ns, end_ns);
		return FALSE;
	}
	span->until_ns = MIN(span->until_ns, end_ns);
	return TRUE;
}

guint moduleindex_at(const ModuleIndex *index, guint64 addr, guint64 time_ns, ModuleSpan *span)
{
	Answer answer = { 0 };

	if (!index->places->len || addr < g_array_index(index->places, guint64, 0))
		return 0;
	for (guint node = leaf_of(index, addr); node; node /= 2) {
		if (index->nodes[node].count)
			query_node(index, &index->nodes[node], time_ns, &answer, span);
	}
	if (answer.loaded || !answer.last)
		return answer.loaded;
	return is_just_unloaded(index, answer.last, time_ns, span) ? answer.last : 0;
}
