// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/scan.h"

#include <sqlite3.h>

#include "store/db.h"
#include "store/query.h"

typedef struct {
	StoreDb *db; /* for its path; each worker has a connection of its own */
	const char *name;
	const char *const *params;
	ScanFunc func;
	gpointer data;
	gint64 first, last; /* rows */
	GError *error;
} Worker;

static void read_row(StoreRows *rows, int columns, gint64 *values)
{
	for (int i = 0; i < columns; i++) {
		values[i] = store_rows_int(rows, i);
		if (!values[i] && store_rows_type(rows, i) == STORE_NULL)
			values[i] = SCAN_NULL;
	}
}

static gpointer run(gpointer data)
{
	Worker *worker = data;
	g_autoptr(StoreDb) db = query_again(worker->db, &worker->error);
	g_autoptr(GPtrArray) params = g_ptr_array_new();
	g_autofree char *first = g_strdup_printf("%" G_GINT64_FORMAT, worker->first);
	g_autofree char *last = g_strdup_printf("%" G_GINT64_FORMAT, worker->last);
	const char *const range[] = {":first", first, ":last", last, NULL};
	g_autoptr(StoreRows) rows = NULL;
	gint64 values[SCAN_COLUMNS];
	int columns;

	if (!db)
		return NULL;
	for (const char *const *param = worker->params; param && *param; param++)
		g_ptr_array_add(params, (gpointer)*param);
	for (guint i = 0; i < G_N_ELEMENTS(range); i++)
		g_ptr_array_add(params, (gpointer)range[i]);
	rows = store_query_named(db, worker->name, (const char *const *)params->pdata,
				 &worker->error);
	if (!rows)
		return NULL;
	columns = MIN(store_rows_columns(rows), SCAN_COLUMNS);
	while (store_rows_next(rows, &worker->error)) {
		read_row(rows, columns, values);
		worker->func(worker->data, values);
	}
	return NULL;
}

static gboolean count_rows(StoreDb *db, gint64 *count, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "scan_rows", NULL, error);

	if (!rows || !store_rows_next(rows, error))
		return FALSE;
	*count = store_rows_int(rows, 0);
	return TRUE;
}

gboolean store_scan(StoreDb *db, const char *name, const char *const *params, ScanFunc func,
		    gpointer const workers[SCAN_WORKERS], GError **error)
{
	Worker parts[SCAN_WORKERS] = {0};
	GThread *threads[SCAN_WORKERS];
	gboolean fine = TRUE;
	gint64 count;

	if (!count_rows(db, &count, error))
		return FALSE;
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		parts[i] = (Worker){db,
				    name,
				    params,
				    func,
				    workers[i],
				    count * i / SCAN_WORKERS + 1,
				    count * (i + 1) / SCAN_WORKERS,
				    NULL};
		threads[i] = g_thread_new("scan", run, &parts[i]);
	}
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_thread_join(threads[i]);
		if (!parts[i].error)
			continue;
		if (fine)
			g_propagate_error(error, parts[i].error);
		else
			g_error_free(parts[i].error);
		fine = FALSE;
	}
	return fine;
}
