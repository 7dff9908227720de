// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which file was mapped where in a process at a given time: never one that wasn't mapped then, and
 * never a guess.
 */
#include "store-check.h"
#include "trace-check.h"

#include "analysis/spaces/address_spaces.h"
#include "store/store.h"

#define PAGE	0x1000
#define OLD	100	/* a process from before the trace */
#define OLD_AT	0x400000
#define LIB_AT	0x7f0000000000

static const char files[] = "1 11 /lib/one.so\n2 12 /lib/two.so\n";
/* OLD was read at 1000. */
static const char process_maps[] =
	"process 100 1000 50\n400000 404000 2000 10 /bin/old\n7f0000000000 7f0000002000 0 11 /lib/one.so\n";

typedef struct {
	check_file file;
	struct builder *b;
	AddressSpaces *spaces;
	struct trace_reader *reader;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
	const struct builder_options options = {
		.record_len = sizeof(struct kmemtrace_record_user), .subbuf_records = 1000,
	};

	f->file = check_file_make();
	f->b = builder_new_with(f->file.path, &options);
	builder_snapshot(f->b, "abi", KMEMTRACE_PHASE_START, "page_size 4096\n");
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_START, process_maps);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
	address_spaces_free(f->spaces);
	if (f->reader)
		trace_reader_close(f->reader);
	check_file_clear(&f->file);
}

static void map_on(Fixture *f, uint32_t cpu, uint64_t time_ns, uint32_t tgid, uint64_t addr,
		   uint32_t pages, uint64_t offset, uint32_t file)
{
	builder_event(f->b, cpu, (struct trace_event){
		.event = KMEMTRACE_EVENT_MAP, .time_ns = time_ns, .addr = addr, .bytes_req = pages,
		.call_site = offset, .bytes_alloc = file, .tid = tgid, .tgid = tgid });
}

static void map(Fixture *f, uint64_t time_ns, uint32_t tgid, uint64_t addr, uint32_t pages,
		uint64_t offset, uint32_t file)
{
	map_on(f, 0, time_ns, tgid, addr, pages, offset, file);
}

static void unmap(Fixture *f, uint64_t time_ns, uint32_t tgid, uint64_t addr, uint32_t pages)
{
	map(f, time_ns, tgid, addr, pages, 0, 0);
}

static void exec(Fixture *f, uint64_t time_ns, uint32_t tgid)
{
	builder_event(f->b, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_EXEC, .time_ns = time_ns, .tid = tgid, .tgid = tgid });
}

static void fork_of(Fixture *f, uint64_t time_ns, uint32_t parent, uint32_t child, bool shared)
{
	builder_event(f->b, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_FORK, .time_ns = time_ns, .tid = child, .tgid = child,
		.bytes_req = parent, .bytes_alloc = shared });
}

/* ---- events of tracers that report the mm ---- */

static void in_mm(Fixture *f, uint64_t time_ns, enum kmemtrace_event event, uint32_t tgid,
		  uint32_t mm, uint32_t original)
{
	builder_event(f->b, 0, (struct trace_event){
		.event = event, .time_ns = time_ns, .tid = tgid, .tgid = tgid, .mm = mm,
		.bytes_alloc = original });
}

static void dup_mm(Fixture *f, uint64_t time_ns, uint32_t tgid, uint32_t mm, uint32_t original)
{
	in_mm(f, time_ns, KMEMTRACE_EVENT_DUP_MM, tgid, mm, original);
}

static void fork_in_mm(Fixture *f, uint64_t time_ns, uint32_t parent, uint32_t child, uint32_t mm,
		       bool shared)
{
	builder_event(f->b, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_FORK, .time_ns = time_ns, .tid = child, .tgid = child,
		.bytes_req = parent, .bytes_alloc = shared, .mm = mm });
}

static void map_in_mm(Fixture *f, uint64_t time_ns, uint32_t tgid, uint32_t mm, uint64_t addr,
		      uint32_t pages, uint32_t file)
{
	builder_event(f->b, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_MAP, .time_ns = time_ns, .addr = addr, .bytes_req = pages,
		.bytes_alloc = file, .tid = tgid, .tgid = tgid, .mm = mm });
}

static void read_spaces(Fixture *f)
{
	struct trace_error err = { "" };

	builder_snapshot(f->b, "files", KMEMTRACE_PHASE_END, files);
	builder_snapshot(f->b, "elf_files", KMEMTRACE_PHASE_END,
			 "11 5000 77 0123abcd /lib/one.so\n12 6000 88 - /lib/two.so\n");
	builder_finish(f->b);
	g_assert_cmpint(trace_reader_open(f->file.path, &f->reader, &err), ==, 0);
	f->spaces = address_spaces_read(f->reader, &err);
	g_assert_cmpstr(err.text, ==, "");
	g_assert_nonnull(f->spaces);
}

/* "path+0xoffset", or "" if unknown. For g_free(). */
static char *at(const Fixture *f, uint32_t tgid, uint64_t time_ns, uint64_t addr)
{
	SpaceMoment moment = address_spaces_moment(f->spaces, tgid, time_ns);
	guint64 offset;
	guint32 file = address_spaces_find(f->spaces, moment, time_ns, addr, &offset);

	if (!file)
		return g_strdup("");
	return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", address_spaces_file(f->spaces, file)->path,
			       offset);
}

