// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pairing/tasks.h"

#include <string.h>

#include "analysis/containers/intern.h"
#include "base/seed.h"

#define TGID_UNKNOWN G_MAXUINT64

/* A task, as a key without padding; comm is filled up with zeros. */
typedef struct {
	guint64 tid;
	guint64 tgid; /* TGID_UNKNOWN: comm is unknown, too */
	char comm[TRACE_COMM_LEN + 8];
} TaskKey;

struct Tasks {
	Intern *tasks;        /* of TaskKey */
	Intern *tids;         /* of guint64 */
	GArray *current;      /* of guint32: the task of each number in tids; 0: no event yet */
	GHashTable *defaults; /* tid to TaskKey */
};

Tasks *tasks_new(void)
{
	Tasks *tasks = g_new0(Tasks, 1);

	tasks->tasks = intern_new(sizeof(TaskKey));
	tasks->tids = intern_new(sizeof(guint64));
	tasks->current = g_array_new(FALSE, TRUE, sizeof(guint32));
	tasks->defaults = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	tasks_add_default(tasks, 0, 0, "swapper");
	return tasks;
}

void tasks_free(Tasks *tasks)
{
	if (!tasks)
		return;
	g_hash_table_unref(tasks->defaults);
	g_array_unref(tasks->current);
	intern_free(tasks->tids);
	intern_free(tasks->tasks);
	g_free(tasks);
}

static TaskKey make_key(guint32 tid, guint64 tgid, const char *comm)
{
	TaskKey key = { .tid = tid, .tgid = tgid };

	g_strlcpy(key.comm, comm, TRACE_COMM_LEN + 1);
	return key;
}

void tasks_add_default(Tasks *tasks, guint32 tid, guint32 tgid, const char *comm)
{
	TaskKey key = make_key(tid, tgid, comm);

	if (!g_hash_table_contains(tasks->defaults, GUINT_TO_POINTER(tid)))
		g_hash_table_insert(tasks->defaults, GUINT_TO_POINTER(tid),
				    g_memdup2(&key, sizeof(key)));
}

/* Returns where the current task of @tid is stored. */
static guint32 *current_of(Tasks *tasks, guint32 tid)
{
	guint64 key = tid;
	guint32 number = intern_add(tasks->tids, &key, NULL);

	if (number > tasks->current->len)
		g_array_set_size(tasks->current, number);
	return &g_array_index(tasks->current, guint32, number - 1);
}

void tasks_rename(Tasks *tasks, guint32 tid, guint32 tgid, const char *comm)
{
	TaskKey key = make_key(tid, tgid, comm);

	*current_of(tasks, tid) = intern_add(tasks->tasks, &key, NULL);
}

guint32 tasks_current(Tasks *tasks, guint32 tid)
{
	guint32 *current = current_of(tasks, tid);

	if (!*current) {
		const TaskKey *named = g_hash_table_lookup(tasks->defaults, GUINT_TO_POINTER(tid));
		TaskKey nameless = make_key(tid, TGID_UNKNOWN, "");

		*current = intern_add(tasks->tasks, named ? named : &nameless, NULL);
	}
	return *current;
}

void tasks_add_mains(Tasks *tasks)
{
	guint32 count = tasks_count(tasks);

	for (guint32 id = 1; id <= count; id++) {
		const TaskKey *key = intern_key(tasks->tasks, id);

		if (key->tgid != TGID_UNKNOWN &&
		    g_hash_table_contains(tasks->defaults, GUINT_TO_POINTER((guint32)key->tgid)))
			tasks_current(tasks, key->tgid);
	}
}

gboolean tasks_is_current(const Tasks *tasks, guint32 id)
{
	const TaskKey *key = intern_key(tasks->tasks, id);

	return g_array_index(tasks->current, guint32, intern_find(tasks->tids, &key->tid) - 1) ==
	       id;
}

guint32 tasks_count(const Tasks *tasks)
{
	return intern_count(tasks->tasks);
}

Task tasks_get(const Tasks *tasks, guint32 id)
{
	const TaskKey *key = intern_key(tasks->tasks, id);
	gboolean known = key->tgid != TGID_UNKNOWN;

	return (Task){
		.tid = key->tid,
		.tgid = known ? (gint64)key->tgid : -1,
		.comm = known ? key->comm : NULL,
	};
}
