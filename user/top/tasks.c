// SPDX-License-Identifier: GPL-2.0-or-later
#include "top/tasks.h"

#include <string.h>
#include <unistd.h>

#include "base/seed.h"

#define NAMES_MAX    4096
#define NAMES_ROOM   1024  /* fewer forgotten names are not worth another search */
#define THREADS_MANY 65536 /* 6 MiB */
#define CATCH_UPS    2     /* the first may have begun before the thread ended */

enum { UNKNOWN, INTERRUPT, OTHER = TOP_TASKS_OTHER }; /* numbers of names without a thread */

/* A thread. */
typedef struct {
	guint32 tgid;
	guint32 name;
	guint64 ended; /* @now when it was found to have ended; 0: it may run */
} Entry;

typedef struct {
	char *text; /* NULL: none */
	gboolean reserved;
} Name;

struct TopTasks {
	GHashTable *threads; /* tid → Entry */
	GHashTable *numbers; /* name → its number */
	GArray *names;       /* of Name, by number */
	GArray *free;        /* of guint32: numbers without a name */
	guint threads_max;   /* at which those that have ended are dropped */
	guint64 now;         /* calls of top_tasks_catch_up(), and 1 */
	guint64 due;         /* when threads can be dropped that have ended; 0: none have */
	guint refused;  /* names for which there was no room, since names were last forgotten, */
	guint patience; /* and for how many of them no name is forgotten, unless threads are due */
};

static Name *name_of(const TopTasks *tasks, guint32 number)
{
	return &g_array_index(tasks->names, Name, number);
}

static guint32 add_name(TopTasks *tasks, const char *name)
{
	Name added = { .text = NULL };
	gpointer number;
	guint32 at;

	if (g_hash_table_lookup_extended(tasks->numbers, name, NULL, &number))
		return GPOINTER_TO_UINT(number);
	added.text = g_strdup(name);
	if (tasks->free->len) {
		at = g_array_index(tasks->free, guint32, tasks->free->len - 1);
		g_array_set_size(tasks->free, tasks->free->len - 1);
		*name_of(tasks, at) = added;
	} else {
		at = tasks->names->len;
		g_array_append_val(tasks->names, added);
	}
	g_hash_table_insert(tasks->numbers, added.text, GUINT_TO_POINTER(at));
	return at;
}

static void reserve_name(TopTasks *tasks, const char *name)
{
	name_of(tasks, add_name(tasks, name))->reserved = TRUE;
}

static gboolean is_full(const TopTasks *tasks)
{
	return tasks->names->len - tasks->free->len >= NAMES_MAX;
}

static void clear_name(gpointer data)
{
	g_free(((Name *)data)->text);
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
	tasks->names = g_array_new(FALSE, FALSE, sizeof(Name));
	g_array_set_clear_func(tasks->names, clear_name);
	tasks->free = g_array_new(FALSE, FALSE, sizeof(guint32));
	tasks->threads_max = THREADS_MANY;
	tasks->now = 1;
	reserve_name(tasks, "(unknown)");
	reserve_name(tasks, "(interrupt)");
	reserve_name(tasks, "(other)");
	top_tasks_rename(tasks, 0, 0, "swapper");
	return tasks;
}

void top_tasks_free(TopTasks *tasks)
{
	g_hash_table_unref(tasks->threads);
	g_hash_table_unref(tasks->numbers);
	g_array_unref(tasks->names);
	g_array_unref(tasks->free);
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
		reserve_name(tasks, asked);
	if (name)
		reserve_name(tasks, name);
}

static gboolean is_running(guint32 tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%u", tid);

	return !tid || access(path, F_OK) == 0; /* thread 0 has no folder */
}

/* Returns whether a thread has ended, and all of its events have been taken. */
static gboolean is_over(gpointer tid, gpointer value, gpointer data)
{
	TopTasks *tasks = data;
	Entry *entry = value;

	if (!entry->ended && !is_running(GPOINTER_TO_UINT(tid)))
		entry->ended = tasks->now;
	if (!entry->ended)
		return FALSE;
	if (tasks->now >= entry->ended + CATCH_UPS)
		return TRUE;
	tasks->due = MAX(tasks->due, entry->ended + CATCH_UPS);
	return FALSE;
}

/* The tracer sends the name of each new thread, but does not say when one ends. */
static void drop_ended(TopTasks *tasks)
{
	tasks->due = 0;
	g_hash_table_foreach_remove(tasks->threads, is_over, tasks);
	tasks->threads_max = MAX(THREADS_MANY, 2 * g_hash_table_size(tasks->threads));
}

void top_tasks_catch_up(TopTasks *tasks)
{
	tasks->now++;
}

guint32 top_tasks_names(const TopTasks *tasks)
{
	return tasks->names->len;
}

gboolean top_tasks_lack_room(const TopTasks *tasks)
{
	gboolean is_due = tasks->due && tasks->now >= tasks->due;

	return is_full(tasks) && (is_due || tasks->refused >= tasks->patience);
}

void top_tasks_forget(TopTasks *tasks, gboolean *used)
{
	guint before = tasks->free->len;
	GHashTableIter threads;
	gpointer entry;

	drop_ended(tasks);
	g_hash_table_iter_init(&threads, tasks->threads);
	while (g_hash_table_iter_next(&threads, NULL, &entry))
		used[((const Entry *)entry)->name] = TRUE;
	for (guint32 i = 0; i < tasks->names->len; i++) {
		Name *name = name_of(tasks, i);

		if (used[i] || name->reserved || !name->text)
			continue;
		g_hash_table_remove(tasks->numbers, name->text);
		g_clear_pointer(&name->text, g_free);
		g_array_append_val(tasks->free, i);
	}
	tasks->refused = 0;
	/* So that a search costs each name no more than a look at one thread. */
	tasks->patience = g_hash_table_size(tasks->threads);
	if (tasks->free->len - before < NAMES_ROOM)
		tasks->patience += NAMES_MAX;
}

void top_tasks_rename(TopTasks *tasks, guint32 tid, guint32 tgid, const char *comm)
{
	gboolean fits = !is_full(tasks) || has_name(tasks, comm);
	Entry *entry = entry_of(tasks, tid);

	tasks->refused += !fits;
	if (!entry) {
		if (g_hash_table_size(tasks->threads) >= tasks->threads_max)
			drop_ended(tasks);
		entry = g_new(Entry, 1);
		g_hash_table_insert(tasks->threads, GUINT_TO_POINTER(tid), entry);
	}
	*entry = (Entry){ .tgid = tgid, .name = fits ? add_name(tasks, comm) : OTHER };
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
	return name_of(tasks, number)->text;
}
