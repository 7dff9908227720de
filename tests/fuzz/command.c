// SPDX-License-Identifier: GPL-2.0-or-later
#include "command.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "fuzz.h"
#include "trace-builder.h"

static int steps_max, bytes_max;

static int stop(void *data)
{
	return 1;
}

static int limit(sqlite3 *handle, const char **error, const struct sqlite3_api_routines *api)
{
	sqlite3_progress_handler(handle, steps_max, stop, NULL);
	if (bytes_max)
		sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes_max);
	return SQLITE_OK;
}

void command_limit_sql(int steps, int bytes)
{
	steps_max = steps;
	bytes_max = bytes;
	sqlite3_auto_extension((void (*)(void))limit);
}

#define OUTPUT_MAX	(4 << 20)	/* bytes that are looked at */

static char *out_path;
static int null_fd, out_fd;	/* out_fd: open on out_path */
static int err_fd;		/* of the messages */

/* From the sanitizer, if any: sets the file for its reports. */
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static void prepare(void)
{
	out_path = g_build_filename(folder_path(), "out", NULL);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	out_fd = open(out_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	err_fd = memfd_create("messages", MFD_CLOEXEC);
	REQUIRE(null_fd >= 0 && out_fd >= 0 && err_fd >= 0);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
}

int command_run(int (*command)(int argc, char **argv), int argc, char **argv)
{
	int in = dup(STDIN_FILENO), out, err, dir, result;

	if (!out_path)
		prepare();
	out = dup(STDOUT_FILENO);
	err = dup(STDERR_FILENO);
	dir = open(".", O_PATH);
	REQUIRE(out >= 0 && err >= 0 && dir >= 0 && g_chdir(folder_path()) == 0);
	REQUIRE(ftruncate(out_fd, 0) == 0 && lseek(out_fd, 0, SEEK_SET) == 0);
	REQUIRE(ftruncate(err_fd, 0) == 0 && lseek(err_fd, 0, SEEK_SET) == 0);
	fflush(stdout);
	REQUIRE(dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0);
	REQUIRE(dup2(null_fd, STDIN_FILENO) >= 0);	/* some commands read it */
	result = command(argc, argv);
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

void command_check_json(void)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	struct stat st;

	if (stat(out_path, &st) || st.st_size > OUTPUT_MAX)
		return;
	REQUIRE(g_file_get_contents(out_path, &text, NULL, NULL));
	REQUIRE(g_utf8_validate(text, -1, NULL));
	REQUIRE(json_parser_load_from_data(parser, text, -1, &error));
}

/* ---- texts for a terminal ---- */

/*
 * Terminals interpret control characters, and bidirectional formatting characters change the
 * displayed order.
 */
static bool is_harmless(const char *at)
{
	gunichar c = g_utf8_get_char(at);

	if (g_unichar_iscntrl(c))
		return c == '\n' || c == '\t';
	return c != 0x61c && c != 0x200e && c != 0x200f && (c < 0x2028 || c > 0x202e) &&
	       (c < 0x2066 || c > 0x2069);
}

static void check_clean(const char *text, size_t len, const char *command, const char *where)
{
	const char *at = text;

	while (at < text + len && g_utf8_get_char_validated(at, text + len - at) < (gunichar)-2 &&
	       is_harmless(at))
		at = g_utf8_next_char(at);
	if (at < text + len)
		fprintf(stderr, "%s: %s, byte %zu: '%.60s'\n", command, where, (size_t)(at - text),
			at - MIN(at - text, 30));
	REQUIRE(at == text + len);
}

void command_check_text(const char *command)
{
	g_autofree char *text = NULL, *messages = g_malloc0(OUTPUT_MAX + 1);
	ssize_t len = pread(err_fd, messages, OUTPUT_MAX, 0);
	struct stat st;
	gsize text_len;

	if (stat(out_path, &st) || st.st_size > OUTPUT_MAX || len < 0)
		return;
	REQUIRE(g_file_get_contents(out_path, &text, &text_len, NULL));
	check_clean(text, text_len, command, "output");
	check_clean(messages, len, command, "messages");
}

void command_write_trace(const char *path)
{
	static const uint64_t addrs[] = { 0xffffffff81001010, 0xffffffff81002010 };
	struct builder *b = builder_new(path);
	uint32_t stack = builder_stack(b, addrs, G_N_ELEMENTS(addrs));

	builder_snapshot(b, "kallsyms", KMEMTRACE_PHASE_START,
			 "ffffffff81001000 T one\nffffffff81002000 T two [mod]\n");
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "release=6.1\n");
	builder_task(b, 0, 5, 7, 7, "bash");
	for (uint32_t i = 0; i < 20; i++)
		builder_kmalloc(b, i % 2, 10 + i, 7, 0xffff888000001000 + i * 128, 100, 128, stack);
	for (uint32_t i = 0; i < 20; i += 2)
		builder_kfree(b, 1, 100 + i, 7, 0xffff888000001000 + i * 128);
	builder_page_alloc(b, 0, 30, 7, 0x1234, 2, stack);
	builder_finish(b);
}
