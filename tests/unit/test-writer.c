// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The writer: threads never mix their chunks, and an incompletely written file reads as a truncated
 * one. A full disk is simulated by a limit on file sizes.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/file/peer.h"
#include "trace-check.h"

/* ---- contents of the file ---- */

static void writer_writes_the_specified_bytes(void)
{
	static const uint8_t expected[] = {
		0x89, 'K', 'M', 'T', '\r', '\n', 0x1a, '\n',
		0x04, 0x03, 0x02, 0x01, 2, 0, 16, 0,
		/* a snapshot of 20 bytes, with CRCs as computed by another program */
		'C', 'H', 'N', 'K', 1, 0, 0, 0, 20, 0, 0, 0,
		0x03, 0x25, 0x3d, 0x1d, 1, 0, 0x50, 0x5a, 0xaa, 0x07, 0x10, 0x81,
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 1, 0, 1, 0, 0, 0, 0, 0,
		'a', 'x', 'y', 'z', 0, 0, 0, 0,
		/* END */
		'C', 'H', 'N', 'K', 4, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 2, 0, 0x50, 0x5a, 0x49, 0xf5, 0x7c, 0xd5,
	};
	g_auto(check_file) file = check_file_make();
	g_autoptr(GByteArray) bytes = NULL;
	struct trace_error err = { "" };
	struct trace_writer *writer;

	if (G_BYTE_ORDER != G_LITTLE_ENDIAN) {
		g_test_skip("the bytes are those of a little-endian machine");
		return;
	}
	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	trace_writer_number(writer, 0x5a500001);	/* else it is random */
	g_assert_cmpint(trace_writer_snapshot(writer, "a", KMEMTRACE_PHASE_END, 0x1122334455667788,
					      "xyz", 3, &err),
			==, 0);
	g_assert_cmpuint(trace_writer_bytes(writer), ==, 16 + 24 + 24);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
	bytes = check_read(&file);
	g_assert_cmpmem(bytes->data, bytes->len, expected, sizeof(expected));
}

static void file_is_private_and_old_contents_are_overwritten(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct trace_writer *writer;
	GStatBuf st;

	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
	g_assert_cmpint(g_stat(file.path, &st), ==, 0);
	g_assert_cmpint(st.st_mode & 077, ==, 0);	/* addresses of the kernel are in it */
	check_write(&file, "something that is longer than the header of an empty trace", 58);
	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	g_assert_cmpint(trace_writer_close(writer, 0, &err), ==, 0);
	g_assert_cmpint(g_stat(file.path, &st), ==, 0);
	g_assert_cmpint(st.st_size, ==, sizeof(struct kmemtrace_file_header));
}

static void close_reports_a_removed_or_changed_file(void)
{
	static const char *const expected[] = { "was removed or replaced", "was changed",
						"was removed or replaced",
						"its beginning is gone" };

	for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
		g_auto(check_file) file = check_file_make();
		g_autofree char *other = NULL;
		struct trace_error err = { "" };
		struct trace_writer *writer;

		g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
		if (i == 0) {
			g_assert_cmpint(g_remove(file.path), ==, 0);
		} else if (i == 1) {
			g_assert_cmpint(truncate(file.path, 100000), ==, 0);
		} else if (i == 3) {
			g_assert_cmpint(truncate(file.path, 0), ==, 0);
		} else {
			other = g_strconcat(file.path, ".other", NULL);
			g_assert_true(g_file_set_contents(other, "x", 1, NULL));
			g_assert_cmpint(g_rename(other, file.path), ==, 0);
		}
		g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, -ESTALE);
		g_assert_nonnull(strstr(err.text, expected[i]));
	}
}

static void writer_accepts_empty_texts(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	struct trace_writer *writer;
	g_autofree char *text = NULL;
	size_t len;

	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	g_assert_cmpint(trace_writer_snapshot(writer, "modules", KMEMTRACE_PHASE_START, 1, NULL, 0,
					      &err),
			==, 0);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_snapshot(reader, "modules", KMEMTRACE_PHASE_START, &text, &len,
					      NULL, &err),
			==, 0);
	g_assert_cmpstr(text, ==, "");
	g_assert_cmpuint(len, ==, 0);
}

