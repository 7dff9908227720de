// SPDX-License-Identifier: GPL-2.0-or-later
/* The statements in store/sql, which are linked into the program. */
#include "store/schema/statements.h"

#include <string.h>

#include "base/compare.h"
#include "base/pathgroups.h"
#include "store/schema/descriptor.h"
#include "store/schema/sqlite.h"

/* Generated from store/sql. The reference makes the linker take it from the library. */
GResource *kmt_store_get_resource(void);

int statements_open(const char *path, sqlite3 **handle)
{
	g_autofree char *escaped = g_uri_escape_string(path, "/", FALSE);
	g_autofree char *uri = g_strconcat(
		"file:", escaped, "?immutable=1",
		g_str_has_prefix(path, DESCRIPTOR_FOLDER) ? "&vfs=" DESCRIPTOR_VFS : "", NULL);

	return sqlite3_open_v2(uri, handle,
			       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
}

GBytes *db_sql(const char *name)
{
	g_autofree char *path = g_strdup_printf("/kmemtrace/sql/%s.sql", name);

	return g_resource_lookup_data(kmt_store_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE,
				      NULL);
}

char *db_views_sql(gboolean temporary)
{
	g_autoptr(GBytes) sql = db_sql("views");
	GString *text = g_string_new(g_bytes_get_data(sql, NULL));
	g_autoptr(GString) values = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(path_groups); i++)
		g_string_append_printf(values, "%s('%s', '%s', %u)", i ? ", " : "",
				       path_groups[i].pattern, path_groups[i].group, i);
	g_string_replace(text, "{path_groups}", values->str, 0);
	g_string_replace(text, "CREATE {temp}VIEW",
			 temporary ? "CREATE TEMP VIEW IF NOT EXISTS" : "CREATE VIEW", 0);
	return g_string_free(text, FALSE);
}

GPtrArray *db_sql_names(const char *prefix)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) files = g_resource_enumerate_children(
		kmt_store_get_resource(), "/kmemtrace/sql", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

	for (guint i = 0; files && files[i]; i++) {
		if (g_str_has_prefix(files[i], prefix) && g_str_has_suffix(files[i], ".sql"))
			g_ptr_array_add(names,
					g_strndup(files[i], strlen(files[i]) - strlen(".sql")));
	}
	g_ptr_array_sort(names, compare_texts);
	return names;
}