static void expect(const Fixture *f, uint32_t tgid, uint64_t time_ns, uint64_t addr,
		   const char *expected)
{
	g_autofree char *found = at(f, tgid, time_ns, addr);

	g_assert_cmpstr(found, ==, expected);
}

static void files_have_inode_size_and_build_id(Fixture *f, gconstpointer unused)
{
	const SpaceFile *one, *two;

	read_spaces(f);
	g_assert_cmpuint(address_spaces_files(f->spaces), ==, 3);
	one = address_spaces_file(f->spaces, 2);
	two = address_spaces_file(f->spaces, 3);
	g_assert_cmpstr(one->path, ==, "/lib/one.so");
	g_assert_cmpstr(one->build_id, ==, "0123abcd");
	g_assert_cmpuint(one->inode, ==, 11);
	g_assert_cmpstr(two->path, ==, "/lib/two.so");
	g_assert_null(two->build_id);
	g_assert_cmpuint(two->size, ==, 6000);
	g_assert_cmpuint(two->mtime_ns, ==, 88);
}

static void mappings_of_older_processes_are_known(Fixture *f, gconstpointer unused)
{
	unmap(f, 2000, OLD, LIB_AT, 2);
	read_spaces(f);
	expect(f, OLD, 1, OLD_AT, "/bin/old+0x2000");
	expect(f, OLD, 5000, OLD_AT + 0x3fff, "/bin/old+0x5fff");
	expect(f, OLD, 5000, OLD_AT + 0x4000, "");
	expect(f, OLD, 5000, OLD_AT - 1, "");
	expect(f, OLD, 1999, LIB_AT, "/lib/one.so+0x0");
	expect(f, OLD, 2000, LIB_AT, "");
	expect(f, 101, 5000, OLD_AT, "");
}

/* Read at 1000 and mapped at 500: not mapped at 400. */
static void mapping_changed_before_reading_is_unknown_earlier(Fixture *f, gconstpointer unused)
{
	map(f, 500, OLD, LIB_AT, 1, 0, 1);
	read_spaces(f);
	expect(f, OLD, 400, LIB_AT, "");
	expect(f, OLD, 400, LIB_AT + PAGE, "/lib/one.so+0x1000");
	expect(f, OLD, 500, LIB_AT, "/lib/one.so+0x0");
	expect(f, OLD, 1500, LIB_AT, "/lib/one.so+0x0");
	expect(f, OLD, 400, OLD_AT, "/bin/old+0x2000");
}

static void reused_address_has_the_mapping_of_its_time(Fixture *f, gconstpointer unused)
{
	unmap(f, 2000, OLD, LIB_AT, 2);
	map(f, 3000, OLD, LIB_AT, 4, 0x1000, 2);
	unmap(f, 4000, OLD, LIB_AT + PAGE, 1);
	read_spaces(f);
	expect(f, OLD, 2500, LIB_AT, "");
	expect(f, OLD, 3500, LIB_AT + PAGE, "/lib/two.so+0x2000");
	expect(f, OLD, 4000, LIB_AT + PAGE, "");
	expect(f, OLD, 4000, LIB_AT, "/lib/two.so+0x1000");
	expect(f, OLD, 4000, LIB_AT + 2 * PAGE, "/lib/two.so+0x3000");
	expect(f, OLD, 4000, LIB_AT + 3 * PAGE, "/lib/two.so+0x4000");
}

static void fork_copies_the_mappings(Fixture *f, gconstpointer unused)
{
	fork_of(f, 2000, OLD, 200, false);
	map(f, 3000, OLD, LIB_AT, 2, 0, 2);
	map(f, 3500, 200, OLD_AT, 1, 0, 2);
	read_spaces(f);
	expect(f, 200, 1999, LIB_AT, "");
	expect(f, 200, 2000, LIB_AT, "/lib/one.so+0x0");
	expect(f, 200, 4000, LIB_AT, "/lib/one.so+0x0");
	expect(f, OLD, 4000, LIB_AT, "/lib/two.so+0x0");
	expect(f, OLD, 4000, OLD_AT, "/bin/old+0x2000");
	expect(f, 200, 4000, OLD_AT, "/lib/two.so+0x0");
}

static void shared_space_ends_at_exec(Fixture *f, gconstpointer unused)
{
	fork_of(f, 2000, OLD, 200, true);
	map(f, 2500, 200, LIB_AT, 2, 0, 2);
	exec(f, 3000, 200);
	map(f, 3500, 200, OLD_AT, 2, 0, 1);
	read_spaces(f);
	expect(f, OLD, 2600, LIB_AT, "/lib/two.so+0x0");
	expect(f, 200, 2600, OLD_AT, "/bin/old+0x2000");
	expect(f, 200, 3000, OLD_AT, "");
	expect(f, 200, 3500, OLD_AT, "/lib/one.so+0x0");
	expect(f, OLD, 3500, OLD_AT, "/bin/old+0x2000");
}

static void exec_after_vfork_leaves_the_parents_mappings(Fixture *f, gconstpointer unused)
{
	fork_of(f, 500, OLD, 200, true);	/* before the maps are read */
	exec(f, 600, 200);
	read_spaces(f);
	expect(f, OLD, 5000, OLD_AT, "/bin/old+0x2000");
	expect(f, 200, 550, OLD_AT, "/bin/old+0x2000");
	expect(f, 200, 5000, OLD_AT, "");
}