static void writer_refuses_values_above_limits_of_the_reader(void)
{
	g_auto(check_file) file = check_file_make();
	g_autofree char *name = g_strnfill(KMEMTRACE_SNAPSHOT_NAME_MAX + 1, 'n');
	struct trace_error err = { "" };
	struct trace_writer *writer;

	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	g_assert_cmpint(trace_writer_snapshot(writer, name, KMEMTRACE_PHASE_START, 1, "", 0, &err),
			==, -EINVAL);
	g_assert_cmpint(trace_writer_data(writer, "", (size_t)KMEMTRACE_CHUNK_MAX + 1, &err), ==,
			-EFBIG);
	g_assert_cmpuint(trace_writer_bytes(writer), ==, sizeof(struct kmemtrace_file_header));
	name[KMEMTRACE_SNAPSHOT_NAME_MAX] = 0;
	g_assert_cmpint(trace_writer_snapshot(writer, name, KMEMTRACE_PHASE_START, 1, "", 0, &err),
			==, 0);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
	trace_reader_close(check_open(&file));
}

/* ---- threads ---- */

#define THREADS		8
#define PER_THREAD	300

struct job {
	struct trace_writer *writer;
	uint32_t cpu;
};

/* Sub-buffers of very different lengths; each record has the number of its CPU. */
static void *write_many(void *data)
{
	struct job *job = data;
	struct trace_error err = { "" };

	for (uint32_t seq = 0; seq < PER_THREAD; seq++) {
		size_t records = (seq * 37 + job->cpu) % 120;
		size_t len = sizeof(struct kmemtrace_subbuf_header) +
			     records * sizeof(struct kmemtrace_record);
		g_autofree struct kmemtrace_subbuf_header *header = g_malloc0(len);
		struct kmemtrace_record *record = (void *)(header + 1);

		header->magic = KMEMTRACE_SUBBUF_MAGIC;
		header->abi_version = KMEMTRACE_ABI_VERSION;
		header->header_len = sizeof(*header);
		header->record_len = sizeof(*record);
		header->cpu = job->cpu;
		header->seq = seq;
		for (size_t i = 0; i < records; i++)
			record[i] = (struct kmemtrace_record){ .time_ns = seq, .tid = job->cpu,
							       .type = KMEMTRACE_EVENT_KFREE };
		g_assert_cmpint(trace_writer_data(job->writer, header, len, &err), ==, 0);
	}
	return NULL;
}

static void assert_whole_stream(struct trace_reader *reader, uint32_t cpu)
{
	struct trace_stream *stream = check_stream(reader, cpu);
	const struct trace_loss_window *windows;
	uint64_t records = 0;

	for (uint32_t seq = 0; seq < PER_THREAD; seq++)
		records += (seq * 37 + cpu) % 120;
	g_assert_cmpuint(trace_stream_stats(stream)->subbufs, ==, PER_THREAD);
	g_assert_cmpuint(trace_stream_stats(stream)->events[KMEMTRACE_EVENT_KFREE], ==, records);
	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, 0);
	trace_stream_close(stream);
}

static void writer_keeps_the_chunks_of_threads_whole(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct trace_writer *writer;
	g_autoptr(trace_reader) reader = NULL;
	struct job jobs[THREADS];
	GThread *threads[THREADS];
	uint64_t bytes;

	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ writer, i };
		threads[i] = g_thread_new("writer", write_many, &jobs[i]);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		g_thread_join(threads[i]);
	bytes = trace_writer_bytes(writer);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
	reader = check_open(&file);
	g_assert_cmpuint(trace_reader_size(reader), ==,
			 bytes + sizeof(struct kmemtrace_chunk_header));
	for (uint32_t i = 0; i < THREADS; i++)
		assert_whole_stream(reader, i);
}

/* ---- a full disk ---- */

/* From now on, no file can exceed @bytes; 0: no limit. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	limit.rlim_cur = bytes ? bytes : limit.rlim_max;
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
}

/* Writes chunks of 24 + 48 bytes until the limit stops it; returns how many succeeded. */
static unsigned int write_until_full(struct trace_writer *writer, struct trace_error *err)
{
	static const char text[48 - sizeof(struct kmemtrace_chunk_snapshot) - 1];
	unsigned int count = 0;
	int ret;

	while (!(ret = trace_writer_snapshot(writer, "s", KMEMTRACE_PHASE_START, count, text,
					     sizeof(text), err)))
		count++;
	g_assert_cmpint(ret, ==, -EFBIG);
	return count;
}

