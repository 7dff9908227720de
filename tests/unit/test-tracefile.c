// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace file while it is recorded, and its parts. The tracer is a folder of plain files. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/target/buddyinfo_log.h"
#include "capture/recording/tracefile.h"
#include "capture/tracer/module_control.h"
#include "capture/tracer/trace_clock.h"
#include "kmemtrace_abi.h"
#include "trace/file/index.h"

#define SUBBUFS	2000

typedef struct {
	char *dir;		/* the tracer, and the files of the recording */
	Control *control;
	Lookup *lookup;		/* with user stacks only */
	TraceFile *file;
} Fixture;

static char *path_of(const Fixture *f, const char *name)
{
	return g_build_filename(f->dir, name, NULL);
}

/* @user_stacks: "yes", or NULL. */
static void setup(Fixture *f, gconstpointer user_stacks)
{
	struct kmemtrace_stack_table table = {
		.magic = KMEMTRACE_STACK_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = sizeof(table),
		.session = 1,
	};
	g_autofree char *stacks = NULL, *path = NULL;
	TraceFileOptions options = { .mode = "record", .part = 1 };

	f->dir = g_dir_make_tmp("kmt-tracefile-XXXXXX", NULL);
	f->control = module_control_new(f->dir);
	if (user_stacks)
		options.lookup = f->lookup = lookup_new(NULL);
	stacks = path_of(f, "stacks");
	g_assert_true(g_file_set_contents(stacks, (char *)&table, sizeof(table), NULL));
	path = path_of(f, "x.1.kmt");
	options.output.path = path;
	f->file = tracefile_create(f->control, &options, NULL);
	g_assert_nonnull(f->file);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	g_assert_true(tracefile_replace(f->file, NULL));
}

static void teardown(Fixture *f, gconstpointer unused)
{
	g_autoptr(GDir) files = g_dir_open(f->dir, 0, NULL);
	const char *name;

	lookup_free(f->lookup);
	control_close(f->control);
	while ((name = g_dir_read_name(files))) {
		g_autofree char *path = path_of(f, name);

		g_unlink(path);
	}
	g_rmdir(f->dir);
	g_free(f->dir);
}

static guint64 size_of(const Fixture *f, const char *name)
{
	g_autofree char *path = path_of(f, name);
	GStatBuf st;

	g_assert_cmpint(g_stat(path, &st), ==, 0);
	return st.st_size;
}

/* Writes sub-buffers like a drain. */
static void *drain(void *data)
{
	struct kmemtrace_subbuf_header header = {
		.magic = KMEMTRACE_SUBBUF_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = sizeof(header),
		.record_len = sizeof(struct kmemtrace_record),
		.session = 1,
	};

	for (header.seq = 0; header.seq < SUBBUFS; header.seq++)
		g_assert_cmpint(trace_writer_data(data, &header, sizeof(header), NULL), ==, 0);
	return NULL;
}

static guint count_subbufs(const Fixture *f, const char *const *names, guint count)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	struct trace_reader *reader;
	struct trace_error err = { "" };
	const char *cut;
	uint64_t offset;
	guint found = 0;

	for (guint i = 0; i < count; i++)
		g_ptr_array_add(paths, path_of(f, names[i]));
	if (trace_reader_open_all((const char *const *)paths->pdata, count, &reader, &err))
		g_error("%s", err.text);
	g_assert_false(trace_reader_cut(reader, &cut, &offset));
	for (gsize i = 0; i < reader->chunk_count; i++)
		found += reader->chunks[i].type == KMEMTRACE_CHUNK_DATA;
	trace_reader_close(reader);
	return found;
}

static void parts_have_every_subbuffer_and_size(Fixture *f, gconstpointer unused)
{
	static const char *const names[] = { "x.1.kmt", "x.2.kmt", "x.3.kmt" };
	GThread *thread = g_thread_new("drain", drain, tracefile_writer(f->file));
	guint64 bytes = 0, sum = 0;
	GError *error = NULL;

	for (guint i = 1; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = path_of(f, names[i]);

		tracefile_next_part(f->file, path, &error);
		g_assert_no_error(error);
	}
	g_thread_join(thread);
	g_assert_true(tracefile_end(f->file, NULL));
	g_assert_true(tracefile_close(f->file, TRUE, &bytes, NULL));
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		sum += size_of(f, names[i]);
	g_assert_cmpuint(bytes, ==, sum);
	g_assert_cmpuint(count_subbufs(f, names, G_N_ELEMENTS(names)), ==, SUBBUFS);
}

