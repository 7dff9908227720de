// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/markrows.h"

#include "analysis/pairing/marks.h"

typedef struct {
	guint64 time_ns;
	guint32 cpu, task;
	char *text;
} Row;

struct MarkRows {
	Tasks *tasks;
	Marks marks;
	GArray *rows; /* of Row */
};

static void clear_row(gpointer row)
{
	g_free(((Row *)row)->text);
}

MarkRows *markrows_new(Tasks *tasks)
{
	MarkRows *rows = g_new0(MarkRows, 1);

	rows->tasks = tasks;
	rows->rows = g_array_new(FALSE, FALSE, sizeof(Row));
	g_array_set_clear_func(rows->rows, clear_row);
	return rows;
}

void markrows_free(MarkRows *rows)
{
	if (!rows)
		return;
	g_array_unref(rows->rows);
	g_free(rows);
}

static void keep(gpointer data, const Mark *mark)
{
	MarkRows *rows = data;
	const Row row = {
		.time_ns = mark->time_ns,
		.cpu = mark->cpu,
		.task = tasks_current(rows->tasks, mark->tid),
		.text = g_strdup(mark->text),
	};

	g_array_append_val(rows->rows, row);
}

gboolean markrows_take(MarkRows *rows, const struct trace_event *event)
{
	if (G_LIKELY(trace_event_action(event->event) != TRACE_MARKED)) {
		if (G_UNLIKELY(rows->marks.open))
			marks_end(&rows->marks, keep, rows);
		return FALSE;
	}
	marks_take(&rows->marks, event, keep, rows);
	return TRUE;
}

void markrows_write(MarkRows *rows, guint64 start_ns, Db *db)
{
	Insert *insert = db_insert(db, "mark");

	marks_end(&rows->marks, keep, rows);
	for (guint i = 0; i < rows->rows->len; i++) {
		const Row *row = &g_array_index(rows->rows, Row, i);

		insert_row(insert, "iiiis", (gint64)i + 1, (gint64)(row->time_ns - start_ns),
			   (gint64)row->cpu, (gint64)row->task, row->text);
	}
}
