// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/userstacks.h"

#include <string.h>

#include "analysis/containers/intern.h"
#include "analysis/stacks/stacktree.h"
#include "base/compare.h"
#include "base/message.h"
#include "base/seed.h"
#include "store/load/usernames.h"

typedef struct {
	guint32 id; /* kernel stack id */
	guint32 space, epoch;
	guint32 unused; /* 0 */
} StackKey;

/* The result for a key. */
typedef struct {
	guint32 number;    /* in the tree; 0: none */
	gboolean placed;   /* the file of some of its addresses is known */
	gboolean left_out; /* there was no room for it */
} Made;

struct UserStacks {
	const AddressSpaces *spaces;
	UserNames *names;
	GHashTable *places; /* kernel stack id to offset in @addrs */
	GArray *addrs;      /* of guint64: of each stack its depth, then its addresses */
	Intern *frames;     /* of UserFrame */
	Intern *keys;       /* of StackKey */
	GArray *made;       /* of Made, by number - 1 */
	StackTree *tree;
	guint64 told, unplaced; /* lookups, and lookups of stacks without any known file */
	guint64 left_out;       /* lookups of stacks for which there was no room */
};

UserStacks *userstacks_new(const AddressSpaces *spaces)
{
	UserStacks *stacks = g_new0(UserStacks, 1);

	stacks->spaces = spaces;
	stacks->names = usernames_new(spaces);
	stacks->places = g_hash_table_new(seed_number, NULL);
	stacks->addrs = g_array_new(FALSE, TRUE, sizeof(guint64));
	g_array_set_size(stacks->addrs, 1); /* 0 is not a valid offset */
	stacks->frames = intern_new(sizeof(UserFrame));
	stacks->keys = intern_new(sizeof(StackKey));
	stacks->made = g_array_new(FALSE, FALSE, sizeof(Made));
	stacks->tree = stacktree_new();
	return stacks;
}

void userstacks_free(UserStacks *stacks)
{
	if (!stacks)
		return;
	g_hash_table_unref(stacks->places);
	g_array_unref(stacks->addrs);
	intern_free(stacks->frames);
	intern_free(stacks->keys);
	g_array_unref(stacks->made);
	stacktree_free(stacks->tree);
	usernames_free(stacks->names);
	g_free(stacks);
}

void userstacks_add(UserStacks *stacks, guint32 id, const guint64 *addrs, guint depth)
{
	guint64 head = MIN(depth, TRACE_STACK_MAX);

	g_hash_table_insert(stacks->places, GUINT_TO_POINTER(id),
			    GUINT_TO_POINTER(stacks->addrs->len));
	g_array_append_val(stacks->addrs, head);
	g_array_append_vals(stacks->addrs, addrs, head);
}

static Made make(UserStacks *stacks, SpaceMoment moment, guint64 time_ns, guint place)
{
	const guint64 *stack = &g_array_index(stacks->addrs, guint64, place);
	UserFrame frames[TRACE_STACK_MAX];
	guint32 numbers[TRACE_STACK_MAX];
	Made made = { 0 };
	guint depth;

	if (stacktree_is_full(stacks->tree, stacks->addrs->len))
		return (Made){ .left_out = TRUE };
	depth = usernames_frames(stacks->names, moment, time_ns, stack + 1, stack[0], frames);
	for (guint i = 0; i < depth; i++) {
		numbers[i] = intern_add(stacks->frames, &frames[i], NULL);
		made.placed |= frames[i].file != 0;
	}
	made.number = stacktree_add(stacks->tree, numbers, depth);
	return made;
}

static Made find(UserStacks *stacks, const struct trace_event *event, guint place)
{
	SpaceMoment moment = address_spaces_moment(stacks->spaces, event->tgid, event->time_ns);
	StackKey key = {
		.id = event->user_stack_id,
		.space = moment.space,
		.epoch = moment.epoch,
	};
	gboolean added;
	guint32 number = intern_add(stacks->keys, &key, &added);
	Made made;

	if (!added)
		return g_array_index(stacks->made, Made, number - 1);
	made = make(stacks, moment, event->time_ns, place);
	g_array_append_val(stacks->made, made);
	return made;
}

guint32 userstacks_of(UserStacks *stacks, const struct trace_event *event)
{
	gpointer place =
		g_hash_table_lookup(stacks->places, GUINT_TO_POINTER(event->user_stack_id));
	Made made;

	if (!event->user_stack_id || !place)
		return 0;
	made = find(stacks, event, GPOINTER_TO_UINT(place));
	stacks->told++;
	stacks->left_out += made.left_out;
	stacks->unplaced += !made.placed && !made.left_out;
	return made.number;
}

static gint64 or_null(gint64 value)
{
	return value ? value : DB_NULL;
}

/*
 * Users of the traced machine choose these names, and each can be in many rows. If the database has
 * no room for all of them, all files get the same room, apart from those that need less.
 */
