// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/turns.h"

#include "analysis/intern.h"
#include "kmemtrace_abi.h"

#define INTERRUPTS    (G_GUINT64_CONSTANT(1) << 63) /* in a key: of a CPU, not of a thread */
#define CONTEXT_SHIFT 2

struct Turns {
	const Tasks *tasks;
	/* Of guint64: tid, or CPU and context. A thread that changes its name goes on. */
	Intern *keys;
	GArray *places; /* of guint32: by task, its place in counts; 0: not known yet */
	GArray *counts; /* of guint32, by the number of a key */
};

Turns *turns_new(const Tasks *tasks)
{
	Turns *turns = g_new0(Turns, 1);

	turns->tasks = tasks;
	turns->keys = intern_new(sizeof(guint64));
	turns->places = g_array_new(FALSE, TRUE, sizeof(guint32));
	turns->counts = g_array_new(FALSE, TRUE, sizeof(guint32));
	return turns;
}

void turns_free(Turns *turns)
{
	if (!turns)
		return;
	intern_free(turns->keys);
	g_array_unref(turns->places);
	g_array_unref(turns->counts);
	g_free(turns);
}

static guint32 *get(GArray *array, guint32 index)
{
	if (index >= array->len)
		g_array_set_size(array, index + 1);
	return &g_array_index(array, guint32, index);
}

guint32 *turns_of(Turns *turns, guint32 task, guint32 cpu, guint8 context)
{
	guint64 key = INTERRUPTS | (guint64)cpu << CONTEXT_SHIFT | context;
	guint32 *place;

	if (context != KMEMTRACE_CONTEXT_TASK)
		return get(turns->counts, intern_add(turns->keys, &key, NULL));
	place = get(turns->places, task);
	if (!*place) {
		key = tasks_get(turns->tasks, task).tid;
		*place = intern_add(turns->keys, &key, NULL);
	}
	return get(turns->counts, *place);
}
