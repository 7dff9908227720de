// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/builds.h"

typedef struct {
	Insert *insert;
	GString *name; /* of the ids not yet written; "": none */
	GString *ids;
} Writing;

static void flush(Writing *writing)
{
	g_autofree char *key = g_strconcat(BUILDS_PREFIX, writing->name->str, NULL);

	if (writing->name->len)
		insert_row(writing->insert, "ss", key, writing->ids->str);
	g_string_truncate(writing->ids, 0);
}

/* Ids of one name are adjacent. */
static void take(const char *name, const char *id, gpointer data)
{
	Writing *writing = data;

	if (g_strcmp0(writing->name->str, name))
		flush(writing);
	g_string_assign(writing->name, name);
	g_string_append_printf(writing->ids, "%s%s", writing->ids->len ? " " : "", id);
}

void builds_write(const BuildIds *ids, guint64 start, Db *db)
{
	Writing writing = { db_insert(db, "meta"), g_string_new(NULL), g_string_new(NULL) };

	if (start)
		insert_row(writing.insert, "si", "stext", (gint64)start);
	buildids_each(ids, take, &writing);
	flush(&writing);
	g_string_free(writing.name, TRUE);
	g_string_free(writing.ids, TRUE);
}