static void exec_of_the_parent_is_none_of_the_child(Fixture *f, gconstpointer unused)
{
	fork_of(f, 500, OLD, 200, true);
	exec(f, 600, OLD);
	read_spaces(f);
	expect(f, OLD, 5000, OLD_AT, "");
}

static void reused_pid_has_no_old_mappings(Fixture *f, gconstpointer unused)
{
	fork_of(f, 2000, 300, OLD, false);	/* the parent is unknown */
	read_spaces(f);
	expect(f, OLD, 1999, OLD_AT, "/bin/old+0x2000");
	expect(f, OLD, 2000, OLD_AT, "");
}

static void mappings_are_unknown_after_a_loss(Fixture *f, gconstpointer unused)
{
	map_on(f, 1, 2000, OLD, 0x500000, 1, 0, 1);
	builder_lose(f->b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 5);
	builder_flush(f->b, 1);
	map_on(f, 1, 4000, OLD, 0x600000, 1, 0, 2);
	read_spaces(f);
	expect(f, OLD, 1999, OLD_AT, "/bin/old+0x2000");
	expect(f, OLD, 3999, OLD_AT, "");
	expect(f, OLD, 5000, OLD_AT, "");
	expect(f, OLD, 5000, 0x500000, "");
	expect(f, OLD, 5000, 0x600000, "/lib/two.so+0x0");
}

/* Events before the first one of a CPU, at any time. */
static void mappings_are_unknown_until_a_first_loss(Fixture *f, gconstpointer unused)
{
	map(f, 2000, OLD, 0x500000, 1, 0, 1);
	builder_lose(f->b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 5);
	map_on(f, 1, 4000, OLD, 0x600000, 1, 0, 2);
	read_spaces(f);
	expect(f, OLD, 3000, OLD_AT, "");
	expect(f, OLD, 5000, 0x500000, "");
	expect(f, OLD, 5000, 0x600000, "/lib/two.so+0x0");
}

/* Nothing tells when events were lost after the last sub-buffer of a CPU. */
static void mappings_are_unknown_behind_a_full_buffer(Fixture *f, gconstpointer unused)
{
	map_on(f, 1, 2000, OLD, 0x500000, 1, 0, 1);
	builder_lose(f->b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 5);
	map_on(f, 0, 4000, OLD, 0x600000, 1, 0, 2);
	read_spaces(f);
	expect(f, OLD, 1999, OLD_AT, "/bin/old+0x2000");
	expect(f, OLD, 2001, OLD_AT, "");
	expect(f, OLD, 4000, 0x500000, "");
	expect(f, OLD, 4001, 0x600000, "");
}

/* A change of a part says nothing of the rest. */
static void rest_of_a_mapping_is_unknown_after_a_loss(Fixture *f, gconstpointer unused)
{
	map_on(f, 1, 2000, OLD, 0x500000, 4, 0, 1);
	builder_lose(f->b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 5);
	builder_flush(f->b, 1);
	map_on(f, 1, 4000, OLD, 0x501000, 1, 0, 0);
	map_on(f, 1, 4001, OLD, LIB_AT + PAGE, 1, 0, 2);
	read_spaces(f);
	expect(f, OLD, 5000, 0x500000, "");
	expect(f, OLD, 5000, 0x502000, "");
	expect(f, OLD, 5000, LIB_AT, "");
	expect(f, OLD, 5000, LIB_AT + PAGE, "/lib/two.so+0x0");
}

static void mappings_are_unknown_after_missed_calls(Fixture *f, gconstpointer unused)
{
	map(f, 2000, OLD, 0x500000, 1, 0, 1);
	exec(f, 3000, 0);
	map(f, 4000, OLD, 0x600000, 1, 0, 2);
	read_spaces(f);
	expect(f, OLD, 2000, 0x500000, "/lib/one.so+0x0");
	expect(f, OLD, 2500, 0x500000, "");
	expect(f, OLD, 5000, OLD_AT, "");
	expect(f, OLD, 5000, 0x600000, "/lib/two.so+0x0");
}

static void epoch_changes_only_with_code_mappings(Fixture *f, gconstpointer unused)
{
	SpaceMoment before, after, later;

	unmap(f, 2000, OLD, 0x900000, 7);	/* it had no code */
	unmap(f, 3000, OLD, LIB_AT, 1);
	read_spaces(f);
	before = address_spaces_moment(f->spaces, OLD, 1500);
	after = address_spaces_moment(f->spaces, OLD, 2500);
	later = address_spaces_moment(f->spaces, OLD, 3000);
	g_assert_cmpuint(before.space, ==, after.space);
	g_assert_cmpuint(before.epoch, ==, after.epoch);
	g_assert_cmpuint(before.epoch, !=, later.epoch);
}

/* 100 to 102 were read; 103, which shares memory with 101 and 102, was not. */
static const char mms_of_older_processes[] =
	"process 101 1000 7\n400000 404000 0 10 /bin/old\nprocess 102 1001 7\n400000 404000 0 10 /bin/old\n"
	"process 104 1002 8\n400000 404000 0 10 /bin/old\n";

/* A text of the end counts like one of the start, and the fixture has one of the start. */
static void read_older_processes(Fixture *f)
{
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_END, mms_of_older_processes);
}

