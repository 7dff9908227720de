// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/growth/temporaries.h"

#include "analysis/containers/intern.h"
#include "kmemtrace_abi.h"

#define INTERRUPTS    (G_GUINT64_CONSTANT(1) << 63) /* in a key: of a CPU, not of a thread */
#define CONTEXT_SHIFT 2

struct Temporaries {
	const Tasks *tasks;
	/* Of guint64: tid, or CPU and context. A renamed thread keeps its key. */
	Intern *keys;
	GArray *places; /* of guint32: by task, its index in counts; 0: unknown */
	GArray *counts; /* of guint32, by the number of a key */
};

Temporaries *temporaries_new(const Tasks *tasks)
{
	Temporaries *temporaries = g_new0(Temporaries, 1);

	temporaries->tasks = tasks;
	temporaries->keys = intern_new(sizeof(guint64));
	temporaries->places = g_array_new(FALSE, TRUE, sizeof(guint32));
	temporaries->counts = g_array_new(FALSE, TRUE, sizeof(guint32));
	return temporaries;
}

void temporaries_free(Temporaries *temporaries)
{
	if (!temporaries)
		return;
	intern_free(temporaries->keys);
	g_array_unref(temporaries->places);
	g_array_unref(temporaries->counts);
	g_free(temporaries);
}

static guint32 *get(GArray *array, guint32 index)
{
	if (index >= array->len)
		g_array_set_size(array, index + 1);
	return &g_array_index(array, guint32, index);
}

guint32 *temporaries_of(Temporaries *temporaries, guint32 task, guint32 cpu, guint8 context)
{
	guint64 key = INTERRUPTS | (guint64)cpu << CONTEXT_SHIFT | context;
	guint32 *place;

	if (context != KMEMTRACE_CONTEXT_TASK)
		return get(temporaries->counts, intern_add(temporaries->keys, &key, NULL));
	place = get(temporaries->places, task);
	if (!*place) {
		key = tasks_get(temporaries->tasks, task).tid;
		*place = intern_add(temporaries->keys, &key, NULL);
	}
	return get(temporaries->counts, *place);
}
