// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/source.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "cmd/cmd.h"
#include "kmemtrace_file.h"

static volatile sig_atomic_t is_stopped;

static void stop(int signal)
{
	(void)signal;
	is_stopped = 1;
}

static const int stopping[] = { SIGINT, SIGTERM, SIGHUP };

/* What was done at a signal before. */
typedef struct {
	struct sigaction old[G_N_ELEMENTS(stopping)];
} Stopping;

/* A second signal of the same kind ends the program at once. What is ignored stays ignored. */
static void catch_signals(Stopping *before)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND };

	is_stopped = 0;
	for (guint i = 0; i < G_N_ELEMENTS(stopping); i++) {
		sigaction(stopping[i], NULL, &before->old[i]);
		if (before->old[i].sa_handler != SIG_IGN)
			sigaction(stopping[i], &action, NULL);
	}
}

static void release_signals(const Stopping *before)
{
	for (guint i = 0; i < G_N_ELEMENTS(stopping); i++)
		sigaction(stopping[i], &before->old[i], NULL);
}

/* A StoreProgress. */
static gboolean go_on(guint64 done, guint64 total, gpointer data)
{
	g_autofree char *text = NULL;
	const char *path = data;

	if (total && message_shows_progress()) {
		text = g_strdup_printf("reading %s: %3.0f%%", path, 100.0 * done / total);
		message_progress(text);
	}
	return !is_stopped;
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
	Stopping before;
	gboolean fine;

	catch_signals(&before);
	fine = store_load(kmt_path, db_path, go_on, (gpointer)kmt_path, result, error);
	release_signals(&before);
	if (message_shows_progress())
		message_progress("");
	return fine;
}

StoreDb *source_totals(const char *kmt_path, StoreLoadResult *result, GError **error)
{
	Stopping before;
	StoreDb *db;

	catch_signals(&before);
	db = store_totals(kmt_path, go_on, (gpointer)kmt_path, result, error);
	release_signals(&before);
	if (message_shows_progress())
		message_progress("");
	return db;
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