static void memory_shared_since_before_the_trace_is_one_space(Fixture *f, gconstpointer unused)
{
	read_older_processes(f);
	map_in_mm(f, 2000, 102, 7, OLD_AT, 1, 0);
	map_in_mm(f, 2001, 103, 7, OLD_AT + PAGE, 1, 2);
	in_mm(f, 3000, KMEMTRACE_EVENT_EXEC, 102, 9, 0);
	map_in_mm(f, 3001, 102, 9, OLD_AT + 2 * PAGE, 1, 1);
	read_spaces(f);
	expect(f, 101, 1999, OLD_AT, "/bin/old+0x0");
	expect(f, 101, 2000, OLD_AT, "");
	expect(f, 102, 2000, OLD_AT, "");
	expect(f, 101, 2001, OLD_AT + PAGE, "/lib/two.so+0x0");
	expect(f, 103, 2001, OLD_AT + 2 * PAGE, "/bin/old+0x2000");
	expect(f, 101, 3001, OLD_AT + 2 * PAGE, "/bin/old+0x2000");
	expect(f, 102, 3001, OLD_AT + 2 * PAGE, "/lib/one.so+0x0");
	expect(f, 102, 3001, OLD_AT + PAGE, "");
	expect(f, 104, 3001, OLD_AT, "/bin/old+0x0");
}

/* Processes that share memory each have their own end. */
static void new_process_takes_its_own_reading(Fixture *f, gconstpointer unused)
{
	read_older_processes(f);
	dup_mm(f, 500, 104, 9, 8);
	fork_in_mm(f, 501, 104, 102, 9, false);	/* before 102 was read; another 102 had mm 7 */
	map_in_mm(f, 2000, 101, 7, OLD_AT, 1, 2);
	read_spaces(f);
	expect(f, 102, 2000, OLD_AT, "/bin/old+0x0");
	expect(f, 101, 1999, OLD_AT, "/bin/old+0x0");
	expect(f, 101, 2000, OLD_AT, "/lib/two.so+0x0");
}

/* Its number may have belonged to another process before. */
static void reading_without_an_mm_counts_from_the_fork_on(Fixture *f, gconstpointer unused)
{
	fork_in_mm(f, 500, OLD, 300, 9, false);
	fork_in_mm(f, 900, OLD, 301, 10, false);
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_END,
			 "process 104 1002 8\n400000 404000 0 10 /bin/old\n"
			 "process 300 1003 0\n400000 404000 0 10 /bin/old\n"
			 "process 302 1004 0\n400000 404000 0 10 /bin/old\n");
	read_spaces(f);
	expect(f, 104, 400, OLD_AT, "/bin/old+0x0");
	expect(f, 300, 400, OLD_AT, "");
	expect(f, 300, 600, OLD_AT, "/bin/old+0x0");
	expect(f, 302, 600, OLD_AT, "");
}

static void child_has_what_was_mapped_when_it_was_copied(Fixture *f, gconstpointer unused)
{
	read_older_processes(f);
	map_in_mm(f, 2000, 104, 8, OLD_AT, 1, 1);
	dup_mm(f, 2001, 104, 9, 8);
	map_in_mm(f, 2002, 104, 8, OLD_AT, 1, 2);	/* by another thread */
	fork_in_mm(f, 2003, 104, 200, 9, false);
	map_in_mm(f, 2004, 200, 9, OLD_AT + PAGE, 1, 2);
	fork_in_mm(f, 2005, 200, 201, 9, true);
	read_spaces(f);
	expect(f, 200, 2003, OLD_AT, "/lib/one.so+0x0");
	expect(f, 104, 2003, OLD_AT, "/lib/two.so+0x0");
	expect(f, 201, 2005, OLD_AT + PAGE, "/lib/two.so+0x0");
	expect(f, 104, 2005, OLD_AT + PAGE, "/bin/old+0x1000");
}

static void code_that_fork_leaves_out_is_unknown_in_the_child(Fixture *f, gconstpointer unused)
{
	read_older_processes(f);
	dup_mm(f, 2000, 104, 9, 8);
	map_in_mm(f, 2001, 104, 9, OLD_AT, 1, 0);
	fork_in_mm(f, 2002, 104, 200, 9, false);
	dup_mm(f, 3000, 104, 10, 0);	/* too many mappings */
	fork_in_mm(f, 3001, 104, 201, 10, false);
	dup_mm(f, 3002, 999, 11, 77);	/* of an unknown process */
	map_in_mm(f, 3003, 999, 11, OLD_AT, 1, 0);
	fork_in_mm(f, 3004, 999, 202, 11, false);
	fork_in_mm(f, 3005, 104, 203, 12, false);	/* its DUP_MM was lost */
	read_spaces(f);
	expect(f, 200, 4000, OLD_AT, "");
	expect(f, 200, 4000, OLD_AT + PAGE, "/bin/old+0x1000");
	expect(f, 104, 4000, OLD_AT, "/bin/old+0x0");
	expect(f, 201, 4000, OLD_AT + PAGE, "");
	expect(f, 202, 4000, OLD_AT, "");
	expect(f, 203, 4000, OLD_AT, "");
}

static void unmapping_of_more_pages_than_fit_is_all_from_there(Fixture *f, gconstpointer unused)
{
	unmap(f, 2000, OLD, 0x1000, G_MAXUINT32);
	read_spaces(f);
	expect(f, OLD, 1999, LIB_AT, "/lib/one.so+0x0");
	expect(f, OLD, 2000, LIB_AT, "");
}

