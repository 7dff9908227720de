// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/source.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "cmd/cmd.h"
#include "kmemtrace_file.h"

static void show_progress(guint64 done, guint64 total, gpointer data)
{
	g_autofree char *text = NULL;
	const char *path = data;

	if (total)
		text = g_strdup_printf("loading %s: %3.0f%%", path, 100.0 * done / total);
	message_progress(text ? text : "");
}

char *source_db_path(const char *kmt_path)
{
	size_t len = strlen(kmt_path);

	if (g_str_has_suffix(kmt_path, ".kmt"))
		len -= strlen(".kmt");
	return g_strdup_printf("%.*s.db", (int)len, kmt_path);
}

gboolean source_load(const char *kmt_path, const char *db_path, StoreLoadResult *result,
		     GError **error)
{
	gboolean shows = message_shows_progress();
	gboolean fine = store_load(kmt_path, db_path, shows ? show_progress : NULL,
				   (gpointer)kmt_path, result, error);

	if (shows)
		message_progress("");
	return fine;
}

static gboolean is_trace(const char *path)
{
	char magic[KMEMTRACE_FILE_MAGIC_LEN] = "";
	FILE *file = fopen(path, "re");
	size_t len = 0;

	if (file) {
		len = fread(magic, 1, sizeof(magic), file);
		fclose(file);
	}
	return len == sizeof(magic) && memcmp(magic, KMEMTRACE_FILE_MAGIC, sizeof(magic)) == 0;
}

/* True if @db_path was made after @kmt_path was last written to. */
static gboolean is_fresh(const char *db_path, const char *kmt_path)
{
	GStatBuf db, kmt;

	if (g_stat(db_path, &db) || g_stat(kmt_path, &kmt))
		return FALSE;
	if (db.st_mtim.tv_sec != kmt.st_mtim.tv_sec)
		return db.st_mtim.tv_sec > kmt.st_mtim.tv_sec;
	return db.st_mtim.tv_nsec > kmt.st_mtim.tv_nsec;
}

static StoreDb *open_trace(const char *kmt_path, GError **error)
{
	g_autofree char *db_path = source_db_path(kmt_path);
	StoreLoadResult result;

	if (is_fresh(db_path, kmt_path)) {
		StoreDb *db = store_open(db_path, NULL);

		if (db)		/* else it is another version's, or broken: make it anew */
			return db;
	}
	if (!source_load(kmt_path, db_path, &result, error))
		return NULL;
	return store_open(db_path, error);
}

StoreDb *source_open(const char *path, GError **error)
{
	if (is_trace(path))
		return open_trace(path, error);
	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "can't open %s: %s", path,
			    g_strerror(ENOENT));
		return NULL;
	}
	return store_open(path, error);
}

const char *source_default(const char *path)
{
	g_autofree char *db_path = source_db_path(CMD_DEFAULT_TRACE);

	if (path)
		return path;
	if (!g_file_test(CMD_DEFAULT_TRACE, G_FILE_TEST_EXISTS) &&
	    g_file_test(db_path, G_FILE_TEST_EXISTS))
		return "kmemtrace.db";
	return CMD_DEFAULT_TRACE;
}
