// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/intern.h"
#include "report/groups.h"
#include "report/lives.h"

/* Columns of scan_frees.sql. */
enum { ORIGIN, FREE_ORIGIN, CROSS_CPU, TASK, TASK_DIFFERENCE };

typedef struct {
	guint32 group, free_group;
} Key;

typedef struct {
	guint64 count, bytes, cross_cpu, cross_task;
} Passed;

typedef struct {
	const Groups *groups; /* of what was asked for */
	const Groups *frees;  /* of all who free */
	LivesCross cross;
	Intern *keys;	/* of Key */
	GArray *passed; /* of Passed, by number − 1 */
} Worker;

static gboolean is_other_task(const Groups *groups, gint64 a, gint64 b)
{
	if (a < 0 || b < 0 || a > groups->tasks || b > groups->tasks)
		return TRUE;
	return groups->task[a] != groups->task[b];
}

static Passed *get(Worker *worker, const Key *key)
{
	gboolean added;
	guint32 id = intern_add(worker->keys, key, &added);

	if (added)
		g_array_set_size(worker->passed, id);
	return &g_array_index(worker->passed, Passed, id - 1);
}

static void take(gpointer data, const gint64 *values)
{
	Worker *worker = data;
	const GroupOrigin *origin = groups_origin(worker->groups, values[ORIGIN]);
	const GroupOrigin *end = groups_origin(worker->frees, values[FREE_ORIGIN]);
	gboolean cross_cpu = values[CROSS_CPU] == 1;
	gboolean cross_task;
	Passed *passed;

	if (!origin || !end)
		return;
	cross_task =
		values[TASK_DIFFERENCE] &&
		is_other_task(worker->frees, values[TASK], values[TASK] + values[TASK_DIFFERENCE]);
	if ((worker->cross == LIVES_CROSS_CPU && !cross_cpu) ||
	    (worker->cross == LIVES_CROSS_TASK && !cross_task))
		return;
	passed = get(worker, &(Key){origin->group, end->group});
	passed->count++;
	passed->bytes += origin->bytes;
	passed->cross_cpu += cross_cpu;
	passed->cross_task += cross_task;
}

/* All into the first. */
static void add_up(Worker *workers)
{
	for (guint i = 1; i < SCAN_WORKERS; i++) {
		for (guint id = 1; id <= workers[i].passed->len; id++) {
			const Passed *from = &g_array_index(workers[i].passed, Passed, id - 1);
			Passed *to = get(&workers[0], intern_key(workers[i].keys, id));

			to->count += from->count;
			to->bytes += from->bytes;
			to->cross_cpu += from->cross_cpu;
			to->cross_task += from->cross_task;
		}
	}
}

static gint compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const Worker *worker = data;
	guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
	guint64 count_x = g_array_index(worker->passed, Passed, x - 1).count;
	guint64 count_y = g_array_index(worker->passed, Passed, y - 1).count;
	const Key *key_x = intern_key(worker->keys, x), *key_y = intern_key(worker->keys, y);

	if (count_x != count_y)
		return count_x < count_y ? 1 : -1;
	if (key_x->group != key_y->group)
		return key_x->group < key_y->group ? -1 : 1;
	return key_x->free_group < key_y->free_group ? -1 : key_x->free_group > key_y->free_group;
}

static char *make_rows(const Worker *worker, int limit)
{
	g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint32));
	GString *json = g_string_new("[");

	for (guint32 id = 1; id <= worker->passed->len; id++)
		g_array_append_val(order, id);
	g_array_sort_with_data(order, compare, (gpointer)worker);
	for (guint i = 0; i < MIN(order->len, (guint)limit); i++) {
		guint32 id = g_array_index(order, guint32, i);
		const Passed *passed = &g_array_index(worker->passed, Passed, id - 1);
		const Key *key = intern_key(worker->keys, id);

		g_string_append_printf(
			json,
			"%s[%u,%u,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
			",%" G_GUINT64_FORMAT "]",
			i ? "," : "", g_array_index(worker->groups->firsts, guint32, key->group),
			g_array_index(worker->frees->firsts, guint32, key->free_group),
			passed->count, passed->bytes, passed->cross_cpu, passed->cross_task);
	}
	g_string_append_c(json, ']');
	return g_string_free(json, FALSE);
}

gboolean lives_print_pairs(const Answer *answer, const LivesOptions *options, GError **error)
{
	static const char *const titles[] = {
		[LIVES_ANY] = "Who allocated and who freed",
		[LIVES_CROSS_CPU] = "Who allocated and who freed on another CPU",
		[LIVES_CROSS_TASK] = "Who allocated and who freed in another thread",
	};
	g_auto(Groups) groups = {0}, frees = {0};
	Worker workers[SCAN_WORKERS];
	gpointer data[SCAN_WORKERS];
	gboolean fine;

	if (!groups_read(answer->db, options->by, options->site, &groups, error) ||
	    !groups_read(answer->db, options->by, "", &frees, error))
		return FALSE;
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i] = (Worker){&groups, &frees, options->cross, intern_new(sizeof(Key)),
				      g_array_new(FALSE, TRUE, sizeof(Passed))};
		data[i] = &workers[i];
	}
	fine = store_scan(answer->db, "scan_frees", NULL, take, data, error);
	if (fine) {
		g_autofree char *rows = NULL;

		add_up(workers);
		rows = make_rows(&workers[0], options->limit);
		fine = answer_table(answer, "pairs", titles[options->cross], "lifetimes_pairs",
				   (const char *[]){":rows", rows, ":by", options->by, NULL},
				   error);
	}
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		intern_free(workers[i].keys);
		g_array_unref(workers[i].passed);
	}
	return fine;
}
