// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes databases that somebody else has changed: an input is a list of changes to rows, of five
 * bytes each, and its last byte selects the command to run. That ends with a known exit code, and
 * printed JSON is valid.
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

#define CHANGE_BYTES	5		/* table, column, value, and two bytes for the rows */
#define CHANGES_MAX	8
#define STEPS_MAX	2000000		/* steps of SQLite's virtual machine for each statement */

/* Append new commands: seeds select a command by its number. */
static const struct {
	int (*run)(int argc, char **argv);
	const char *args[8];		/* FILE is the database */
} commands[] = {
	{ cmd_report, { "report", "--json", "FILE" } },
	{ cmd_report, { "report", "--json", "--by", "stack", "FILE" } },
	{ cmd_leaks, { "leaks", "--json", "FILE" } },
	{ cmd_grow, { "grow", "--json", "--by", "stack", "FILE" } },
	{ cmd_lifetimes, { "lifetimes", "--json", "--pairs", "FILE" } },
	{ cmd_churn, { "churn", "--json", "FILE" } },
	{ cmd_peak, { "peak", "--json", "--by", "task", "FILE" } },
	{ cmd_live, { "live", "--json", "--by", "stack", "FILE" } },
	{ cmd_timeline, { "timeline", "--json", "--by", "cache", "FILE" } },
	{ cmd_frag, { "frag", "--json", "slab", "FILE" } },
	{ cmd_frag, { "frag", "--json", "page", "FILE" } },
	{ cmd_reconcile, { "reconcile", "--json", "FILE" } },
	{ cmd_module, { "module", "--json", "FILE", "mod" } },
	{ cmd_check, { "check", "--json", "--fail-if", "live>0", "FILE" } },
	{ cmd_diff, { "diff", "--json", "--by", "task", "FILE", "FILE" } },
	{ cmd_query, { "query", "--json", "FILE", "SELECT * FROM allocations" } },
	{ cmd_export, { "export", "-o", "out.perf", "-f", "perfetto", "FILE" } },
	{ cmd_export, { "export", "-o", "out.dhat", "-f", "dhat", "FILE" } },
	{ cmd_export, { "export", "-o", "out.pprof", "-f", "pprof", "FILE" } },
};

static const char *const values[] = {
	"NULL",	 "0",  "1",  "-1",   "31",     "64",	    "4294967296", "9223372036854775807",
	"rowid", "''", "'7'", "'text'", "1e300", "-1 << 63", "x'00ff'",	  "char(27, 155, 34, 60)",
};

static char *db_path;
static char *db_bytes;
static gsize db_len;
static GPtrArray *tables;	/* of GPtrArray: a name, then those of its columns */

/* ---- a small database ---- */

static int add_name(void *names, int count, char **values_of, char **columns)
{
	g_ptr_array_add(names, g_strdup(values_of[0]));
	return 0;
}

static void read_tables(sqlite3 *db)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	tables = g_ptr_array_new();
	REQUIRE(!sqlite3_exec(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
			      add_name, names, NULL));
	for (guint i = 0; i < names->len; i++) {
		GPtrArray *table = g_ptr_array_new();
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *sql = g_strdup_printf("SELECT name FROM pragma_table_info('%s')", name);

		g_ptr_array_add(table, g_strdup(name));
		REQUIRE(!sqlite3_exec(db, sql, add_name, table, NULL));
		g_ptr_array_add(tables, table);
	}
}

static void prepare(void)
{
	g_autofree char *kmt_path = g_build_filename(folder_path(), "t.kmt", NULL);
	StoreLoadResult result;
	sqlite3 *db;

	db_path = g_build_filename(folder_path(), "t.db", NULL);
	command_write_trace(kmt_path);
	REQUIRE(store_load(kmt_path, db_path, NULL, NULL, &result, NULL));
	g_unlink(kmt_path);
	REQUIRE(g_file_get_contents(db_path, &db_bytes, &db_len, NULL));
	REQUIRE(!sqlite3_open(db_path, &db));
	read_tables(db);
	sqlite3_close(db);
}

/* ---- one input ---- */

static void change(sqlite3 *db, const uint8_t *bytes)
{
	const GPtrArray *table = g_ptr_array_index(tables, bytes[0] % tables->len);
	const char *name = g_ptr_array_index(table, 0);
	const char *column = g_ptr_array_index(table, 1 + bytes[1] % (table->len - 1));
	const char *first = g_ptr_array_index(table, 1);
	g_autofree char *rows = g_strdup_printf("(length(%s) * 31 + %s) * %d %% 7 < %d", first, first,
						bytes[3], bytes[4] % 8);
	g_autofree char *sql =
		bytes[2] % (G_N_ELEMENTS(values) + 1) == G_N_ELEMENTS(values)
			? g_strdup_printf("DELETE FROM %s WHERE %s", name, rows)
			: g_strdup_printf("UPDATE OR IGNORE %s SET %s = %s WHERE %s", name, column,
					  values[bytes[2] % (G_N_ELEMENTS(values) + 1)], rows);

	sqlite3_exec(db, sql, NULL, NULL, NULL);	/* some are impossible: NULL in a key */
}

static void ask(guint number)
{
	char *argv[G_N_ELEMENTS(commands[0].args) + 1] = { NULL };
	gboolean json = FALSE;
	int argc = 0, result;

	for (; commands[number].args[argc]; argc++) {
		const char *arg = commands[number].args[argc];

		json |= strcmp(arg, "--json") == 0;
		argv[argc] = strcmp(arg, "FILE") ? (char *)arg : db_path;
	}
	result = command_run(commands[number].run, argc, argv);
	REQUIRE(result >= EXIT_FINE && result <= EXIT_CONDITION);
	if (json && result != EXIT_FAILED && result != EXIT_USAGE)
		command_check_json();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sqlite3 *db;

	if (!size || size > CHANGES_MAX * CHANGE_BYTES + 1)
		return 0;
	if (!db_path)
		prepare();
	REQUIRE(g_file_set_contents_full(db_path, db_bytes, db_len, G_FILE_SET_CONTENTS_NONE, 0600,
					 NULL));
	REQUIRE(!sqlite3_open(db_path, &db));
	sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL);
	for (size_t at = 0; at + CHANGE_BYTES < size; at += CHANGE_BYTES)
		change(db, data + at);
	REQUIRE(!sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
	sqlite3_close(db);
	command_limit_sql(STEPS_MAX, 0);
	ask(data[size - 1] % G_N_ELEMENTS(commands));
	sqlite3_reset_auto_extension();
	return 0;
}
