// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/userstacks.h"

#include <string.h>

#include "analysis/containers/intern.h"
#include "analysis/stacks/stacktree.h"
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
	guint depth = usernames_frames(stacks->names, moment, time_ns, stack + 1, stack[0], frames);
	Made made = { 0 };

	if (stacktree_is_full(stacks->tree, stacks->addrs->len))
		return (Made){ .left_out = TRUE };
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
 * no room for all of them, frames with long ones have none, and then those that come last.
 */
typedef struct {
	guint64 left; /* bytes */
	guint64 longest;
	guint32 unnamed; /* frames */
} Room;

#define NAMES_LONG 512 /* bytes of a frame */

static guint64 len_of(const UserName *name, const char *text)
{
	return strlen(text) + (name->function ? strlen(name->function) : 0) +
	       (name->file ? strlen(name->file) : 0);
}

static Room find_room(const UserStacks *stacks, const Db *db)
{
	Room room = { .left = db_texts_left(db) / 2 };
	guint64 all = 0;

	for (guint32 i = 1; i <= intern_count(stacks->frames); i++) {
		UserName name = usernames_find(stacks->names, intern_key(stacks->frames, i));
		g_autofree char *text = usernames_text(&name);

		all += len_of(&name, text);
	}
	room.longest = all > room.left ? NAMES_LONG : G_MAXUINT64;
	return room;
}

static gboolean take_room(Room *room, guint64 len)
{
	if (len > room->left || len > room->longest) {
		room->unnamed++;
		return FALSE;
	}
	room->left -= len;
	return TRUE;
}

static void write_frame(const UserStacks *stacks, guint32 id, Room *room, Insert *insert)
{
	const UserFrame *frame = intern_key(stacks->frames, id);
	UserName name = usernames_find(stacks->names, frame);
	g_autofree char *text = usernames_text(&name);

	if (!take_room(room, len_of(&name, text))) {
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
}
