// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Treaps that share their nodes: each is a search tree by start address, and a heap by a random
 * priority of each range, which balances it. The author of a trace cannot know the priorities.
 */
#include "analysis/containers/ranges.h"

#include "base/seed.h"

typedef struct {
	guint32 left, right; /* 0: nothing */
	guint32 range;       /* index in ranges */
} Node;

struct Ranges {
	GArray *nodes;  /* of Node; index 0 is unused */
	GArray *ranges; /* of Range */
	guint32 kept;   /* nodes with lower numbers never change again */
};

Ranges *ranges_new(void)
{
	Ranges *ranges = g_new0(Ranges, 1);

	ranges->nodes = g_array_new(FALSE, TRUE, sizeof(Node));
	g_array_set_size(ranges->nodes, 1);
	ranges->ranges = g_array_new(FALSE, FALSE, sizeof(Range));
	ranges->kept = 1;
	return ranges;
}

void ranges_free(Ranges *ranges)
{
	if (!ranges)
		return;
	g_array_unref(ranges->nodes);
	g_array_unref(ranges->ranges);
	g_free(ranges);
}

void ranges_keep(Ranges *ranges)
{
	ranges->kept = ranges->nodes->len;
}

static Node *node_at(const Ranges *ranges, guint32 place)
{
	return &g_array_index(ranges->nodes, Node, place);
}

static const Range *range_of(const Ranges *ranges, guint32 place)
{
	return &g_array_index(ranges->ranges, Range, node_at(ranges, place)->range);
}

static guint64 weight(const Ranges *ranges, guint32 place)
{
	return seed_mix(node_at(ranges, place)->range, 0);
}

/* Returns a copy of the node that may be changed, or the node itself if that may be changed. */
static guint32 own(Ranges *ranges, guint32 place)
{
	Node copy = *node_at(ranges, place);

	if (place >= ranges->kept)
		return place;
	g_array_append_val(ranges->nodes, copy);
	return ranges->nodes->len - 1;
}

static guint32 add_leaf(Ranges *ranges, const Range *range)
{
	Node node = { .range = ranges->ranges->len };

	g_array_append_val(ranges->ranges, *range);
	g_array_append_val(ranges->nodes, node);
	return ranges->nodes->len - 1;
}

/* Splits a tree: ranges that start below @at into *@left, the others into *@right. */
static void split(Ranges *ranges, guint32 tree, guint64 at, guint32 *left, guint32 *right)
{
	guint32 part;

	*left = *right = RANGES_EMPTY;
	if (!tree)
		return;
	tree = own(ranges, tree);
	if (range_of(ranges, tree)->start < at) {
		split(ranges, node_at(ranges, tree)->right, at, &part, right);
		node_at(ranges, tree)->right = part;
		*left = tree;
	} else {
		split(ranges, node_at(ranges, tree)->left, at, left, &part);
		node_at(ranges, tree)->left = part;
		*right = tree;
	}
}

/* Joins two trees; all of @left starts below all of @right. */
static guint32 join(Ranges *ranges, guint32 left, guint32 right)
{
	guint32 part;

	if (!left || !right)
		return left ? left : right;
	if (weight(ranges, left) > weight(ranges, right)) {
		left = own(ranges, left);
		part = join(ranges, node_at(ranges, left)->right, right);
		node_at(ranges, left)->right = part;
		return left;
	}
	right = own(ranges, right);
	part = join(ranges, left, node_at(ranges, right)->left);
	node_at(ranges, right)->left = part;
	return right;
}

/* Returns the last range that starts below @at. */
static const Range *last_below(const Ranges *ranges, guint32 tree, guint64 at)
{
	const Range *found = NULL;

	while (tree) {
		const Range *range = range_of(ranges, tree);

		if (range->start < at)
			found = range;
		tree = range->start < at ? node_at(ranges, tree)->right
					 : node_at(ranges, tree)->left;
	}
	return found;
}

/* Adds [@start, @end) of @whole, unless it is empty. */
static guint32 add_part(Ranges *ranges, guint32 tree, const Range *whole, guint64 start,
			guint64 end)
{
	Range part = *whole;

	if (start >= end)
		return tree;
	part.start = start;
	part.end = end;
	part.offset = whole->offset + (start - whole->start);
	return ranges_add(ranges, tree, &part);
}

guint32 ranges_cut(Ranges *ranges, guint32 version, guint64 start, guint64 end)
{
	const Range *last = start < end ? last_below(ranges, version, end) : NULL;
	guint32 left, middle, right;
	Range first_cut, last_cut;
	gboolean first_known;

	if (!last || last->end <= start)
		return version;
	last_cut = *last;
	last = last_below(ranges, version, start);
	first_known = last && last->end > start;
	if (first_known)
		first_cut = *last;
	split(ranges, version, first_known ? first_cut.start : start, &left, &middle);
	split(ranges, middle, end, &middle, &right);
	version = join(ranges, left, right);
	if (first_known)
		version = add_part(ranges, version, &first_cut, first_cut.start, start);
	return add_part(ranges, version, &last_cut, MAX(end, last_cut.start), last_cut.end);
}

guint32 ranges_add(Ranges *ranges, guint32 version, const Range *range)
{
	guint32 left, right, leaf = add_leaf(ranges, range);

	split(ranges, version, range->start, &left, &right);
	return join(ranges, join(ranges, left, leaf), right);
}

const Range *ranges_find(const Ranges *ranges, guint32 version, guint64 at)
{
	while (version) {
		const Range *range = range_of(ranges, version);

		if (at >= range->start && at < range->end)
			return range;
		version = at < range->start ? node_at(ranges, version)->left
					    : node_at(ranges, version)->right;
	}
	return NULL;
}