static void tell_modules(const Fixture *f, const char *text)
{
	g_autofree char *path = path_of(f, "modules");

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* The text @name of the end in the file @file, NULL if there is none. For free(). */
static char *read_text(const Fixture *f, const char *file, const char *name)
{
	g_autofree char *path = path_of(f, file);
	struct trace_reader *reader;
	struct trace_error err = { "" };
	char *text = NULL;
	size_t len;
	int ret;

	if (trace_reader_open(path, &reader, &err))
		g_error("%s", err.text);
	ret = trace_reader_snapshot(reader, name, KMEMTRACE_PHASE_END, &text, &len, NULL, &err);
	if (ret && ret != -ENOENT)
		g_error("%s", err.text);
	trace_reader_close(reader);
	return text;
}

static gboolean has_text(const Fixture *f, const char *file, const char *name)
{
	char *text = read_text(f, file, name);
	gboolean there = text != NULL;

	free(text);
	return there;
}

/* A module reloaded at the same address may be of another build. */
static void symbols_are_written_if_a_module_was_reloaded(Fixture *f, gconstpointer unused)
{
	static const char old[] = "0 0 0x1000 0x1000 old\n0 0 0x3000 0x1000 other\n";
	static const char again[] =
		"0 50 0x1000 0x1000 old\n0 0 0x3000 0x1000 other\n60 0 0x1000 0x1000 old\n";
	g_autofree char *path = path_of(f, "x.2.kmt");

	tell_modules(f, old);
	g_assert_true(tracefile_next_part(f->file, path, NULL));
	g_assert_true(has_text(f, "x.1.kmt", "module_times"));
	g_assert_false(has_text(f, "x.1.kmt", "kallsyms"));
	tell_modules(f, again);
	g_assert_true(tracefile_end(f->file, NULL));
	g_assert_true(tracefile_close(f->file, TRUE, NULL, NULL));
	g_assert_true(has_text(f, "x.2.kmt", "module_times"));
	g_assert_true(has_text(f, "x.2.kmt", "kallsyms"));
}

/* The times of the first zone's lines in @text, in file order. */
static GArray *times_of(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autofree char *zone = NULL;
	GArray *times = g_array_new(FALSE, FALSE, sizeof(guint64));

	for (guint i = 0; *lines[i]; i++) {
		char *rest;
		guint64 time_ns = g_ascii_strtoull(lines[i], &rest, 10);

		g_assert_true(g_str_has_prefix(rest, " Node "));
		if (!zone)
			zone = g_strndup(rest, strlen(" Node 0, zone      DMA"));
		if (g_str_has_prefix(rest, zone))
			g_array_append_val(times, time_ns);
	}
	return times;
}

/* Every second time is left out, except the first and the last. */
static void times_of_long_recording_are_thinned_out(Fixture *f, gconstpointer unused)
{
	g_autoptr(BuddyinfoLog) all = buddyinfo_log_new();
	g_autoptr(GArray) before = NULL, times = NULL;
	char *text;

	if (!g_file_test("/proc/buddyinfo", G_FILE_TEST_EXISTS)) {
		g_test_skip("no /proc/buddyinfo");
		g_assert_true(tracefile_close(f->file, FALSE, NULL, NULL));
		return;
	}
	for (guint i = 0; i < 513; i++) {
		g_assert_true(buddyinfo_log_end(all, f->control, tracefile_writer(f->file), NULL));
		if (i != 511)
			continue;
		text = read_text(f, "x.1.kmt", "buddyinfo_times");
		before = times_of(text);
		free(text);
	}
	text = read_text(f, "x.1.kmt", "buddyinfo_times");
	times = times_of(text);
	free(text);
	g_assert_cmpuint(before->len, ==, 512);
	g_assert_cmpuint(times->len, ==, 257);
	for (guint i = 0; i < 256; i++)
		g_assert_cmpuint(g_array_index(times, guint64, i), ==,
				 g_array_index(before, guint64, 2 * i));
	g_assert_cmpuint(g_array_index(times, guint64, 256), >,
			 g_array_index(before, guint64, 511));
	g_assert_true(tracefile_close(f->file, FALSE, NULL, NULL));
}

/* A tracer whose clock is far from CLOCK_MONOTONIC. */
static void samples_have_the_time_of_events(Fixture *f, gconstpointer unused)
{
	const guint64 now = G_GUINT64_CONSTANT(7000000000000000);
	TraceMoment hour_ago = trace_moment_now();
	g_autofree char *path = path_of(f, "clock");
	g_autoptr(BuddyinfoLog) log = buddyinfo_log_new();
	g_autoptr(GArray) times = NULL;
	char *text;

	g_assert_true(g_file_set_contents(path, "7000000000000000\n", -1, NULL));
	g_assert_true(buddyinfo_log_end(log, f->control, tracefile_writer(f->file), NULL));
	text = read_text(f, "x.1.kmt", "buddyinfo_times");
	times = times_of(text);
	free(text);
	g_assert_cmpuint(times->len, ==, 1);
	g_assert_cmpuint(g_array_index(times, guint64, 0), <=, now);
	g_assert_cmpuint(g_array_index(times, guint64, 0), >, now - 60000000000);
	hour_ago.raw -= 3600000000000;
	g_assert_cmpuint(trace_clock_at(f->control, &hour_ago), <, now - 3500000000000);
	g_unlink(path);
	g_assert_cmpuint(trace_clock_at(f->control, &(TraceMoment){ 5, 6 }), ==, 5);
	g_assert_true(tracefile_close(f->file, FALSE, NULL, NULL));
}

/* From now on, no file can exceed @bytes; 0: no limit. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	limit.rlim_cur = bytes ? bytes : limit.rlim_max;
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
}

static void failed_part_leaves_no_file(Fixture *f, gconstpointer unused)
{
	g_autofree char *path = path_of(f, "x.2.kmt");
	guint64 bytes = 0;

	g_assert_false(tracefile_next_part(f->file, "/nowhere/x.2.kmt", NULL));
	limit_files(2000);
	g_assert_false(tracefile_next_part(f->file, path, NULL));
	limit_files(0);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	drain(tracefile_writer(f->file));	/* the earlier part is continued */
	g_assert_true(tracefile_end(f->file, NULL));
	g_assert_true(tracefile_close(f->file, TRUE, &bytes, NULL));
	g_assert_cmpuint(bytes, ==, size_of(f, "x.1.kmt"));
	g_assert_cmpuint(count_subbufs(f, (const char *const[]){ "x.1.kmt" }, 1), ==, SUBBUFS);
}

