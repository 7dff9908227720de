// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes everything between a trace and the answers about it. A trace that can be loaded has as
 * many rows as the load reports; one that can't gives an error and leaves nothing behind. Then
 * about one in 16 of the commands below runs, chosen by the input's CRC and the command, or all
 * with KMT_FUZZ_ALL in the environment. Each ends with a known exit code, and its JSON is valid.
 *
 * A complete trace must no longer count as complete without some of its events.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <zlib.h>

#include "cmd/cmd.h"
#include "command.h"
#include "folder.h"
#include "fuzz.h"
#include "mutate.h"
#include "report/print/completeness.h"
#include "store/store.h"

#define SIZE_MAX_BYTES	(1 << 18)	/* a larger input only takes longer */
#define CHOICE_SHIFT	28		/* a command runs for one of 2^(32 - 28) inputs */
#define STEPS_MAX	2000000		/* steps of SQLite's virtual machine for each statement */
#define ARGS_MAX	10

static const struct {
	int (*run)(int argc, char **argv);
	const char *args[ARGS_MAX];
} commands[] = {
	{ cmd_report, { "report", "t.db" } },
	{ cmd_report, { "report", "--json", "t.db" } },
	{ cmd_report, { "report", "--by", "stack", "t.db" } },
	{ cmd_report, { "report", "--by", "stack", "--caller", "--json", "t.db" } },
	{ cmd_report, { "report", "--by", "function", "t.db" } },
	{ cmd_report, { "report", "--by", "stack", "--fold", "module", "t.db" } },
	{ cmd_report, { "report", "--dot", "t.db" } },
	{ cmd_report, { "report", "--html", "t.html", "t.db" } },
	{ cmd_leaks, { "leaks", "--older", "0s", "t.db" } },
	{ cmd_leaks, { "leaks", "--older", "0s", "--by", "task", "--json", "t.db" } },
	{ cmd_grow, { "grow", "--by", "stack", "t.db" } },
	{ cmd_grow, { "grow", "--json", "--by", "cache", "t.db" } },
	{ cmd_lifetimes, { "lifetimes", "--pairs", "t.db" } },
	{ cmd_lifetimes, { "lifetimes", "--json", "--by", "module", "t.db" } },
	{ cmd_churn, { "churn", "t.db" } },
	{ cmd_churn, { "churn", "--json", "t.db" } },
	{ cmd_peak, { "peak", "--by", "task", "t.db" } },
	{ cmd_peak, { "peak", "--json", "--by", "stack", "t.db" } },
	{ cmd_live, { "live", "--by", "cache", "t.db" } },
	{ cmd_live, { "live", "--json", "--by", "stack", "t.db" } },
	{ cmd_timeline, { "timeline", "--by", "task", "t.db" } },
	{ cmd_timeline, { "timeline", "--json", "--by", "cache", "t.db" } },
	{ cmd_frag, { "frag", "t.db" } },
	{ cmd_frag, { "frag", "--json", "slab", "t.db" } },
	{ cmd_frag, { "frag", "--json", "page", "t.db" } },
	{ cmd_reconcile, { "reconcile", "t.db" } },
	{ cmd_reconcile, { "reconcile", "--json", "t.db" } },
	{ cmd_module, { "module", "t.db", "ext4" } },
	{ cmd_module, { "module", "--json", "t.db", "ext4" } },
	{ cmd_check, { "check", "--fail-if", "live>0", "t.db" } },
	{ cmd_check, { "check", "--json", "--fail-if", "leaked>0", "t.db" } },
	{ cmd_diff, { "diff", "--by", "task", "t.db", "t.db" } },
	{ cmd_diff, { "diff", "--json", "--by", "stack", "t.db", "t.db" } },
	{ cmd_query, { "query", "t.db", "SELECT * FROM allocations" } },
	{ cmd_query, { "query", "--csv", "t.db", "SELECT * FROM allocations" } },
	{ cmd_query, { "query", "--json", "t.db", "SELECT * FROM tasks" } },
	{ cmd_query, { "query", "t.db", "SELECT * FROM meta" } },
	{ cmd_query, { "query", "t.db", "stacks" } },
	{ cmd_query, { "query", "--json", "t.db", "pageblock" } },
	{ cmd_query, { "query", "t.db", "tasks" } },
	{ cmd_export, { "export", "-f", "folded", "t.db" } },
	{ cmd_export, { "export", "-f", "speedscope", "t.db" } },
	{ cmd_export, { "export", "-f", "csv", "t.db" } },
	{ cmd_export, { "export", "-o", "t.pprof", "-f", "pprof", "t.db" } },
	{ cmd_export, { "export", "-o", "t.perf", "-f", "perfetto", "t.db" } },
	{ cmd_export, { "export", "-o", "t.dhat", "-f", "dhat", "t.db" } },
	{ cmd_stat, { "stat", "t.kmt" } },
	{ cmd_stat, { "stat", "--json", "t.kmt" } },
	{ cmd_stat, { "stat", "--slab", "--page", "--caller", "t.kmt" } },
	{ cmd_stat, { "stat", "--slab", "--page", "--alloc", "t.kmt" } },
	{ cmd_script, { "script", "--stacks", "t.kmt" } },
	{ cmd_script, { "script", "--relative", "t.kmt" } },
	{ cmd_script, { "script", "--graph", "t.kmt" } },
	{ cmd_load, { "load", "-o", "other.db", "t.kmt" } },
	{ cmd_recover, { "recover", "--force", "-o", "r.kmt", "t.kmt" } },
};