static void check_full_at(rlim_t bytes)
{
	const unsigned int whole = (bytes - sizeof(struct kmemtrace_file_header)) / 72;
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct trace_writer *writer;
	g_autoptr(trace_reader) reader = NULL;
	uint64_t end;

	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	limit_files(bytes);
	g_assert_cmpuint(write_until_full(writer, &err), ==, whole);
	limit_files(0);
	g_assert_nonnull(strstr(err.text, file.path));
	/* Room again: but the lost chunk would be missing, so nothing may follow. */
	g_assert_cmpint(trace_writer_snapshot(writer, "s", KMEMTRACE_PHASE_START, 0, "x", 1, &err),
			==, -EFBIG);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, -EFBIG);
	reader = check_open(&file);
	g_assert_true(is_cut(reader, &end));
	g_assert_cmpuint(end, ==, sizeof(struct kmemtrace_file_header) + whole * 72);
	g_assert_cmpuint(trace_reader_size(reader), ==, end);
}

static void full_disk_truncates_to_a_whole_chunk(void)
{
	for (rlim_t bytes = 500; bytes < 500 + 72; bytes++)
		check_full_at(bytes);
}

static void close_reports_an_earlier_error(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct trace_writer *writer;

	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	limit_files(100);
	write_until_full(writer, NULL);
	limit_files(0);
	g_assert_cmpint(trace_writer_close(writer, 0, &err), ==, -EFBIG);
	g_assert_nonnull(strstr(err.text, "can't write to"));
}

static void failed_create_names_the_path(void)
{
	struct trace_error err = { "" };
	struct trace_writer *writer = NULL;

	g_assert_cmpint(trace_writer_create("/nowhere/at/all.kmt", &writer, &err), ==, -ENOENT);
	g_assert_nonnull(strstr(err.text, "/nowhere/at/all.kmt"));
	g_assert_null(writer);
}

static void create_fails_where_no_header_fits(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct trace_writer *writer = NULL;

	limit_files(10);
	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, -EFBIG);
	limit_files(0);
	g_assert_null(writer);
}

/* ---- attached files ---- */

/* "record -o - >>FILE": the older contents of the file must stay. */
static void attached_file_is_not_truncated(void)
{
	g_auto(check_file) file = check_file_make();
	g_autofree char *before = g_strnfill(1000, 'b');
	g_autoptr(GByteArray) bytes = NULL;
	struct trace_error err = { "" };
	struct trace_writer *writer;

	check_write(&file, before, 1000);
	g_assert_cmpint(trace_writer_attach(open(file.path, O_WRONLY | O_APPEND | O_CLOEXEC), "out",
					    &writer, &err), ==, 0);
	limit_files(1500);
	write_until_full(writer, &err);
	limit_files(0);
	g_assert_cmpint(trace_writer_close(writer, 0, &err), ==, -EFBIG);
	bytes = check_read(&file);
	g_assert_cmpuint(bytes->len, ==, 1500);
	g_assert_cmpmem(bytes->data, 1000, before, 1000);
}

/* Reads late, and to the end. Returns the number of bytes. */
static void *count_bytes(void *data)
{
	static char bytes[4096];
	size_t count = 0;
	ssize_t got;

	g_usleep(100000);
	while ((got = read(GPOINTER_TO_INT(data), bytes, sizeof(bytes))) > 0)
		count += got;
	return GSIZE_TO_POINTER(count);
}

static void *read_and_close(void *data)
{
	count_bytes(data);
	close(GPOINTER_TO_INT(data));
	return NULL;
}

/* Only when everything was sent, including END: then the connection was shut down. */
static void *close_late(void *data)
{
	struct pollfd pollfd = { .fd = GPOINTER_TO_INT(data), .events = POLLRDHUP };

	while (poll(&pollfd, 1, -1) != 1)
		;
	close(pollfd.fd);
	return NULL;
}

static void writer_waits_for_a_nonblocking_pipe(void)
{
	g_autofree char *text = g_strnfill(1 << 20, 't');	/* more than a pipe holds */
	struct trace_error err = { "" };
	struct trace_writer *writer;
	GThread *reader;
	uint64_t bytes;
	int fds[2];

	g_assert_cmpint(pipe2(fds, O_CLOEXEC), ==, 0);
	g_assert_cmpint(fcntl(fds[1], F_SETFL, O_NONBLOCK), ==, 0);
	reader = g_thread_new("reader", count_bytes, GINT_TO_POINTER(fds[0]));
	g_assert_cmpint(trace_writer_attach(fds[1], "pipe", &writer, &err), ==, 0);
	g_assert_cmpint(trace_writer_snapshot(writer, "s", KMEMTRACE_PHASE_START, 1, text, 1 << 20,
					      &err), ==, 0);
	bytes = trace_writer_bytes(writer);
	g_assert_cmpint(trace_writer_close(writer, 0, &err), ==, 0);
	g_assert_cmpuint(GPOINTER_TO_SIZE(g_thread_join(reader)), ==, bytes);
	close(fds[0]);
}

