// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes queries of a database: an input is the arguments of "query", including options, with zeros
 * between them. Whatever they are, the command ends with a known exit code, the database is
 * unchanged byte for byte, there is no other file, and printed JSON is valid.
 *
 * A statement may legitimately run for ever or use all memory, so SQLite gets limits.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "cmd/cmd.h"
#include "command.h"
#include "folder.h"
#include "fuzz.h"
#include "store/store.h"

#define ARGS_MAX	4		/* of an input */
#define STEPS_MAX	200000		/* steps of SQLite's virtual machine for each statement */
#define LENGTH_MAX	(1 << 20)	/* bytes of a value */
#define HEAP_MAX	(64 << 20)	/* bytes, all of SQLite */

static char *db_path;
static char *db_bytes;
static gsize db_len;

/* ---- a small database ---- */

static void prepare(void)
{
	g_autofree char *kmt_path = g_build_filename(folder_path(), "t.kmt", NULL);
	StoreLoadResult result;

	db_path = g_build_filename(folder_path(), "t.db", NULL);
	command_write_trace(kmt_path);
	REQUIRE(store_load(kmt_path, db_path, NULL, NULL, &result, NULL));
	g_unlink(kmt_path);
	REQUIRE(g_file_get_contents(db_path, &db_bytes, &db_len, NULL));
	command_limit_sql(STEPS_MAX, LENGTH_MAX);
	sqlite3_hard_heap_limit64(HEAP_MAX);
}

/* ---- one input ---- */

static void check_database(void)
{
	g_autofree char *bytes = NULL;
	gsize len;

	REQUIRE(g_file_get_contents(db_path, &bytes, &len, NULL));
	REQUIRE(len == db_len && memcmp(bytes, db_bytes, len) == 0);
	REQUIRE(folder_count() == 2);	/* the database and the output */
}

/* --help exits the process, as intended. */
static gboolean asks_for_help(const char *arg)
{
	return g_str_has_prefix(arg, "--help") ||
	       (arg[0] == '-' && arg[1] != '-' && (strchr(arg, 'h') || strchr(arg, '?')));
}

static void query(char **args, int count)
{
	char *argv[ARGS_MAX + 3] = { (char *)"query" };
	int argc = 1, result;
	gboolean json = FALSE;

	for (int i = 0; i < count; i++) {
		if (asks_for_help(args[i]))
			return;
		json |= strcmp(args[i], "--json") == 0;
		if (i == count - 1)	/* the statement is last; a file may precede it */
			argv[argc++] = db_path;
		argv[argc++] = args[i];
	}
	result = command_run(cmd_query, argc, argv);
	REQUIRE(result == EXIT_FINE || result == EXIT_FAILED || result == EXIT_USAGE);
	check_database();
	if (json && result == EXIT_FINE)
		command_check_json();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *copy = g_strndup((const char *)data, size);
	char *args[ARGS_MAX], *arg;
	int count = 0;

	if (!db_path)
		prepare();
	memcpy(copy, data, size);
	for (arg = copy; arg < copy + size && count < ARGS_MAX; arg += strlen(arg) + 1)
		args[count++] = arg;
	if (count)
		query(args, count);
	return 0;
}
