// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader of a ring of the BPF source reads what the programs write once, in order, and only
 * when it is complete. The test plays the programs' role.
 */
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "base/monotonic.h"
#include "capture/bpf/stream.h"

#define RECORDS 4
#define SUBBUFS 2
#define BYTES   (sizeof(struct kmemtrace_subbuf_header) + RECORDS * sizeof(struct kmemtrace_record))

typedef struct {
	BpfMaps maps;
	BpfRings *rings;
	ControlStream *stream;
	struct kmt_bpf_ring ring;
	guint8 subbufs[SUBBUFS * BYTES] __attribute__((aligned(8)));
	guint8 got[BYTES] __attribute__((aligned(8)));
	guint64 next; /* address of the next record */
} Fixture;

static void set_up_for(Fixture *f, gboolean overwrite)
{
	f->maps = (BpfMaps){
		.rings = &f->ring,
		.subbufs = f->subbufs,
		.subbuf_bytes = BYTES,
		.cpus = 1,
		.records = RECORDS,
		.record_bytes = sizeof(struct kmemtrace_record),
		.subbuf_count = SUBBUFS,
	};
	f->rings = bpf_rings_new(&f->maps, 77, overwrite);
	g_atomic_int_set(&f->rings->running, TRUE);
	f->stream = bpf_stream_open(f->rings, 0);
	g_assert_nonnull(f->stream);
}

static void set_up(Fixture *f, gconstpointer overwrite)
{
	set_up_for(f, overwrite != NULL);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
	control_stream_close(f->stream);
	bpf_rings_free(f->rings);
}

/*
 * Writes a record as a program does; without a type it is not yet published. Returns NULL if there
 * is no room.
 */
static struct kmemtrace_record *reserve(Fixture *f)
{
	guint64 number = f->ring.head >> KMT_BPF_HEAD_SHIFT;
	guint64 used = f->ring.head & KMT_BPF_HEAD_USED;
	guint8 *subbuf;

	if (used >= RECORDS) {
		number++;
		used = 0;
	}
	if (!f->rings->overwrite && number - f->ring.consumed >= SUBBUFS)
		return NULL;
	f->ring.head = number << KMT_BPF_HEAD_SHIFT | (used + 1);
	subbuf = f->subbufs + number % SUBBUFS * BYTES;
	if (!used)
		((struct kmemtrace_subbuf_header *)subbuf)->time_ns = 1000 + f->next;
	return (struct kmemtrace_record *)(subbuf + sizeof(struct kmemtrace_subbuf_header)) + used;
}

static void put(Fixture *f, guint count)
{
	while (count--) {
		struct kmemtrace_record *record = reserve(f);

		g_assert_nonnull(record);
		record->addr = f->next++;
		record->type = KMEMTRACE_EVENT_KFREE;
	}
}

static void expect_nothing(Fixture *f, int code)
{
	ssize_t len = control_stream_read(f->stream, f->got, sizeof(f->got));

	if (code) {
		g_assert_cmpint(len, ==, -1);
		g_assert_cmpint(errno, ==, code);
	} else {
		g_assert_cmpint(len, ==, 0);
	}
}

/* A sub-buffer with @count records, the first of which has the address @first. */
static void expect(Fixture *f, guint64 seq, guint64 first, guint count)
{
	const struct kmemtrace_subbuf_header *header = (gpointer)f->got;
	const struct kmemtrace_record *records = (gpointer)(header + 1);
	ssize_t len = control_stream_read(f->stream, f->got, sizeof(f->got));

	g_assert_cmpint(len, ==, sizeof(*header) + count * sizeof(*records));
	g_assert_cmpuint(header->magic, ==, KMEMTRACE_SUBBUF_MAGIC);
	g_assert_cmpuint(header->seq, ==, seq);
	g_assert_cmpuint(header->written, ==, first);
	g_assert_cmpuint(header->time_ns, ==, 1000 + first);
	g_assert_cmpuint(header->session, ==, 77);
	for (guint i = 0; i < count; i++)
		g_assert_cmpuint(records[i].addr, ==, first + i);
}

static void stop(Fixture *f)
{
	g_atomic_int_set(&f->rings->running, FALSE);
}

