// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes what people ask of a database: an input is the arguments of "query" with zeros between
 * them, options and all. Whatever they are, the command ends with a known exit code, the database
 * is the same byte for byte afterwards, there is no other file, and JSON that was printed is JSON.
 *
 * A statement may take for ever, or all memory, and that is its right: SQLite is told to stop.
 */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "folder.h"
#include "fuzz.h"
#include "store/store.h"
#include "trace-builder.h"

#define ARGS_MAX	4		/* of an input */
#define STEPS_MAX	200000		/* of SQLite's machine, for each statement */
#define LENGTH_MAX	(1 << 20)	/* bytes of a value */
#define HEAP_MAX	(64 << 20)	/* bytes, all of SQLite */
#define OUTPUT_MAX	(4 << 20)	/* bytes that are looked at */

static char *db_path, *out_path;
static int null_fd, out_fd;	/* the latter of out_path */
static char *db_bytes;
static gsize db_len;

/* Of a sanitizer, if there is one: where it says what it has found. */
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* ---- limits, for each connection that is made ---- */

static int stop(void *data)
{
	(void)data;
	return 1;
}

static int limit(sqlite3 *handle, const char **error, const struct sqlite3_api_routines *api)
{
	(void)error;
	(void)api;
	sqlite3_progress_handler(handle, STEPS_MAX, stop, NULL);
	sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	return SQLITE_OK;
}

/* ---- a small database ---- */

static void write_trace(const char *path)
{
	static const uint64_t addrs[] = { 0xffffffff81001010, 0xffffffff81002010 };
	struct builder *b = builder_new(path);
	uint32_t stack = builder_stack(b, addrs, G_N_ELEMENTS(addrs));

	builder_snapshot(b, "kallsyms", KMEMTRACE_PHASE_START,
			 "ffffffff81001000 T one\nffffffff81002000 T two\n");
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "release=6.1\n");
	builder_task(b, 0, 5, 7, 7, "bash");
	for (uint32_t i = 0; i < 20; i++)
		builder_kmalloc(b, i % 2, 10 + i, 7, 0xffff888000001000 + i * 128, 100, 128, stack);
	for (uint32_t i = 0; i < 20; i += 2)
		builder_kfree(b, 1, 100 + i, 7, 0xffff888000001000 + i * 128);
	builder_page_alloc(b, 0, 30, 7, 0x1234, 2, stack);
	builder_finish(b);
}

static void prepare(void)
{
	g_autofree char *kmt_path = g_build_filename(folder_path(), "t.kmt", NULL);
	StoreLoadResult result;

	db_path = g_build_filename(folder_path(), "t.db", NULL);
	out_path = g_build_filename(folder_path(), "out", NULL);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	out_fd = open(out_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	REQUIRE(null_fd >= 0 && out_fd >= 0);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
	write_trace(kmt_path);
	REQUIRE(store_load(kmt_path, db_path, NULL, NULL, &result, NULL));
	g_unlink(kmt_path);
	REQUIRE(g_file_get_contents(db_path, &db_bytes, &db_len, NULL));
	sqlite3_auto_extension((void (*)(void))limit);
	sqlite3_hard_heap_limit64(HEAP_MAX);
}

/* ---- one input ---- */

static void check_database(void)
{
	g_autofree char *bytes = NULL;
	gsize len;

	REQUIRE(g_file_get_contents(db_path, &bytes, &len, NULL));
	REQUIRE(len == db_len && memcmp(bytes, db_bytes, len) == 0);
	REQUIRE(folder_count() == 2);	/* it, and what was printed */
}

static void check_output(gboolean json)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	struct stat st;

	if (!json || stat(out_path, &st) || st.st_size > OUTPUT_MAX)
		return;
	REQUIRE(g_file_get_contents(out_path, &text, NULL, NULL));
	REQUIRE(g_utf8_validate(text, -1, NULL));
	REQUIRE(json_parser_load_from_data(parser, text, -1, &error));
}

/* --help ends the process, as it should. */
static gboolean asks_for_help(const char *arg)
{
	return g_str_has_prefix(arg, "--help") ||
	       (arg[0] == '-' && arg[1] != '-' && (strchr(arg, 'h') || strchr(arg, '?')));
}

/*
 * What it prints goes into a file, where it can be looked at; its messages go nowhere. A file that
 * it would make in its working directory is seen.
 */
static int run_command(int argc, char **argv)
{
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), dir = open(".", O_PATH), result;
	int in = dup(STDIN_FILENO);

	REQUIRE(out >= 0 && err >= 0 && dir >= 0 && g_chdir(folder_path()) == 0);
	REQUIRE(ftruncate(out_fd, 0) == 0 && lseek(out_fd, 0, SEEK_SET) == 0);
	fflush(stdout);
	REQUIRE(dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(null_fd, STDERR_FILENO) >= 0);
	REQUIRE(dup2(null_fd, STDIN_FILENO) >= 0);	/* without a statement it reads there */
	result = cmd_query(argc, argv);
	fflush(stdout);
	REQUIRE(dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0);
	if (in >= 0) {
		REQUIRE(dup2(in, STDIN_FILENO) >= 0);
		close(in);
	}
	REQUIRE(fchdir(dir) == 0);
	close(dir);
	close(out);
	close(err);
	return result;
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
		if (i == count - 1)	/* the statement is last, and a file may be in front */
			argv[argc++] = db_path;
		argv[argc++] = args[i];
	}
	result = run_command(argc, argv);
	REQUIRE(result == EXIT_FINE || result == EXIT_FAILED || result == EXIT_USAGE);
	check_database();
	check_output(json && result == EXIT_FINE);
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