/* Writes a megabyte to @fds[1], which nobody reads, after the second request to end. */
static void check_hurry(int *fds)
{
	g_autofree char *text = g_strnfill(1 << 20, 't');
	struct trace_error err = { "" };
	struct trace_writer *writer;
	int hurry = eventfd(1, EFD_CLOEXEC);

	g_assert_cmpint(fcntl(fds[1], F_SETFL, O_NONBLOCK), ==, 0);
	g_assert_cmpint(trace_writer_attach(fds[1], "it", &writer, &err), ==, 0);
	trace_writer_hurry_by(writer, hurry);
	g_assert_cmpint(trace_writer_snapshot(writer, "s", KMEMTRACE_PHASE_START, 1, text, 1 << 20,
					      &err), ==, -ECANCELED);
	g_assert_nonnull(strstr(err.text, "can't write to it: stopped"));
	g_assert_cmpint(trace_writer_close(writer, 0, &err), ==, -ECANCELED);
	close(fds[0]);
	close(hurry);
}

static void writer_gives_up_when_hurried(void)
{
	int fds[2];

	g_assert_cmpint(pipe2(fds, O_CLOEXEC), ==, 0);
	check_hurry(fds);
	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
	check_hurry(fds);
}

/* ---- a connection ---- */

/* Reads everything, and confirms it. */
static void *read_and_confirm(void *data)
{
	int fd = GPOINTER_TO_INT(data);
	char bytes[4096];
	uint64_t all = 0;
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		all += got;
	trace_peer_confirm(fd, all);
	close(fd);
	return NULL;
}

/* The result of closing if the other end does this with the connection. */
static int close_with_peer(GThreadFunc behaves, struct trace_error *err)
{
	struct trace_writer *writer;
	GThread *reader;
	int fds[2], ret;

	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
	g_assert_cmpint(trace_writer_attach(fds[0], "peer", &writer, err), ==, 0);
	trace_writer_await_peer(writer);
	g_assert_cmpint(trace_writer_snapshot(writer, "s", KMEMTRACE_PHASE_START, 1, "x", 1, err),
			==, 0);
	reader = g_thread_new("reader", behaves, GINT_TO_POINTER(fds[1]));
	ret = trace_writer_close(writer, 1, err);
	g_thread_join(reader);
	return ret;
}

static void close_reports_a_peer_that_left_data_unread(void)
{
	struct trace_error err = { "" };

	g_assert_cmpint(close_with_peer(read_and_confirm, &err), ==, 0);
	g_assert_cmpint(close_with_peer(read_and_close, &err), ==, -ENODATA);
	g_assert_nonnull(strstr(err.text, "can't write to peer: it closed the connection, and did not confirm"));
	g_assert_cmpint(close_with_peer(close_late, &err), ==, -ECONNRESET);
	g_assert_nonnull(strstr(err.text, "can't write to peer"));
}

/* It might continue for ever. */
static void peer_that_sends_something_is_no_receiver(void)
{
	struct trace_error err = { "" };
	struct trace_writer *writer;
	int fds[2];

	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
	g_assert_cmpint(trace_writer_attach(fds[0], "peer", &writer, &err), ==, 0);
	trace_writer_await_peer(writer);
	g_assert_cmpint(write(fds[1], "SSH-2.0\r\n", 9), ==, 9);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, -EPROTO);
	g_assert_cmpstr(err.text, ==, "can't write to peer: Protocol error");
	close(fds[1]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/writer/" #name, name)
	TEST(writer_writes_the_specified_bytes);
	TEST(file_is_private_and_old_contents_are_overwritten);
	TEST(close_reports_a_removed_or_changed_file);
	TEST(writer_accepts_empty_texts);
	TEST(writer_refuses_values_above_limits_of_the_reader);
	TEST(writer_keeps_the_chunks_of_threads_whole);
	TEST(full_disk_truncates_to_a_whole_chunk);
	TEST(close_reports_an_earlier_error);
	TEST(failed_create_names_the_path);
	TEST(create_fails_where_no_header_fits);
	TEST(attached_file_is_not_truncated);
	TEST(writer_waits_for_a_nonblocking_pipe);
	TEST(writer_gives_up_when_hurried);
	TEST(close_reports_a_peer_that_left_data_unread);
	TEST(peer_that_sends_something_is_no_receiver);
	return g_test_run();
}