static char *kmt_path, *db_path;

static void write_trace(const uint8_t *data, size_t size)
{
	FILE *file = fopen(kmt_path, "we");

	REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static gboolean is_true(StoreDb *db, const char *sql)
{
	g_autoptr(StoreRows) rows = store_query(db, sql, NULL, NULL);

	return store_rows_next(rows) && store_rows_int(rows, 0);
}

/* Returns the database; NULL if the trace can't be loaded. */
static StoreDb *load(void)
{
	g_autofree char *count = NULL;
	guint files = folder_count();
	StoreLoadResult result;
	GError *error = NULL;
	StoreDb *db;

	if (!store_load(kmt_path, db_path, NULL, NULL, &result, &error)) {
		REQUIRE(error && *error->message && !strchr(error->message, '\n'));
		REQUIRE(strstr(error->message, "t.kmt") && folder_count() == files);
		g_error_free(error);
		return NULL;
	}
	REQUIRE(!error);
	db = store_open(db_path, NULL);
	count = g_strdup_printf("SELECT count(*) = %" G_GUINT64_FORMAT " FROM alloc", result.rows);
	REQUIRE(db && is_true(db, count));
	return db;
}

/* ---- answers ---- */

static void run(int (*command)(int argc, char **argv), const char *const *args)
{
	g_autofree char *text = g_strjoinv(" ", (char **)args);
	char *argv[ARGS_MAX + 1] = { NULL };
	gboolean json = strstr(text, "--json") || strstr(text, "speedscope");
	int argc = 0, result;

	for (; args[argc]; argc++)
		argv[argc] = (char *)args[argc];
	result = command_run(command, argc, argv);
	if (result < EXIT_FINE || result > EXIT_CONDITION || result == EXIT_USAGE)
		fprintf(stderr, "%s: exit code %d\n", text, result);
	REQUIRE(result >= EXIT_FINE && result <= EXIT_CONDITION && result != EXIT_USAGE);
	REQUIRE(result != EXIT_CONDITION || command == cmd_check);
	if (json && result != EXIT_FAILED)
		command_check_json();
	command_check_text(text);
}

/*
 * Returns whether @args run for an input with the CRC @crc. Independent of the table of commands,
 * so that a new command doesn't change the choices of the others.
 */
static gboolean is_chosen(const char *const *args, uint32_t crc)
{
	g_autofree char *text = g_strjoinv(" ", (char **)args);

	return ((g_str_hash(text) ^ crc) * 2654435761U) >> CHOICE_SHIFT == 0;
}

/* Commands that read the trace itself run for any trace. */
static void ask(uint32_t chance, gboolean is_loaded)
{
	gboolean all = g_getenv("KMT_FUZZ_ALL") != NULL;

	command_limit_sql(STEPS_MAX, 0);
	for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
		const char *const *args = commands[i].args;

		if ((all || is_chosen(args, chance)) &&
		    (is_loaded || !g_strv_contains(args, "t.db")))
			run(commands[i].run, args);
	}
	sqlite3_reset_auto_extension();
}

/* ---- a trace without some of its events ---- */

/* Whether nothing is missing according to the database. */
static gboolean is_complete(StoreDb *db)
{
	g_auto(Completeness) completeness = { 0 };

	REQUIRE(completeness_read(db, &completeness, NULL));
	return !completeness_is_incomplete(&completeness) && !completeness.late;
}

/* Counters that don't match the whole trace might match a part of it. */
static gboolean is_counted(StoreDb *db)
{
	return is_true(db, "SELECT count(*) > 0 AND min(coalesce(written, -1) = events) FROM cpu");
}

static void check_removal(const uint8_t *data, size_t size, uint32_t chance)
{
	g_autofree uint8_t *bytes = g_memdup2(data, size);
	size_t left = mutate_remove_records(bytes, size, chance);
	g_autoptr(StoreDb) db = NULL;

	if (!left)
		return;
	write_trace(bytes, left);
	db = load();
	REQUIRE(!db || !is_complete(db));
}

/* ---- one input ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t chance = crc32_z(0, data, size);
	g_autoptr(StoreDb) db = NULL;

	if (size > SIZE_MAX_BYTES)
		return 0;
	if (!kmt_path) {
		kmt_path = g_build_filename(folder_path(), "t.kmt", NULL);
		db_path = g_build_filename(folder_path(), "t.db", NULL);
	}
	write_trace(data, size);
	db = load();
	ask(chance, db != NULL);
	if (db && is_complete(db) && is_counted(db))
		check_removal(data, size, chance);
	folder_clear("out");	/* of commands; it is overwritten each time */
	return 0;
}