static void full_ones_are_read_in_order(Fixture *f, gconstpointer unused)
{
	expect_nothing(f, EAGAIN);
	put(f, RECORDS - 1);
	expect_nothing(f, EAGAIN);
	put(f, 1);
	expect(f, 0, 0, RECORDS);
	expect_nothing(f, EAGAIN);
	for (guint round = 0; round < 10; round++) {
		put(f, 2 * RECORDS);
		expect(f, 2 * round + 1, (2 * round + 1) * RECORDS, RECORDS);
		expect(f, 2 * round + 2, (2 * round + 2) * RECORDS, RECORDS);
	}
	g_assert_cmpuint(f->ring.consumed, ==, 21);
}

static void full_ring_takes_nothing_until_it_is_read(Fixture *f, gconstpointer unused)
{
	put(f, SUBBUFS * RECORDS);
	g_assert_null(reserve(f));
	expect(f, 0, 0, RECORDS);
	put(f, RECORDS);
	g_assert_null(reserve(f));
}

/* The program that reserved it was interrupted by the one that wrote the next record. */
static void unfinished_record_is_waited_for(Fixture *f, gconstpointer unused)
{
	struct kmemtrace_record *first = reserve(f);

	f->next++;
	put(f, RECORDS - 1);
	expect_nothing(f, EAGAIN);
	first->addr = 0;
	first->type = KMEMTRACE_EVENT_KFREE;
	expect(f, 0, 0, RECORDS);
}

static void last_one_is_read_once_it_stops(Fixture *f, gconstpointer unused)
{
	put(f, RECORDS + 3);
	stop(f);
	expect(f, 0, 0, RECORDS);
	expect(f, 1, RECORDS, 3);
	expect_nothing(f, 0);
	expect_nothing(f, 0);
}

static void flush_completes_what_there_is(Fixture *f, gconstpointer unused)
{
	guint64 written, overwritten;

	g_assert_cmpint(bpf_rings_flush(f->rings, TRUE), ==, 0);
	expect_nothing(f, EAGAIN);
	put(f, 3);
	g_assert_cmpint(bpf_rings_flush(f->rings, TRUE), ==, 0);
	g_assert_cmpint(bpf_rings_flush(f->rings, TRUE), ==, 0);
	expect(f, 0, 0, 3);
	put(f, RECORDS);
	expect(f, 1, 3, RECORDS);
	put(f, 1);
	bpf_rings_count(f->rings, 0, &written, &overwritten);
	g_assert_cmpuint(written, ==, 3 + RECORDS + 1);
	g_assert_cmpuint(overwritten, ==, 0);
	stop(f);
	expect(f, 2, 3 + RECORDS, 1);
	expect_nothing(f, 0);
}

/* An unfinished record may be in an earlier sub-buffer, and stay there. */
static void flush_waits_for_all_sub_buffers(Fixture *f, gconstpointer unused)
{
	struct kmemtrace_record *first = reserve(f);

	f->next++;
	put(f, RECORDS);
	for (guint i = 0; i < 2; i++)
		g_assert_cmpint(bpf_rings_flush(f->rings, TRUE), ==, EAGAIN);
	expect_nothing(f, EAGAIN);
	first->type = KMEMTRACE_EVENT_KFREE;
	g_assert_cmpint(bpf_rings_flush(f->rings, TRUE), ==, 0);
	expect(f, 0, 0, RECORDS);
	expect(f, 1, RECORDS, 1);
}

/* The oldest complete one comes first; nothing is read while tracing. */
static void overwritten_ones_are_skipped(Fixture *f, gconstpointer unused)
{
	guint64 written, overwritten;

	put(f, 5 * RECORDS + 2);
	expect_nothing(f, EAGAIN);
	g_assert_cmpint(bpf_rings_flush(f->rings, TRUE), ==, EBUSY);
	bpf_rings_count(f->rings, 0, &written, &overwritten);
	g_assert_cmpuint(written, ==, 5 * RECORDS + 2);
	g_assert_cmpuint(overwritten, ==, 4 * RECORDS);
	stop(f);
	expect(f, 4, 4 * RECORDS, RECORDS);
	expect(f, 5, 5 * RECORDS, 2);
	expect_nothing(f, 0);
}

/*
 * Programs record again after they were switched off: they don't continue unfinished sub-buffers.
 */
