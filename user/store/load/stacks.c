// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/stacks.h"

#include "base/seed.h"
#include "trace/file/reader.h"

/* A kernel stack, and the result of its last lookup. */
typedef struct {
	guint first, depth; /* in the addresses */
	guint32 number;     /* in the tree */
	ModuleEras same;    /* eras in which it has that number */
} EraStack;

struct Stacks {
	Frames *frames;
	StackTree *tree;
	guint eras;
	GHashTable *numbers; /* kernel id to number in the tree; with eras, to era_stacks */
	GHashTable *missing; /* requested ids that were never added, or had no room */
	/* Only with eras, else NULL: */
	GArray *addrs;      /* of guint64 */
	GArray *era_stacks; /* of EraStack; the first is unused */
};

Stacks *stacks_new(Frames *frames, StackTree *tree, guint eras)
{
	Stacks *stacks = g_new0(Stacks, 1);

	stacks->frames = frames;
	stacks->tree = tree;
	stacks->eras = eras;
	stacks->numbers = g_hash_table_new(seed_number, NULL);
	stacks->missing = g_hash_table_new(seed_number, NULL);
	if (eras > 1) {
		stacks->addrs = g_array_new(FALSE, FALSE, sizeof(guint64));
		stacks->era_stacks = g_array_new(FALSE, TRUE, sizeof(EraStack));
		g_array_set_size(stacks->era_stacks, 1);
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
	g_clear_pointer(&stacks->era_stacks, g_array_unref);
	g_free(stacks);
}

/* Narrows *@same to eras with the same result. */
static guint32 make(Stacks *stacks, const guint64 *addrs, guint depth, guint era, ModuleEras *same)
{
	guint32 frames[TRACE_STACK_MAX];
	guint count = 0;

	for (guint i = 0; i < depth && count < G_N_ELEMENTS(frames); i++) {
		frames[count] = frames_add(stacks->frames, addrs[i], era, same);
		count += frames[count] != 0;
	}
	return stacktree_add(stacks->tree, frames, count);
}

void stacks_add(Stacks *stacks, guint32 id, const guint64 *addrs, guint depth)
{
	guint32 number;

	if (stacks->addrs) {
		EraStack stack = { .first = stacks->addrs->len, .depth = depth };

		number = stacks->era_stacks->len;
		g_array_append_vals(stacks->addrs, addrs, depth);
		g_array_append_val(stacks->era_stacks, stack);
	} else {
		number = make(stacks, addrs, depth, 0, NULL);
	}
	g_hash_table_insert(stacks->numbers, GUINT_TO_POINTER(id), GUINT_TO_POINTER(number));
}

/* Returns 0 if there is no room for another meaning of the stack. */
static guint32 number_in_era(Stacks *stacks, EraStack *stack, guint era)
{
	if (era < stack->same.first || era >= stack->same.end) {
		if (stack->number && stacktree_is_full(stacks->tree, stacks->addrs->len))
			return 0;
		stack->same = (ModuleEras){ 0, stacks->eras };
		stack->number = make(stacks, &g_array_index(stacks->addrs, guint64, stack->first),
				     stack->depth, era, &stack->same);
	}
	return stack->number;
}

guint32 stacks_get(Stacks *stacks, guint32 id, guint era)
{
	gpointer found = NULL;
	gboolean is_there =
		g_hash_table_lookup_extended(stacks->numbers, GUINT_TO_POINTER(id), NULL, &found);
	guint32 number = GPOINTER_TO_UINT(found);

	if (id && !is_there)
		g_hash_table_add(stacks->missing, GUINT_TO_POINTER(id));
	if (!number || !stacks->addrs)
		return number;
	number = number_in_era(stacks, &g_array_index(stacks->era_stacks, EraStack, number), era);
	if (!number)
		g_hash_table_add(stacks->missing, GUINT_TO_POINTER(id));
	return number;
}

guint stacks_missing(const Stacks *stacks)
{
	return g_hash_table_size(stacks->missing);
}