typedef struct {
	GHashTable *of_files; /* bytes left for a file, by its number */
	guint32 unnamed;      /* frames */
} Room;

static guint64 len_of(const UserName *name, const char *text)
{
	return strlen(text) + (name->function ? strlen(name->function) : 0) +
	       (name->file ? strlen(name->file) : 0);
}

/* Returns the bytes that the names of each file need, by its number. */
static GHashTable *find_needs(const UserStacks *stacks)
{
	GHashTable *needs = g_hash_table_new(seed_number, NULL);

	for (guint32 i = 1; i <= intern_count(stacks->frames); i++) {
		const UserFrame *frame = intern_key(stacks->frames, i);
		UserName name = usernames_find(stacks->names, frame);
		g_autofree char *text = usernames_text(&name);
		gpointer file = GUINT_TO_POINTER(frame->file);
		gsize need = GPOINTER_TO_SIZE(g_hash_table_lookup(needs, file));

		if (!frame->file) /* there is no name */
			continue;
		g_hash_table_insert(needs, file, GSIZE_TO_POINTER(need + len_of(&name, text)));
	}
	return needs;
}

static int compare_needs(gconstpointer a, gconstpointer b)
{
	const gsize *x = a, *y = b;

	return COMPARE(*x, *y);
}

/* Returns how much each file gets at most, so that all of @needs get @bytes. */
static gsize share_of(GHashTable *needs, gsize bytes)
{
	g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(gsize));
	GHashTableIter iter;
	gpointer need;

	g_hash_table_iter_init(&iter, needs);
	while (g_hash_table_iter_next(&iter, NULL, &need))
		g_array_append_val(sorted, need);
	g_array_sort(sorted, compare_needs);
	for (guint i = 0; i < sorted->len; i++) {
		gsize least = g_array_index(sorted, gsize, i), share = bytes / (sorted->len - i);

		if (least > share)
			return share;
		bytes -= least;
	}
	return G_MAXSIZE;
}

static Room find_room(const UserStacks *stacks, const Db *db)
{
	Room room = { .of_files = find_needs(stacks) };
	gsize share = share_of(room.of_files, db_texts_left(db) / 2);
	GHashTableIter iter;

	g_hash_table_iter_init(&iter, room.of_files);
	while (g_hash_table_iter_next(&iter, NULL, NULL))
		g_hash_table_iter_replace(&iter, GSIZE_TO_POINTER(share));
	return room;
}

static gboolean take_room(Room *room, guint32 file, gsize len)
{
	gpointer key = GUINT_TO_POINTER(file);
	gsize left = GPOINTER_TO_SIZE(g_hash_table_lookup(room->of_files, key));

	if (len > left) {
		room->unnamed++;
		return FALSE;
	}
	g_hash_table_insert(room->of_files, key, GSIZE_TO_POINTER(left - len));
	return TRUE;
}

static void write_frame(const UserStacks *stacks, guint32 id, Room *room, Insert *insert)
{
	const UserFrame *frame = intern_key(stacks->frames, id);
	UserName name = usernames_find(stacks->names, frame);
	g_autofree char *text = usernames_text(&name);

	if (frame->file && !take_room(room, frame->file, len_of(&name, text))) {
		name = (UserName){ .offset = frame->place };
		g_free(text);
		text = usernames_text(&name);
	}
	insert_row(insert, "iiisss", (gint64)id, frame->file ? DB_NULL : (gint64)frame->place,
		   frame->file ? (gint64)frame->place : DB_NULL, name.function, text, name.file);
}

void userstacks_write(const UserStacks *stacks, Db *db)
{
	Insert *frame = db_insert(db, "user_frame"), *stack = db_insert(db, "user_stack");
	Insert *meta = db_insert(db, "meta");
	Room room = find_room(stacks, db);

	for (guint32 i = 1; i <= intern_count(stacks->frames); i++)
		write_frame(stacks, i, &room, frame);
	if (room.unnamed)
		message("names of programs are too long for the size of the trace: %u frames of user stacks are only addresses",
			room.unnamed);
	for (guint32 i = 1; i <= stacktree_count(stacks->tree); i++) {
		StackNode node = stacktree_node(stacks->tree, i);
		gint64 values[] = {
			i,
			or_null(node.parent),
			stacktree_depth(stacks->tree, i),
			node.frame,
			stacktree_is_stack(stacks->tree, i),
		};

		insert_ints(stack, values, G_N_ELEMENTS(values));
	}
	insert_row(meta, "si", "user_stacks", (gint64)stacks->told);
	insert_row(meta, "si", "user_stacks_unplaced", (gint64)stacks->unplaced);
	insert_row(meta, "si", "user_stacks_left_out", (gint64)stacks->left_out);
	insert_row(meta, "si", "user_frames_unnamed", (gint64)room.unnamed);
	g_hash_table_unref(room.of_files);
}