/* OLD was read after that, so it may have changed since the fork. */
static void child_has_no_mappings_of_a_reading_behind_a_loss(Fixture *f, gconstpointer unused)
{
	fork_of(f, 500, OLD, 300, false);
	map_on(f, 1, 600, 999, LIB_AT, 1, 0, 1);
	builder_lose(f->b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 5);
	builder_flush(f->b, 1);
	map_on(f, 1, 900, 999, LIB_AT, 1, 0, 1);
	fork_of(f, 1500, 300, 301, false);
	read_spaces(f);
	expect(f, OLD, 2000, OLD_AT, "/bin/old+0x2000");
	expect(f, 300, 2000, OLD_AT, "");
	expect(f, 301, 2000, OLD_AT, "");
}

/* The EXEC of OLD was lost: the child of its vfork() has no memory that is known. */
static void shared_memory_of_another_mm_is_not_the_parents(Fixture *f, gconstpointer unused)
{
	fork_in_mm(f, 2000, OLD, 300, 70, true);
	map_in_mm(f, 2500, 999, 50, LIB_AT, 2, 2);
	read_spaces(f);
	expect(f, 300, 3000, OLD_AT, "");
	expect(f, 300, 3000, LIB_AT, "");
}

/* A reading without an mm does not tell whose memory it is. */
static void reading_without_an_mm_is_no_proof_of_membership(Fixture *f, gconstpointer unused)
{
	fork_in_mm(f, 1500, OLD, 101, 50, true);
	builder_lose(f->b, 0, KMEMTRACE_LOSS_BUFFER_FULL, 2);
	builder_flush(f->b, 0);
	map_in_mm(f, 2200, OLD, 50, LIB_AT, 2, 2);
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_END,
			 "process 100 2400 50\nprocess 101 2500 0\n400000 404000 0 12 /lib/two.so\n");
	read_spaces(f);
	expect(f, OLD, 3000, LIB_AT, "/lib/two.so+0x0");
	expect(f, 101, 3000, LIB_AT, "");
	expect(f, 101, 3000, OLD_AT, "");
}

/* Until OLD executed a program, another process had the mm with which it was read. */
static void mm_was_that_of_another_at_the_start(Fixture *f, gconstpointer unused)
{
	map_in_mm(f, 300, 900, 50, 0x500000, 4, 1);
	in_mm(f, 600, KMEMTRACE_EVENT_EXEC, OLD, 50, 0);
	map_in_mm(f, 700, OLD, 50, OLD_AT, 4, 2);
	read_spaces(f);
	expect(f, 900, 400, 0x500000, "/lib/one.so+0x0");
	expect(f, OLD, 400, 0x500000, "");
	expect(f, OLD, 800, OLD_AT, "/lib/two.so+0x0");
}

/* Or the other one shared the memory: then what was read is younger than that. */
static void memory_may_have_been_shared_at_the_start(Fixture *f, gconstpointer unused)
{
	map_in_mm(f, 300, 900, 50, LIB_AT, 1, 2);
	read_spaces(f);
	expect(f, OLD, 200, LIB_AT, "");
	expect(f, OLD, 2000, LIB_AT, "");
	expect(f, OLD, 2000, LIB_AT + PAGE, "/lib/one.so+0x1000");
}

/* The FORK of 400 was lost, but not the DUP_MM: both are the memory that was read. */
static void memory_of_a_lost_fork_is_what_was_read(Fixture *f, gconstpointer unused)
{
	map_on(f, 1, 1200, 999, LIB_AT, 1, 0, 1);
	dup_mm(f, 1500, OLD, 60, 50);
	builder_lose(f->b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 1);
	builder_flush(f->b, 1);
	map_on(f, 1, 1800, 999, LIB_AT, 1, 0, 1);
	map_in_mm(f, 4000, 400, 60, OLD_AT, 1, 0);
	map_in_mm(f, 4100, 401, 60, OLD_AT + PAGE, 1, 2);
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_END,
			 "process 400 3000 60\n400000 404000 2000 10 /bin/old\n");
	read_spaces(f);
	expect(f, 400, 3500, OLD_AT, "/bin/old+0x2000");
	expect(f, 400, 4100, OLD_AT, "");
	expect(f, 400, 4100, OLD_AT + PAGE, "");
	expect(f, 400, 4100, OLD_AT + 2 * PAGE, "/bin/old+0x4000");
}

/* Another process had the id of 400 until then. */
static void child_in_the_same_memory_has_its_own_past(Fixture *f, gconstpointer unused)
{
	fork_in_mm(f, 2000, OLD, 400, 50, true);
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_END,
			 "process 100 3000 50\n400000 404000 2000 10 /bin/old\n"
			 "process 400 3001 50\n400000 404000 2000 10 /bin/old\n");
	read_spaces(f);
	expect(f, 400, 1500, OLD_AT, "");
	expect(f, 400, 2000, OLD_AT, "/bin/old+0x2000");
	expect(f, OLD, 1500, OLD_AT, "/bin/old+0x2000");
}

/* ---- readings at the end of a flight ---- */

