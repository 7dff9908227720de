// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/recorders.h"

#include <stdlib.h>

#include "base/seed.h"

#define RECORDERS_MAX 1024 /* of a file; a recorder has nine processes */

/* Adds the numbers in "1234,1240"; anything else names no process. */
static void add_pids(GHashTable *pids, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, ",", RECORDERS_MAX);

	for (guint i = 0; words[i]; i++) {
		guint64 pid;

		if (g_ascii_string_to_unsigned(words[i], 10, 1, G_MAXINT32, &pid, NULL))
			g_hash_table_add(pids, GUINT_TO_POINTER((guint)pid));
	}
}

void recorders_write(struct trace_reader *reader, Db *db)
{
	g_autoptr(GHashTable) pids = g_hash_table_new(seed_number, NULL);
	Insert *insert = db_insert(db, "recorder");
	GHashTableIter iter;
	gpointer pid;

	for (size_t i = 0; i < trace_reader_file_count(reader); i++) {
		char *text = trace_reader_host(reader, i, "recorder");

		if (text)
			add_pids(pids, text);
		free(text);
	}
	g_hash_table_iter_init(&iter, pids);
	while (g_hash_table_iter_next(&iter, &pid, NULL))
		insert_row(insert, "i", (gint64)GPOINTER_TO_UINT(pid));
}
