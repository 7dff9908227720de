// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/stacks.h"

#include "analysis/containers/intern.h"
#include "base/seed.h"
#include "trace/file/reader.h"

typedef struct {
	guint32 id, era;
} StackKey;

struct Stacks {
	Frames *frames;
	StackTree *tree;
	GHashTable *numbers; /* the kernel's id to the tree's; if there are eras, to @addrs */
	GHashTable *missing; /* ids that were asked for and aren't in it */
	/* If there are eras: */
	GArray *addrs; /* of guint64: of each stack its depth, then its addresses */
	Intern *keys;  /* of StackKey: stacks that were asked for */
	GArray *made;  /* of guint32: their numbers in the tree, by number − 1 */
};

Stacks *stacks_new(Frames *frames, StackTree *tree, guint eras)
{
	Stacks *stacks = g_new0(Stacks, 1);

	stacks->frames = frames;
	stacks->tree = tree;
	stacks->numbers = g_hash_table_new(seed_number, NULL);
	stacks->missing = g_hash_table_new(seed_number, NULL);
	if (eras > 1) {
		stacks->addrs = g_array_new(FALSE, TRUE, sizeof(guint64));
		g_array_set_size(stacks->addrs, 1); /* 0 is no place */
		stacks->keys = intern_new(sizeof(StackKey));
		stacks->made = g_array_new(FALSE, FALSE, sizeof(guint32));
	}
	return stacks;
}

void stacks_free(Stacks *stacks)
{
	if (!stacks)
		return;
	g_hash_table_unref(stacks->numbers);
	g_hash_table_unref(stacks->missing);
	g_clear_pointer(&stacks->addrs, g_array_unref);
	g_clear_pointer(&stacks->keys, intern_free);
	g_clear_pointer(&stacks->made, g_array_unref);
	g_free(stacks);
}

static guint32 make(Stacks *stacks, const guint64 *addrs, guint depth, guint era)
{
	guint32 frames[TRACE_STACK_MAX];
	guint count = 0;

	for (guint i = 0; i < depth && count < G_N_ELEMENTS(frames); i++) {
		frames[count] = frames_add(stacks->frames, addrs[i], era);
		count += frames[count] != 0;
	}
	return stacktree_add(stacks->tree, frames, count);
}

void stacks_add(Stacks *stacks, guint32 id, const guint64 *addrs, guint depth)
{
	guint64 head = depth;
	guint32 number;

	if (stacks->addrs) {
		number = stacks->addrs->len;
		g_array_append_val(stacks->addrs, head);
		g_array_append_vals(stacks->addrs, addrs, depth);
	} else {
		number = make(stacks, addrs, depth, 0);
	}
	g_hash_table_insert(stacks->numbers, GUINT_TO_POINTER(id), GUINT_TO_POINTER(number));
}

guint32 stacks_get(Stacks *stacks, guint32 id, guint era)
{
	gpointer found = NULL;
	gboolean is_there =
		g_hash_table_lookup_extended(stacks->numbers, GUINT_TO_POINTER(id), NULL, &found);
	guint32 place = GPOINTER_TO_UINT(found), number, made;
	StackKey key = { id, era };
	const guint64 *stack;
	gboolean added;

	if (id && !is_there)
		g_hash_table_add(stacks->missing, GUINT_TO_POINTER(id));
	if (!place || !stacks->addrs)
		return place;
	number = intern_add(stacks->keys, &key, &added);
	if (!added)
		return g_array_index(stacks->made, guint32, number - 1);
	stack = &g_array_index(stacks->addrs, guint64, place);
	made = make(stacks, stack + 1, stack[0], era);
	g_array_append_val(stacks->made, made);
	return made;
}

guint stacks_missing(const Stacks *stacks)
{
	return g_hash_table_size(stacks->missing);
}
