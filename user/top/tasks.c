// SPDX-License-Identifier: GPL-2.0-or-later
#include "top/tasks.h"

#include <string.h>
#include <unistd.h>

#include "base/seed.h"

#define NAMES_MAX    4096
#define THREADS_MANY 65536 /* 6 MiB */

enum { UNKNOWN, INTERRUPT, OTHER = TOP_TASKS_OTHER }; /* numbers of names without a thread */

/* A thread. */
typedef struct {
	guint32 tgid;
	guint32 name;
} Entry;

struct TopTasks {
	GHashTable *threads; /* tid → Entry */
	GHashTable *numbers; /* name → its number */
	GPtrArray *names;    /* by number */
	guint threads_max;   /* at which those that have ended are dropped */
};

static guint32 add_name(TopTasks *tasks, const char *name)
{
	gpointer number;
	char *kept;

	if (g_hash_table_lookup_extended(tasks->numbers, name, NULL, &number))
		return GPOINTER_TO_UINT(number);
	kept = g_strdup(name);
	g_ptr_array_add(tasks->names, kept);
	g_hash_table_insert(tasks->numbers, kept, GUINT_TO_POINTER(tasks->names->len - 1));
	return tasks->names->len - 1;
}

static gboolean has_name(const TopTasks *tasks, const char *name)
{
	return g_hash_table_contains(tasks->numbers, name);
}

TopTasks *top_tasks_new(void)
{
	TopTasks *tasks = g_new0(TopTasks, 1);

	tasks->threads = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	tasks->numbers = g_hash_table_new(seed_text, g_str_equal);
	tasks->names = g_ptr_array_new_with_free_func(g_free);
	tasks->threads_max = THREADS_MANY;
	add_name(tasks, "(unknown)");
	add_name(tasks, "(interrupt)");
	add_name(tasks, "(other)");
	top_tasks_rename(tasks, 0, 0, "swapper");
	return tasks;
}

void top_tasks_free(TopTasks *tasks)
{
	g_hash_table_unref(tasks->threads);
	g_hash_table_unref(tasks->numbers);
	g_ptr_array_unref(tasks->names);
	g_free(tasks);
}

static Entry *entry_of(const TopTasks *tasks, guint32 tid)
{
	return g_hash_table_lookup(tasks->threads, GUINT_TO_POINTER(tid));
}

void top_tasks_reserve(TopTasks *tasks, const char *asked)
{
	const char *dash = asked ? strrchr(asked, '-') : NULL;
	g_autofree char *name = dash ? g_strndup(asked, dash - asked) : NULL;

	if (asked)
		add_name(tasks, asked);
	if (name)
		add_name(tasks, name);
}

static gboolean has_ended(gpointer tid, gpointer entry, gpointer data)
{
	g_autofree char *path = g_strdup_printf("/proc/%u", GPOINTER_TO_UINT(tid));

	(void)entry;
	(void)data;
	return tid && access(path, F_OK) != 0; /* thread 0 has no folder */
}

/* The tracer sends the name of each new thread, but does not say when one ends. */
static void drop_ended(TopTasks *tasks)
{
	g_hash_table_foreach_remove(tasks->threads, has_ended, NULL);
	tasks->threads_max = MAX(THREADS_MANY, 2 * g_hash_table_size(tasks->threads));
}

void top_tasks_rename(TopTasks *tasks, guint32 tid, guint32 tgid, const char *comm)
{
	gboolean fits = tasks->names->len < NAMES_MAX || has_name(tasks, comm);
	Entry *entry = entry_of(tasks, tid);

	if (!entry) {
		if (g_hash_table_size(tasks->threads) >= tasks->threads_max)
			drop_ended(tasks);
		entry = g_new(Entry, 1);
		g_hash_table_insert(tasks->threads, GUINT_TO_POINTER(tid), entry);
	}
	*entry = (Entry){ tgid, fits ? add_name(tasks, comm) : OTHER };
}

/* A process has the name of its main thread, if that is known. */
void top_tasks_find(const TopTasks *tasks, const struct trace_event *event, guint32 *process,
		    guint32 *thread)
{
	const Entry *entry, *first;

	*process = *thread = INTERRUPT;
	if (event->context != KMEMTRACE_CONTEXT_TASK)
		return;
	entry = entry_of(tasks, event->tid);
	*process = *thread = entry ? entry->name : UNKNOWN;
	if (!entry || entry->tgid == event->tid)
		return;
	first = entry_of(tasks, entry->tgid);
	if (first)
		*process = first->name;
}

static gboolean is_called(const char *name, guint32 id, const char *asked)
{
	g_autofree char *number = g_strdup_printf("%u", id);
	g_autofree char *both = g_strconcat(name, "-", number, NULL);

	return !strcmp(asked, name) || !strcmp(asked, number) || !strcmp(asked, both);
}

gboolean top_tasks_is(const TopTasks *tasks, const struct trace_event *event, const char *process,
		      const char *thread)
{
	const Entry *entry = entry_of(tasks, event->tid);
	guint32 names[2];

	top_tasks_find(tasks, event, &names[0], &names[1]);
	if (event->context != KMEMTRACE_CONTEXT_TASK)
		return !process && !thread;
	return (!process || is_called(top_tasks_name(tasks, names[0]),
				      entry ? entry->tgid : event->tid, process)) &&
	       (!thread || is_called(top_tasks_name(tasks, names[1]), event->tid, thread));
}

guint top_tasks_threads(const TopTasks *tasks)
{
	return g_hash_table_size(tasks->threads);
}

const char *top_tasks_name(const TopTasks *tasks, guint32 number)
{
	return g_ptr_array_index(tasks->names, number);
}