/* CPU 0 has events from 100, CPU 1 from 2000; the processes were read at 5000. */
static void fly(Fixture *f, const char *maps_at_the_end)
{
	builder_snapshot(f->b, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	map_on(f, 0, 100, 998, LIB_AT, 1, 0, 1);
	builder_overwrite(f->b, 1, 3, 12);
	map_on(f, 1, 2000, 999, LIB_AT, 1, 0, 1);
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_END, maps_at_the_end);
}

static void flight_mappings_come_from_the_end(Fixture *f, gconstpointer unused)
{
	exec(f, 110, 400);	/* too old to count: CPU 1's events of that time were overwritten */
	fly(f, "process 400 5000\n400000 404000 0 10 /bin/old\n7f0000000000 7f0000002000 0 12 /lib/two.so\n");
	map(f, 3000, 400, LIB_AT + PAGE, 1, 0x5000, 1);
	unmap(f, 6000, 400, OLD_AT, 4);
	read_spaces(f);
	expect(f, 400, 1999, OLD_AT, "");
	expect(f, 400, 2000, OLD_AT, "/bin/old+0x0");
	expect(f, 400, 5999, OLD_AT, "/bin/old+0x0");
	expect(f, 400, 6000, OLD_AT, "");
	expect(f, 400, 2999, LIB_AT, "/lib/two.so+0x0");
	expect(f, 400, 2999, LIB_AT + PAGE, "");
	expect(f, 400, 3000, LIB_AT + PAGE, "/lib/one.so+0x5000");
	/* Exited, or not read: the maps of the start are outdated. */
	expect(f, OLD, 3000, OLD_AT, "");
	expect(f, 999, 2500, LIB_AT, "/lib/one.so+0x0");
	expect(f, 998, 2500, LIB_AT, "");
}

/* 500 is a child of 400 and still runs at the end, 600 has exited; 700 has called exec. */
static void flight_child_has_mappings_of_its_parent(Fixture *f, gconstpointer unused)
{
	fly(f, "process 400 5000\n400000 404000 0 10 /bin/old\n7f0000000000 7f0000001000 0 12 /lib/two.so\n"
	    "process 500 5001\n400000 404000 0 10 /bin/old\nprocess 700 5002\n400000 404000 0 11 /lib/one.so\n");
	fork_of(f, 3000, 400, 500, false);
	fork_of(f, 3000, 400, 600, false);
	fork_of(f, 3000, 400, 700, false);
	exec(f, 3200, 700);
	map(f, 3300, 700, OLD_AT, 4, 0, 1);
	map(f, 4000, 400, LIB_AT, 1, 0, 2);	/* two.so is mapped from then on */
	unmap(f, 4500, 600, OLD_AT, 4);
	read_spaces(f);
	expect(f, 500, 2999, OLD_AT, "");
	expect(f, 500, 3000, OLD_AT, "/bin/old+0x0");
	expect(f, 500, 9000, OLD_AT, "/bin/old+0x0");
	expect(f, 600, 3000, OLD_AT, "/bin/old+0x0");
	expect(f, 600, 4499, OLD_AT, "/bin/old+0x0");
	expect(f, 600, 4500, OLD_AT, "");
	expect(f, 600, 3500, LIB_AT, "");
	expect(f, 400, 3999, LIB_AT, "");
	expect(f, 700, 3100, OLD_AT, "/bin/old+0x0");
	expect(f, 700, 3250, OLD_AT, "");
	expect(f, 700, 3300, OLD_AT, "/lib/one.so+0x0");
}

/* A grandchild inherits from its grandparent, as far as that is known. */
static void flight_grandchild_has_mappings_of_grandparent(Fixture *f, gconstpointer unused)
{
	fly(f, "process 400 5000\n400000 404000 0 10 /bin/old\n7f0000000000 7f0000001000 0 12 /lib/two.so\n");
	fork_of(f, 3000, 400, 600, false);
	fork_of(f, 3100, 600, 601, false);
	fork_of(f, 3200, 601, 602, true);
	exec(f, 3300, 600);
	map(f, 4000, 400, LIB_AT, 1, 0, 2);
	read_spaces(f);
	expect(f, 601, 3100, OLD_AT, "/bin/old+0x0");
	expect(f, 602, 8000, OLD_AT, "/bin/old+0x0");
	expect(f, 601, 3200, LIB_AT, "");
	expect(f, 600, 3299, OLD_AT, "/bin/old+0x0");
	expect(f, 600, 3300, OLD_AT, "");
}

/* The maps of the start are outdated: OLD has another mm, and 400 the one that OLD had. */
static void flight_mms_are_those_of_the_end(Fixture *f, gconstpointer unused)
{
	fly(f, "process 100 5000 60\n400000 404000 0 11 /lib/one.so\n"
	    "process 400 5001 50\n400000 404000 0 12 /lib/two.so\n7f0000000000 7f0000001000 0 12 /lib/two.so\n");
	map_in_mm(f, 3000, 400, 50, OLD_AT, 1, 0);
	read_spaces(f);
	expect(f, OLD, 2500, OLD_AT + PAGE, "/lib/one.so+0x1000");
	expect(f, OLD, 3500, OLD_AT, "/lib/one.so+0x0");
	expect(f, OLD, 2500, LIB_AT, "");
	expect(f, 400, 2500, OLD_AT + PAGE, "/lib/two.so+0x1000");
	expect(f, 400, 3500, OLD_AT, "");
}

