// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/stable_names.h"

#include "base/glob.h"
#include "base/seed.h"
#include "symbols/symbols.h"

#define UNKNOWN "(unknown)"

typedef struct {
	char *function; /* as in the kernel */
	char *plain;    /* without a suffix; or a replacement without a symbol */
	char *shown;    /* "plain [module]" */
	char *module;   /* NULL: the kernel */
} Frame;

typedef struct {
	gint64 parent, frame; /* 0: none */
} Node;

struct StableNames {
	GHashTable *frames; /* id to Frame */
	GHashTable *nodes;  /* id to Node */
};

static void free_frame(gpointer data)
{
	Frame *frame = data;

	g_free(frame->function);
	g_free(frame->plain);
	g_free(frame->shown);
	g_free(frame->module);
	g_free(frame);
}

/* Columns of names_frames.sql. */
enum { FRAME_ID, FRAME_FUNCTION, FRAME_MODULE, FRAME_UNNAMED };

static void take_frame(StoreRows *rows, gpointer data)
{
	const StableNames *names = data;
	Frame *frame = g_new0(Frame, 1);

	if (store_rows_type(rows, FRAME_MODULE) != STORE_NULL)
		frame->module = g_strdup(store_rows_raw(rows, FRAME_MODULE));
	frame->function = g_strdup(store_rows_raw(rows, FRAME_FUNCTION));
	frame->plain = store_rows_int(rows, FRAME_UNNAMED) ? g_strdup(UNKNOWN)
							   : symbols_plain_name(frame->function);
	frame->shown = frame->module ? g_strdup_printf("%s [%s]", frame->plain, frame->module)
				     : g_strdup(frame->plain);
	g_hash_table_insert(names->frames, seed_key(store_rows_int(rows, FRAME_ID)), frame);
}

/* Columns of names_stacks.sql. */
enum { STACK_ID, STACK_PARENT, STACK_FRAME };

static void take_node(StoreRows *rows, gpointer data)
{
	const StableNames *names = data;
	Node *node = g_new(Node, 1);

	node->parent = store_rows_int(rows, STACK_PARENT);
	node->frame = store_rows_int(rows, STACK_FRAME);
	g_hash_table_insert(names->nodes, seed_key(store_rows_int(rows, STACK_ID)), node);
}

StableNames *stable_names_read(StoreDb *db, GError **error)
{
	g_autoptr(StableNames) names = g_new0(StableNames, 1);

	names->frames = g_hash_table_new_full(seed_int64, g_int64_equal, g_free, free_frame);
	names->nodes = g_hash_table_new_full(seed_int64, g_int64_equal, g_free, g_free);
	if (!store_each(db, "names_frames", NULL, take_frame, names, error) ||
	    !store_each(db, "names_stacks", NULL, take_node, names, error))
		return NULL;
	return g_steal_pointer(&names);
}

void stable_names_free(StableNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->frames);
	g_hash_table_unref(names->nodes);
	g_free(names);
}

const char *stable_names_function(const StableNames *names, gint64 frame)
{
	const Frame *found = g_hash_table_lookup(names->frames, &frame);

	return found ? found->shown : UNKNOWN;
}

const char *stable_names_module(const StableNames *names, gint64 frame)
{
	const Frame *found = g_hash_table_lookup(names->frames, &frame);

	return found && found->module ? found->module : "(kernel)";
}

gboolean stable_names_step(const StableNames *names, gint64 stack, gint64 *frame, gint64 *caller)
{
	const Node *node = g_hash_table_lookup(names->nodes, &stack);

	if (!node)
		return FALSE;
	*frame = node->frame;
	*caller = node->parent;
	return TRUE;
}

gboolean stable_names_match(const StableNames *names, gint64 frame, GPatternSpec *glob)
{
	const Frame *found = g_hash_table_lookup(names->frames, &frame);

	return found && (glob_matches(glob, found->plain) || glob_matches(glob, found->function));
}