static void what_had_ended_goes_on(Fixture *f, gconstpointer overwrite)
{
	guint64 written, overwritten;

	put(f, 3);
	bpf_rings_end(f->rings);
	stop(f);
	expect(f, 0, 0, 3);
	expect_nothing(f, 0);
	g_atomic_int_set(&f->rings->running, TRUE);
	put(f, RECORDS + 1);
	bpf_rings_end(f->rings);
	bpf_rings_count(f->rings, 0, &written, &overwritten);
	g_assert_cmpuint(written, ==, 3 + RECORDS + 1);
	g_assert_cmpuint(overwritten, ==, 0);
	stop(f);
	expect(f, 1, 3, RECORDS);
	expect(f, 2, 3 + RECORDS, 1);
	expect_nothing(f, 0);
}

static void overwritten_ones_may_be_short(Fixture *f, gconstpointer unused)
{
	guint64 written, overwritten;

	put(f, 3);
	bpf_rings_end(f->rings);
	put(f, 2 * RECORDS + 1);
	bpf_rings_end(f->rings);
	for (guint round = 0; round < 2; round++) {
		bpf_rings_count(f->rings, 0, &written, &overwritten);
		g_assert_cmpuint(written, ==, 3 + 2 * RECORDS + 1);
		g_assert_cmpuint(overwritten, ==, 3 + RECORDS);
		stop(f);
		if (!round)
			expect(f, 2, 3 + RECORDS, RECORDS);
		else
			expect(f, 3, 3 + 2 * RECORDS, 1);
	}
	expect_nothing(f, 0);
}

/* In a file that begins after everything before was read, earlier misses are no loss. */
static void missed_before_is_counted_before(Fixture *f, gconstpointer unused)
{
	const struct kmemtrace_subbuf_header *header = (gpointer)f->got;

	put(f, 2);
	bpf_rings_begin(f->rings, 5, G_MAXUINT64);
	bpf_rings_end(f->rings);
	expect(f, 0, 0, 2);
	g_assert_cmpuint(header->lost[KMEMTRACE_LOSS_RECURSION], ==, 0);
	bpf_rings_begin(f->rings, 7, G_MAXUINT64);
	put(f, RECORDS);
	expect(f, 1, 2, RECORDS);
	g_assert_cmpuint(header->lost[KMEMTRACE_LOSS_RECURSION], ==, 7);
}

static void first_one_begins_with_tracing(Fixture *f, gconstpointer unused)
{
	const struct kmemtrace_subbuf_header *header = (gpointer)f->got;

	bpf_rings_begin(f->rings, 0, 900);
	put(f, 2 * RECORDS);
	g_assert_cmpint(control_stream_read(f->stream, f->got, sizeof(f->got)), >, 0);
	g_assert_cmpuint(header->time_ns, ==, 900);
	expect(f, 1, RECORDS, RECORDS);
	bpf_rings_begin(f->rings, 0, 950);
	put(f, RECORDS);
	g_assert_cmpint(control_stream_read(f->stream, f->got, sizeof(f->got)), >, 0);
	g_assert_cmpuint(header->time_ns, ==, 950);
}

/* New thread names from a pause are the first records after it. */
static Fixture *interrupted; /* by a program, while the next name is read */

static char *read_name(guint32 tid, guint32 tgid)
{
	if (interrupted)
		put(interrupted, 1);
	interrupted = NULL;
	g_assert_cmpuint(tgid, ==, 7);
	return tid == 42 ? NULL : g_strdup(tid == 40 ? "a name that is longer" : "other");
}

