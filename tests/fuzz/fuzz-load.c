// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes all between a trace and its report: any bytes, with their CRCs set right, are loaded into
 * a database, and reported and printed as events if that was possible. A load that worked has as
 * many rows as it says, and its JSON report is JSON; one that failed says why, and leaves nothing
 * behind.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "crcs.h"
#include "folder.h"
#include "fuzz.h"
#include "report/report.h"
#include "report/script.h"
#include "store/store.h"

#define SIZE_MAX_BYTES	(1 << 20)	/* a larger input only takes longer */

static void check_count(StoreDb *db, guint64 rows)
{
	g_autoptr(StoreRows) count = store_query(db, "SELECT count(*) FROM alloc", NULL, NULL);

	REQUIRE(count && store_rows_next(count, NULL));
	REQUIRE((guint64)store_rows_int(count, 0) == rows);
}

static void check_report(StoreDb *db, gboolean json)
{
	ReportOptions options = { .name = "t.kmt", .limit = 5, .site = "", .json = json };
	g_autoptr(JsonParser) parser = json_parser_new();
	GError *error = NULL;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	gboolean incomplete;

	REQUIRE(out);
	REQUIRE(report_print(db, &options, out, &incomplete, &error) == !error);
	fclose(out);
	if (error)	/* absurd numbers whose sum is none for SQL */
		REQUIRE(strstr(error->message, "t.db: ") && strstr(error->message, "overflow"));
	else if (json)
		REQUIRE(g_utf8_validate(text, -1, NULL) &&
			json_parser_load_from_data(parser, text, len, NULL));
	free(text);
	g_clear_error(&error);
}

/* The events may well have an error, which then is told. */
static void check_script(const char *kmt_path)
{
	ScriptOptions options = { .stacks = TRUE };
	g_autoptr(GError) error = NULL;
	FILE *out = fopen("/dev/null", "we");

	REQUIRE(out);
	REQUIRE(script_print(kmt_path, &options, out, &error) == !error);
	fclose(out);
}

static void load(const char *kmt_path, const char *db_path)
{
	g_autoptr(StoreDb) db = NULL;
	StoreLoadResult result;
	GError *error = NULL;

	if (!store_load(kmt_path, db_path, NULL, NULL, &result, &error)) {
		REQUIRE(error && *error->message && !strchr(error->message, '\n'));
		REQUIRE(strstr(error->message, "t.kmt"));
		g_error_free(error);
		REQUIRE(folder_count() == 1);	/* the trace */
		return;
	}
	REQUIRE(!error && folder_count() == 2);
	db = store_open(db_path, NULL);
	REQUIRE(db);
	check_count(db, result.rows);
	check_report(db, FALSE);
	check_report(db, TRUE);
	g_unlink(db_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *kmt_path = g_build_filename(folder_path(), "t.kmt", NULL);
	g_autofree char *db_path = g_build_filename(folder_path(), "t.db", NULL);
	g_autofree uint8_t *bytes = NULL;
	FILE *file;

	if (size > SIZE_MAX_BYTES)
		return 0;
	bytes = g_malloc(size + 1);
	memcpy(bytes, data, size);
	crcs_fix(bytes, size);
	file = fopen(kmt_path, "we");
	REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
	load(kmt_path, db_path);
	check_script(kmt_path);
	return 0;
}