/* ---- user stacks ---- */

#define LONG_LIST	(512 << 10)	/* bytes; is not written again within 16 s */

/* The tracer's list, "id inode ctime_ns size major:minor path": this test's file, and @more bytes of others. */
static char *tracer_files(guint more)
{
	g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
	GString *text = g_string_new(NULL);
	struct stat st;

	g_assert_cmpint(stat(path, &st), ==, 0);
	g_string_append_printf(text,
			       "1 %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
			       " %u:%u %s\n",
			       (guint64)st.st_ino,
			       st.st_ctim.tv_sec * G_GINT64_CONSTANT(1000000000) +
				       st.st_ctim.tv_nsec,
			       (gint64)st.st_size, major(st.st_dev), minor(st.st_dev), path);
	for (guint id = 2; text->len < more; id++)
		g_string_append_printf(text, "%u 1 0 0 0:1 /nowhere/%u\n", id, id);
	return g_string_free(text, FALSE);
}

static void put_files(const Fixture *f, const char *text)
{
	g_autofree char *path = path_of(f, "files");

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static struct trace_reader *read_back(const Fixture *f, const char *name)
{
	g_autofree char *path = path_of(f, name);
	struct trace_reader *reader;
	struct trace_error err = { "" };

	if (trace_reader_open(path, &reader, &err))
		g_error("%s", err.text);
	return reader;
}

/* How many texts of that name begin in the file. */
static guint count_texts(struct trace_reader *reader, const char *name)
{
	guint count = 0;

	for (gsize i = 0; i < reader->snapshot_count; i++)
		count += !reader->snapshots[i].text_at &&
			 strcmp(reader->snapshots[i].name, name) == 0;
	return count;
}

static void expect_text(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
			const char *within)
{
	struct trace_error err = { "" };
	g_autofree char *text = NULL;
	size_t len;

	if (trace_reader_snapshot(reader, name, phase, &text, &len, NULL, &err))
		g_error("%s", err.text);
	if (!strstr(text, within))
		g_error("%s: '%s' is not in it: %s", name, within, text);
}

/* The number of this test's file, of the line "1 number path". */
static char *recorded_number(struct trace_reader *reader)
{
	struct trace_error err = { "" };
	g_auto(GStrv) words = NULL;
	size_t len;
	char *text;

	if (trace_reader_snapshot(reader, "files", KMEMTRACE_PHASE_END, &text, &len, NULL, &err))
		g_error("%s", err.text);
	words = g_strsplit(text, " ", 3);
	g_assert_cmpstr(words[0], ==, "1");
	free(text);
	return g_strdup(words[1]);
}

/* The texts that name this process's mappings; @phase of process_maps. */
static void expect_names(const Fixture *f, const char *name, enum kmemtrace_phase phase)
{
	g_autofree char *exe = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *head = g_strdup_printf("process %d ", getpid());
	g_autofree char *tail = g_strconcat(" ", exe, "\n", NULL), *file = NULL, *number = NULL;
	struct trace_reader *reader = read_back(f, name);

	number = recorded_number(reader);
	file = g_strconcat(" ", number, tail, NULL); /* the same in all texts */
	expect_text(reader, "process_maps", phase, head);
	expect_text(reader, "process_maps", phase, file);
	expect_text(reader, "files", KMEMTRACE_PHASE_END, file);
	expect_text(reader, "elf_files", KMEMTRACE_PHASE_END, number);
	expect_text(reader, "elf_files", KMEMTRACE_PHASE_END, tail);
	trace_reader_close(reader);
}

/*
 * Files take at most a tenth of the recorder's time, so how soon they are done depends on the
 * machine.
 */
static void mapped_files_are_named_before_the_end(Fixture *f, gconstpointer unused)
{
	g_autofree char *files = tracer_files(0);

	g_assert_true(tracefile_settings(f->file, KMEMTRACE_PHASE_START, NULL));
	put_files(f, files);
	for (guint i = 0; i < 600 && !has_text(f, "x.1.kmt", "files"); i++) {
		g_usleep(G_USEC_PER_SEC / 10);
		g_assert_true(tracefile_look(f->file, NULL));
	}
	g_assert_true(tracefile_close(f->file, FALSE, NULL, NULL));
	expect_names(f, "x.1.kmt", KMEMTRACE_PHASE_START);
}

static void later_part_names_mapped_files(Fixture *f, gconstpointer unused)
{
	g_autofree char *files = tracer_files(0), *path = path_of(f, "x.2.kmt");

	put_files(f, files);
	g_assert_true(tracefile_settings(f->file, KMEMTRACE_PHASE_START, NULL));
	g_assert_true(tracefile_next_part(f->file, path, NULL));
	g_assert_true(tracefile_close(f->file, FALSE, NULL, NULL));
	expect_names(f, "x.1.kmt", KMEMTRACE_PHASE_START);
	expect_names(f, "x.2.kmt", KMEMTRACE_PHASE_END);
}

/* In the initial pid namespace: a test of a container is in another one. */
static char *expected_recorder(const Fixture *f)
{
	g_autofree char *space = g_file_read_link("/proc/self/ns/pid", NULL);
	GString *text = g_string_new(NULL);
	const pid_t *children;
	guint count;

	children = lookup_children(f->lookup, &count);
	g_assert_cmpuint(count, >, 0);
	g_string_printf(text, "%d", getpid());
	for (guint i = 0; i < count; i++)
		g_string_append_printf(text, ",%d", children[i]);
	if (g_strcmp0(space, "pid:[4026531836]"))
		g_string_assign(text, "none");
	return g_string_free(text, FALSE);
}

static void each_part_says_who_recorded(Fixture *f, gconstpointer unused)
{
	static const char *const names[] = { "x.1.kmt", "x.2.kmt" };
	g_autofree char *expected = expected_recorder(f), *path = path_of(f, names[1]);

	g_assert_true(tracefile_settings(f->file, KMEMTRACE_PHASE_START, NULL));
	g_assert_true(tracefile_next_part(f->file, path, NULL));
	g_assert_true(tracefile_close(f->file, FALSE, NULL, NULL));
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		struct trace_reader *reader = read_back(f, names[i]);
		char *recorder = trace_reader_host(reader, 0, "recorder");

		g_assert_cmpstr(recorder, ==, expected);
		free(recorder);
		trace_reader_close(reader);
	}
}