static void names_are_put_behind_a_pause(Fixture *f, gconstpointer unused)
{
	const struct kmemtrace_subbuf_header *header = (gpointer)f->got;
	const struct kmemtrace_record *record = (gpointer)(header + 1);
	guint64 before = monotonic_ns();

	put(f, 2);
	bpf_rings_end(f->rings);
	g_assert_false(bpf_rings_are_read(f->rings));
	bpf_rings_put_name(f->rings, 42, 7, read_name);
	bpf_rings_put_name(f->rings, 40, 7, read_name);
	bpf_rings_put_name(f->rings, 41, 7, read_name);
	g_atomic_int_set(&f->rings->running, FALSE);
	expect(f, 0, 0, 2);
	g_assert_cmpint(control_stream_read(f->stream, f->got, sizeof(f->got)), ==,
			sizeof(*header) + 2 * sizeof(*record));
	g_assert_cmpuint(record->type, ==, KMEMTRACE_EVENT_TASK);
	g_assert_cmpuint(record->time_ns, >=, before);
	g_assert_cmpuint(record[1].time_ns, >=, record->time_ns);
	g_assert_cmpuint(record->tid, ==, 40);
	g_assert_cmpuint(record->gfp, ==, 7);
	g_assert_cmpstr(record->comm, ==, "a name that is ");
	g_assert_cmpuint(header->time_ns, ==, record->time_ns);
	g_assert_cmpuint(record[1].tid, ==, 41);
	g_assert_true(bpf_rings_are_read(f->rings));
}

/* The record follows that of the program, so its time must be later. */
static void names_are_put_behind_programs(Fixture *f, gconstpointer unused)
{
	const struct kmemtrace_record *first =
		(gpointer)(f->subbufs + sizeof(struct kmemtrace_subbuf_header));

	interrupted = f;
	bpf_rings_put_name(f->rings, 41, 7, read_name);
	g_assert_null(interrupted);
	g_assert_cmpuint(f->ring.head, ==, 2);
	g_assert_cmpuint(first[0].type, !=, KMEMTRACE_EVENT_TASK);
	g_assert_cmpuint(first[1].type, ==, KMEMTRACE_EVENT_TASK);
	g_assert_cmpuint(f->ring.lost[KMEMTRACE_LOSS_NAME], ==, 0);
}

static void names_without_room_are_lost(Fixture *f, gconstpointer unused)
{
	put(f, SUBBUFS * RECORDS);
	bpf_rings_put_name(f->rings, 40, 7, read_name);
	g_assert_cmpuint(f->ring.lost[KMEMTRACE_LOSS_NAME], ==, 1);
	g_assert_cmpuint(f->ring.head >> KMT_BPF_HEAD_SHIFT, ==, SUBBUFS - 1);
	bpf_rings_begin(f->rings, 0, 900);
	g_assert_false(bpf_rings_have_overwritten(f->rings));
}

static void overwritten_ones_are_noticed(Fixture *f, gconstpointer unused)
{
	bpf_rings_begin(f->rings, 0, 900);
	put(f, SUBBUFS * RECORDS);
	g_assert_false(bpf_rings_have_overwritten(f->rings));
	put(f, 1);
	g_assert_true(bpf_rings_have_overwritten(f->rings));
}

static void ring_has_one_reader(Fixture *f, gconstpointer unused)
{
	ControlStream *other = bpf_stream_open(f->rings, 0);

	g_assert_null(other);
	g_assert_cmpint(errno, ==, EBUSY);
	g_assert_null(bpf_stream_open(f->rings, 1));
	g_assert_cmpint(errno, ==, ENODEV);
}

#define ADD(test, overwrite)                                                                       \
	g_test_add("/bpf-stream/" #test, Fixture, overwrite, set_up, test, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD(full_ones_are_read_in_order, NULL);
	ADD(full_ring_takes_nothing_until_it_is_read, NULL);
	ADD(unfinished_record_is_waited_for, NULL);
	ADD(last_one_is_read_once_it_stops, NULL);
	ADD(flush_completes_what_there_is, NULL);
	ADD(flush_waits_for_all_sub_buffers, NULL);
	ADD(overwritten_ones_are_skipped, "overwrite");
	ADD(what_had_ended_goes_on, NULL);
	g_test_add("/bpf-stream/what_had_ended_goes_on_overwriting", Fixture, "overwrite", set_up,
		   what_had_ended_goes_on, tear_down);
	ADD(overwritten_ones_may_be_short, "overwrite");
	ADD(missed_before_is_counted_before, NULL);
	ADD(first_one_begins_with_tracing, NULL);
	ADD(names_are_put_behind_a_pause, NULL);
	ADD(names_are_put_behind_programs, NULL);
	ADD(names_without_room_are_lost, NULL);
	ADD(overwritten_ones_are_noticed, "overwrite");
	ADD(ring_has_one_reader, NULL);
	return g_test_run();
}