/* Until a process executed a program, another one had the mm that it has at the end. */
static void flight_mm_was_that_of_another(Fixture *f, gconstpointer unused)
{
	fly(f, "process 400 5000 50\n400000 404000 0 12 /lib/two.so\n");
	map_in_mm(f, 2500, 900, 50, OLD_AT, 4, 1);
	in_mm(f, 3000, KMEMTRACE_EVENT_EXEC, 400, 50, 0);
	map_in_mm(f, 3100, 400, 50, OLD_AT, 4, 2);
	read_spaces(f);
	expect(f, 900, 2600, OLD_AT, "/lib/one.so+0x0");
	expect(f, 400, 2600, OLD_AT, "");
	expect(f, 400, 3200, OLD_AT, "/lib/two.so+0x0");
}

/* The EXEC of a vfork()ed child was lost: its parent's memory is another one. */
static void other_mm_is_other_memory(Fixture *f, gconstpointer unused)
{
	fork_in_mm(f, 2500, OLD, 400, 50, true);
	map_in_mm(f, 3000, 400, 60, OLD_AT, 4, 2);
	map_in_mm(f, 3500, OLD, 50, LIB_AT, 1, 0);
	read_spaces(f);
	expect(f, OLD, 4000, OLD_AT, "/bin/old+0x2000");
	expect(f, 400, 2900, OLD_AT, "/bin/old+0x2000");
	expect(f, 400, 4000, OLD_AT, "/lib/two.so+0x0");
}

/* A text of a later part, after a loss: the same, unless it describes the same memory. */
static void mms_of_a_later_part_are_not_those_of_the_start(Fixture *f, gconstpointer unused)
{
	map(f, 1500, OLD, LIB_AT, 1, 0, 0);
	builder_lose(f->b, 0, KMEMTRACE_LOSS_BUFFER_FULL, 1);
	builder_flush(f->b, 0);
	map(f, 3000, 999, LIB_AT, 1, 0, 1);
	builder_snapshot(f->b, "process_maps", KMEMTRACE_PHASE_END,
			 "process 100 4000 60\n400000 404000 0 11 /lib/one.so\n"
			 "process 400 4001 50\n400000 404000 0 12 /lib/two.so\n");
	read_spaces(f);
	expect(f, OLD, 1200, OLD_AT, "/bin/old+0x2000");
	expect(f, OLD, 4500, OLD_AT, "");
	expect(f, 400, 1200, OLD_AT, "");
}

/* Within one epoch, addresses have the same names. */
static void epoch_ends_at_a_loss(Fixture *f, gconstpointer unused)
{
	SpaceMoment before, after;

	fly(f, "process 400 5000\n400000 404000 0 10 /bin/old\n");
	read_spaces(f);
	before = address_spaces_moment(f->spaces, 400, 1999);
	after = address_spaces_moment(f->spaces, 400, 2000);
	g_assert_true(before.space != after.space || before.epoch != after.epoch);
}

/* A recorder that was killed while writing: the truncated line has no path. */
static void truncated_file_line_is_left_out(Fixture *f, gconstpointer unused)
{
	struct trace_error err = { "" };

	map(f, 2000, 400, OLD_AT, 1, 0, 1);
	map(f, 2000, 400, LIB_AT, 1, 0, 2);
	builder_snapshot(f->b, "files", KMEMTRACE_PHASE_END, "1 11 /lib/one.so\n2 12 /lib/tw");
	builder_finish(f->b);
	g_assert_cmpint(trace_reader_open(f->file.path, &f->reader, &err), ==, 0);
	f->spaces = address_spaces_read(f->reader, &err);
	g_assert_nonnull(f->spaces);
	expect(f, 400, 2000, OLD_AT, "/lib/one.so+0x0");
	expect(f, 400, 2000, LIB_AT, "");
}

/* Two processes with the same addresses, and one with unknown mappings. */
static void database_names_user_stacks_by_mapping(Fixture *f, gconstpointer unused)
{
	const uint64_t addrs[] = { OLD_AT + 1, 0, LIB_AT + 0x10, 0x10 };
	const uint64_t kernel[] = { 0xffffffff81000010 };
	uint32_t user = builder_stack(f->b, addrs, 4), stack = builder_stack(f->b, kernel, 1);
	g_autofree char *path = g_strconcat(f->file.path, ".db", NULL);
	static const uint32_t tgids[] = { OLD, 200, 999 };
	StoreLoadResult result;
	StoreDb *db;
	GError *error = NULL;

	fork_of(f, 2000, OLD, 200, false);
	map(f, 2100, 200, LIB_AT, 1, 0x7000, 2);
	for (guint i = 0; i < G_N_ELEMENTS(tgids); i++)
		builder_event(f->b, 0, (struct trace_event){
			.event = KMEMTRACE_EVENT_KMALLOC, .time_ns = 3000 + i, .tid = tgids[i],
			.tgid = tgids[i], .user_stack_id = user, .stack_id = stack,
			.addr = 0xffff888000001000 + i * 64, .bytes_req = 64, .bytes_alloc = 64 });
	read_spaces(f);
	g_assert_true(store_load(f->file.path, path, NULL, NULL, &result, &error));
	g_assert_no_error(error);
	db = store_open(path, &error);
	g_assert_no_error(error);
	check_sql(db, "SELECT (SELECT text FROM user_stacks u WHERE u.id = a.user_stack), "
		  "(SELECT count(*) FROM stacks) FROM allocations a ORDER BY time_ns",
		  "[old]+0x2001 < [one.so]+0x10|1\n[old]+0x2001 < [two.so]+0x7010|1\n"
		  "0x400001 < 0x7f0000000010 < 0x10|1");
	check_sql(db, "SELECT group_concat(value) FROM (SELECT value FROM meta WHERE key GLOB 'user_stacks*' "
		  "ORDER BY key)", "3,0,1");
	store_close(db);
	g_unlink(path);
}