/* While a flight is written, others may replace the folder with the part. */
static void whole_file_stays_in_its_folder(Fixture *f, gconstpointer unused)
{
	TraceFileOptions options = { .mode = "record", .part = 1, .whole = TRUE };
	g_autofree char *folder = path_of(f, "folder"), *moved = path_of(f, "moved");
	g_autofree char *path = g_build_filename(folder, "y.kmt", NULL);
	g_autofree char *part = g_strconcat(path, ".part", NULL);
	g_autofree char *whole = g_build_filename(moved, "y.kmt", NULL);
	TraceFile *file;

	g_assert_true(tracefile_close(f->file, FALSE, NULL, NULL));
	g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
	options.output.path = path;
	file = tracefile_create(f->control, &options, NULL);
	g_assert_true(g_file_test(part, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_rename(folder, moved), ==, 0);
	g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(part, "a text", -1, NULL));
	g_assert_true(tracefile_close(file, TRUE, NULL, NULL));
	g_assert_true(g_file_test(whole, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	g_unlink(whole);
	g_unlink(part);
	g_assert_cmpint(g_rmdir(moved), ==, 0);
	g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* Not for each added line. */
static void long_file_list_is_written_at_start_and_end(Fixture *f, gconstpointer unused)
{
	g_autofree char *files = tracer_files(LONG_LIST);
	g_autofree char *more = g_strconcat(files, "99999 2 0 0 0:1 /nowhere/more\n", NULL);
	struct trace_reader *reader;

	put_files(f, files);
	g_assert_true(tracefile_settings(f->file, KMEMTRACE_PHASE_START, NULL));
	put_files(f, more);
	g_assert_true(tracefile_look(f->file, NULL));
	g_assert_true(tracefile_look(f->file, NULL));
	g_assert_true(tracefile_end(f->file, NULL));
	g_assert_true(tracefile_close(f->file, TRUE, NULL, NULL));
	reader = read_back(f, "x.1.kmt");
	g_assert_cmpuint(count_texts(reader, "files"), ==, 2);
	g_assert_cmpuint(count_texts(reader, "elf_files"), ==, 2);
	expect_text(reader, "files", KMEMTRACE_PHASE_END, " /nowhere/more\n");
	trace_reader_close(reader);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add("/tracefile/" #name, Fixture, NULL, setup, name, teardown)
	TEST(parts_have_every_subbuffer_and_size);
	TEST(times_of_long_recording_are_thinned_out);
	TEST(samples_have_the_time_of_events);
	TEST(symbols_are_written_if_a_module_was_reloaded);
	TEST(whole_file_stays_in_its_folder);
	TEST(failed_part_leaves_no_file);
#undef TEST
#define TEST(name)	g_test_add("/tracefile/" #name, Fixture, "yes", setup, name, teardown)
	TEST(mapped_files_are_named_before_the_end);
	TEST(later_part_names_mapped_files);
	TEST(each_part_says_who_recorded);
	TEST(long_file_list_is_written_at_start_and_end);
	return g_test_run();
}
