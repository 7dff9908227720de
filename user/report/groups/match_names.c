// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/match_names.h"

#include "base/seed.h"

enum { UNKNOWN, NO, YES };

struct MatchNames {
	const StableNames *names;
	const GPtrArray *globs;
	GHashTable *frames; /* id to NO or YES */
	GHashTable *stacks; /* the same */
};

static GHashTable *new_table(void)
{
	return g_hash_table_new_full(seed_int64, g_int64_equal, g_free, NULL);
}

MatchNames *match_names_new(const StableNames *names, const GPtrArray *globs)
{
	MatchNames *match = g_new0(MatchNames, 1);

	match->names = names;
	match->globs = globs;
	match->frames = new_table();
	match->stacks = new_table();
	return match;
}

void match_names_free(MatchNames *match)
{
	if (!match)
		return;
	g_hash_table_unref(match->frames);
	g_hash_table_unref(match->stacks);
	g_free(match);
}

static guint recall(GHashTable *table, gint64 id)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(table, &id));
}

static void remember(GHashTable *table, gint64 id, guint result)
{
	g_hash_table_insert(table, seed_key(id), GUINT_TO_POINTER(result));
}

gboolean match_names_frame(MatchNames *match, gint64 frame)
{
	guint result = recall(match->frames, frame);

	if (result != UNKNOWN)
		return result == YES;
	result = NO;
	for (guint i = 0; result == NO && i < match->globs->len; i++) {
		if (stable_names_match(match->names, frame, match->globs->pdata[i]))
			result = YES;
	}
	remember(match->frames, frame, result);
	return result == YES;
}

gboolean match_names_stack(MatchNames *match, gint64 stack)
{
	gint64 stacks[STABLE_NAMES_DEPTH], frame;
	guint depth = 0, result;

	/* Outwards: a stack matches if that of its caller does. */
	while (!(result = recall(match->stacks, stack)) && depth < STABLE_NAMES_DEPTH) {
		stacks[depth] = stack;
		if (!stable_names_step(match->names, stack, &frame, &stack))
			break;
		depth++;
		if (match_names_frame(match, frame)) {
			result = YES;
			break;
		}
	}
	while (depth--)
		remember(match->stacks, stacks[depth], result == YES ? YES : NO);
	return result == YES;
}