/* Untrusted texts. */
static void malformed_texts_are_survived(void)
{
	static const char *const texts[] = {
		"", "process", "process \n", "process x 1\n1 2 3 4 /x\n", "process 1\n1 2\n",
		"process 1 1\nffffffffffffffff 0 0 1 /x\n2 1 0 1 /x\n1 2 3 4 \n1 2 3 4\n-1 2 3 4 /x\n",
		"process 99999999999999999999 1\n1 2 0 0 /x\n", "process 1 1\nprocess 1 1\n1 2 0 0 /y\n",
		"process 1 1 99999999999\n1 2 0 0\nprocess 2 1 x\nprocess 3 1 \n",
	};

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_auto(check_file) file = check_file_make();
		struct trace_reader *reader;
		struct trace_error err;
		struct builder *b;
		AddressSpaces *spaces;

		b = builder_new(file.path);
		builder_snapshot(b, "process_maps", KMEMTRACE_PHASE_START, texts[i]);
		builder_snapshot(b, "files", KMEMTRACE_PHASE_END, "1\n2 \n3 x y\n4 5 /z\n0 1 /a\n");
		builder_snapshot(b, "elf_files", KMEMTRACE_PHASE_END, "5\n5 6 7\n5 6 7 8\n5 6 7 xyz /z\n");
		builder_finish(b);
		g_assert_cmpint(trace_reader_open(file.path, &reader, &err), ==, 0);
		spaces = address_spaces_read(reader, &err);
		g_assert_nonnull(spaces);
		g_assert_cmpuint(address_spaces_files(spaces), ==, 1);
		g_assert_null(address_spaces_file(spaces, address_spaces_files(spaces))->build_id);
		address_spaces_free(spaces);
		trace_reader_close(reader);
	}
}

static void trace_without_user_stacks_has_no_spaces(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	struct trace_error err;

	builder_finish(builder_new(file.path));
	g_assert_cmpint(trace_reader_open(file.path, &reader, &err), ==, 0);
	g_assert_null(address_spaces_read(reader, &err));
	g_assert_cmpstr(err.text, ==, "");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add("/spaces/" #name, Fixture, NULL, set_up, name, tear_down)
	TEST(files_have_inode_size_and_build_id);
	TEST(mappings_of_older_processes_are_known);
	TEST(mapping_changed_before_reading_is_unknown_earlier);
	TEST(reused_address_has_the_mapping_of_its_time);
	TEST(fork_copies_the_mappings);
	TEST(shared_space_ends_at_exec);
	TEST(exec_after_vfork_leaves_the_parents_mappings);
	TEST(exec_of_the_parent_is_none_of_the_child);
	TEST(reused_pid_has_no_old_mappings);
	TEST(mappings_are_unknown_after_a_loss);
	TEST(mappings_are_unknown_until_a_first_loss);
	TEST(mappings_are_unknown_behind_a_full_buffer);
	TEST(rest_of_a_mapping_is_unknown_after_a_loss);
	TEST(mappings_are_unknown_after_missed_calls);
	TEST(epoch_changes_only_with_code_mappings);
	TEST(memory_shared_since_before_the_trace_is_one_space);
	TEST(new_process_takes_its_own_reading);
	TEST(reading_without_an_mm_counts_from_the_fork_on);
	TEST(child_has_what_was_mapped_when_it_was_copied);
	TEST(code_that_fork_leaves_out_is_unknown_in_the_child);
	TEST(unmapping_of_more_pages_than_fit_is_all_from_there);
	TEST(child_has_no_mappings_of_a_reading_behind_a_loss);
	TEST(shared_memory_of_another_mm_is_not_the_parents);
	TEST(reading_without_an_mm_is_no_proof_of_membership);
	TEST(mm_was_that_of_another_at_the_start);
	TEST(memory_may_have_been_shared_at_the_start);
	TEST(memory_of_a_lost_fork_is_what_was_read);
	TEST(child_in_the_same_memory_has_its_own_past);
	TEST(flight_mappings_come_from_the_end);
	TEST(flight_child_has_mappings_of_its_parent);
	TEST(flight_grandchild_has_mappings_of_grandparent);
	TEST(flight_mms_are_those_of_the_end);
	TEST(flight_mm_was_that_of_another);
	TEST(other_mm_is_other_memory);
	TEST(mms_of_a_later_part_are_not_those_of_the_start);
	TEST(epoch_ends_at_a_loss);
	TEST(truncated_file_line_is_left_out);
	TEST(database_names_user_stacks_by_mapping);
	g_test_add_func("/spaces/malformed_texts_are_survived", malformed_texts_are_survived);
	g_test_add_func("/spaces/trace_without_user_stacks_has_no_spaces", trace_without_user_stacks_has_no_spaces);
	return g_test_run();
}
