// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings of processes: the recorder's cost is bounded, whatever they map. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buildid.h"
#include "capture/tracer/module_control.h"
#include "base/regular.h"
#include "capture/process/device.h"
#include "base/owner.h"
#include "capture/process/quota.h"
#include "capture/target/mapped_files.h"
#include "capture/target/usermaps.h"
#include "trace/file/writer.h"

#define PAGE		4096

static const LookupLimits limits = { 1 << 20, G_MAXINT64 };
#define MAPPINGS	30000
#define LONG_ENOUGH 100000 /* seconds */
#define NAME_LEN	200
#define NOBODY		65534

static void build_id_equals_that_of_libelf(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	g_autofree char *id = buildid_read(fd), *expected = NULL;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	expected = buildid_of(elf);
	g_assert_nonnull(expected);
	g_assert_cmpstr(id, ==, expected);
	elf_end(elf);
	close(fd);
}

/* Its id is the last note of the segment. */
static void write_elf32(int fd)
{
	static const struct {
		Elf32_Nhdr header;
		char name[4];
		guint8 id[4];
	} note = { { 4, 4, NT_GNU_BUILD_ID }, "GNU", { 0xde, 0xad, 0xbe, 0xef } };
	Elf32_Ehdr head = { .e_phoff = 64, .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 2 };
	Elf32_Phdr program[2] = {
		{ .p_type = PT_LOAD },
		{ .p_type = PT_NOTE, .p_offset = 256, .p_filesz = sizeof(note) },
	};

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS32;
	head.e_ident[EI_DATA] = G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	g_assert_cmpint(pwrite(fd, &head, sizeof(head), 0), ==, sizeof(head));
	g_assert_cmpint(pwrite(fd, program, sizeof(program), 64), ==, sizeof(program));
	g_assert_cmpint(pwrite(fd, &note, sizeof(note), 256), ==, sizeof(note));
}

static void build_id_of_32_bits_is_found(void)
{
	int fd = memfd_create("elf32", MFD_CLOEXEC);
	g_autofree char *id = NULL;

	write_elf32(fd);
	id = buildid_read(fd);
	g_assert_cmpstr(id, ==, "deadbeef");
	g_assert_cmpint(ftruncate(fd, 256 + 12), ==, 0);
	g_free(id);
	id = buildid_read(fd);
	g_assert_null(id);
	close(fd);
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* 64 GiB of notes and sections, of which 4 KiB are on disk. */
static void sparse_headers_cost_little_memory(void)
{
	const guint64 size = G_GUINT64_CONSTANT(1) << 30;
	int fd = memfd_create("sparse", MFD_CLOEXEC);
	Elf64_Ehdr head = {
		.e_type = ET_DYN, .e_version = EV_CURRENT, .e_phoff = 64,
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 64, .e_shoff = PAGE,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Shdr sections = { .sh_size = size / sizeof(sections) };
	long before;

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	g_assert_cmpint(pwrite(fd, &head, sizeof(head), 0), ==, sizeof(head));
	for (guint i = 0; i < 64; i++) {
		Elf64_Phdr program = { .p_type = PT_NOTE, .p_offset = 2 * PAGE + 4 * i,
				       .p_filesz = size, .p_memsz = size, .p_align = 4 };

		g_assert_cmpint(pwrite(fd, &program, sizeof(program), 64 + i * sizeof(program)), ==,
				sizeof(program));
	}
	g_assert_cmpint(pwrite(fd, &sections, sizeof(sections), PAGE), ==, sizeof(sections));
	g_assert_cmpint(ftruncate(fd, 2 * size), ==, 0);
	before = peak_kib();
	g_assert_null(buildid_read(fd));
	g_assert_cmpint(peak_kib() - before, <, 64 << 10);
	close(fd);
}

/* How often @name is in the file that is open as @fd. */
static guint occurrences(int fd, const char *name)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0), *at = text;
	guint count = 0;

	while ((at = memmem(at, size - (at - text), name, strlen(name)))) {
		count++;
		at += strlen(name);
	}
	munmap(text, size);
	return count;
}

/* The view "mms" has only this process. */
static Control *control_with_mms(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "mms", NULL);
	g_autofree char *text = g_strdup_printf("1 77\n%d 4294967295\n", getpid());

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	return module_control_new(dir);
}

static void control_end(Control *control, const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "mms", NULL);

	control_close(control);
	g_unlink(path);
}

static void text_of_mappings_is_limited(void)
{
	char name[NAME_LEN + 1];
	g_autofree char *dir = g_dir_make_tmp(NULL, NULL), *path = NULL;
	int fd, trace = memfd_create("trace", MFD_CLOEXEC);
	struct trace_writer *writer;
	struct trace_error failure;
	GError *error = NULL;
	Lookup *lookup = lookup_new(&error);
	Control *control = control_with_mms(dir);
	g_autofree char *head = g_strdup_printf("process %d ", getpid());
	UserMaps *maps = usermaps_new(lookup, LONG_ENOUGH);
	void **mapped = g_new(void *, MAPPINGS);

	memset(name, 'm', NAME_LEN);
	name[NAME_LEN] = '\0';
	path = g_build_filename(dir, name, NULL);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	g_assert_cmpint(ftruncate(fd, PAGE), ==, 0);
	for (guint i = 0; i < MAPPINGS; i++) {
		mapped[i] = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		g_assert_true(mapped[i] != MAP_FAILED);
	}
	g_assert_cmpint(trace_writer_attach(dup(trace), "trace", &writer, &failure), ==, 0);
	g_assert_true(usermaps_write(maps, writer, control, KMEMTRACE_PHASE_START, &error));
	g_assert_no_error(error);
	g_assert_cmpint(trace_writer_close(writer, TRUE, &failure), ==, 0);
	g_assert_cmpuint(occurrences(trace, head), ==, 1);
	g_assert_cmpuint(occurrences(trace, " 4294967295\n"), ==, 1);
	/* A line has 60 bytes besides the name. */
	g_assert_cmpuint(occurrences(trace, path), >, 1000);
	g_assert_cmpuint(occurrences(trace, path), <, (1 << 20) / NAME_LEN);
	for (guint i = 0; i < MAPPINGS; i++)
		munmap(mapped[i], PAGE);
	control_end(control, dir);
	usermaps_free(maps);
	lookup_free(lookup);
	close(fd);
	close(trace);
	g_unlink(path);
	g_rmdir(dir);
	g_free(mapped);
}

#define CROWD	      16   /* processes */
#define OF_A_PROCESS 4000 /* mappings, above 1 MiB of text */

/* Maps the file @path so many times, and stays. */
static _Noreturn void map_often(const char *path, guint count, uid_t uid, int ready)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	for (guint i = 0; i < count; i++) {
		if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(1);
	}
	if (setresuid(uid, uid, uid) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
	    write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static pid_t start_mapping(const char *path, guint count, uid_t uid)
{
	int ready[2];
	pid_t child;
	char byte;

	g_assert_cmpint(pipe2(ready, O_CLOEXEC), ==, 0);
	child = fork();
	if (!child)
		map_often(path, count, uid, ready[1]);
	close(ready[1]);
	g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
	close(ready[0]);
	return child;
}

static char *make_file(const char *dir, char letter)
{
	g_autofree char *name = g_strnfill(NAME_LEN, letter);
	char *path = g_build_filename(dir, name, NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	g_assert_cmpint(ftruncate(fd, PAGE), ==, 0);
	close(fd);
	return path;
}

/* Processes are left out once time is up. */
static void time_for_processes_is_limited(void)
{
	g_autofree char *dir = g_dir_make_tmp(NULL, NULL), *file = make_file(dir, 'f');
	int trace = memfd_create("trace", MFD_CLOEXEC);
	pid_t child = start_mapping(file, 10, geteuid());
	struct trace_writer *writer;
	struct trace_error failure;
	Lookup *lookup = lookup_new(NULL);
	Control *control = control_with_mms(dir);
	UserMaps *maps = usermaps_new(lookup, 0);

	g_assert_cmpint(trace_writer_attach(dup(trace), "trace", &writer, &failure), ==, 0);
	g_assert_true(usermaps_write(maps, writer, control, KMEMTRACE_PHASE_START, NULL));
	g_assert_cmpint(trace_writer_close(writer, TRUE, &failure), ==, 0);
	g_assert_cmpuint(occurrences(trace, file), ==, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	control_end(control, dir);
	usermaps_free(maps);
	lookup_free(lookup);
	close(trace);
	g_unlink(file);
	g_rmdir(dir);
}

static void one_user_leaves_room_to_others(void)
{
	g_autofree char *dir = g_dir_make_tmp(NULL, NULL), *many = make_file(dir, 'u');
	g_autofree char *few = make_file(dir, 'f');
	int trace = memfd_create("trace", MFD_CLOEXEC);
	pid_t child[CROWD + 1];
	struct trace_writer *writer;
	struct trace_error failure;
	Lookup *lookup = lookup_new(NULL);
	Control *control = control_with_mms(dir);
	UserMaps *maps = usermaps_new(lookup, LONG_ENOUGH);

	if (geteuid()) {
		g_test_skip("only root has processes of several users");
	} else {
		for (guint i = 0; i < CROWD; i++)
			child[i] = start_mapping(many, OF_A_PROCESS, NOBODY);
		child[CROWD] = start_mapping(few, 10, 0);
		g_assert_cmpint(trace_writer_attach(dup(trace), "trace", &writer, &failure), ==, 0);
		g_assert_true(usermaps_write(maps, writer, control, KMEMTRACE_PHASE_START, NULL));
		g_assert_cmpint(trace_writer_close(writer, TRUE, &failure), ==, 0);
		/* For all such tests: a quarter of 32 MiB, plus the last process's excess. */
		g_assert_cmpuint(occurrences(trace, strrchr(many, '/')), >, (6 << 20) / NAME_LEN);
		g_assert_cmpuint(occurrences(trace, strrchr(many, '/')), <, (9 << 20) / NAME_LEN);
		g_assert_cmpuint(occurrences(trace, few), ==, 10);
		for (guint i = 0; i <= CROWD; i++) {
			kill(child[i], SIGKILL);
			waitpid(child[i], NULL, 0);
		}
	}
	control_end(control, dir);
	usermaps_free(maps);
	lookup_free(lookup);
	close(trace);
	g_unlink(many);
	g_unlink(few);
	g_rmdir(dir);
}

#define GROWING 12000

/*
 * A process that maps page after page of code, at rising addresses, and notes the time before each.
 */
struct growing {
	char *addrs;
	gint64 *times; /* in ns, for each page, before it is mapped */
	gint *count;
};

static gint64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (gint64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static _Noreturn void grow(const struct growing *growing)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < GROWING; i++) {
		growing->times[i] = now_ns();
		if (mmap(growing->addrs + (gsize)i * 2 * PAGE, PAGE, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			_exit(1);
		g_atomic_int_set(growing->count, i + 1);
		g_usleep(20);
	}
	for (;;)
		pause();
}

/* The last page in @lines that @growing has mapped; -1: none. */
static int last_page(const struct growing *growing, const char *lines)
{
	g_auto(GStrv) each = g_strsplit(lines, "\n", -1);
	guint64 first = (guint64)(guintptr)growing->addrs;
	int last = -1;

	for (guint i = 0; each[i]; i++) {
		guint64 start = g_ascii_strtoull(each[i], NULL, 16);

		if (start >= first && start < first + (guint64)GROWING * 2 * PAGE)
			last = MAX(last, (int)((start - first) / (2 * PAGE)));
	}
	return last;
}

/* Otherwise a stack from before a mapping would be resolved by that mapping. */
static void time_of_mappings_is_not_before_them(void)
{
	int flags = MAP_SHARED | MAP_ANONYMOUS, last;
	gsize size = GROWING * sizeof(gint64);
	struct growing growing = {
		.addrs = mmap(NULL, (gsize)GROWING * 2 * PAGE, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
		.times = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0),
		.count = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0),
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *pid = NULL;
	Lookup *lookup = lookup_new(&error);
	LookupMaps maps;
	pid_t child;

	g_assert_no_error(error);
	child = fork();
	if (!child)
		grow(&growing);
	pid = g_strdup_printf("%d", child);
	while (g_atomic_int_get(growing.count) < GROWING / 8)
		g_usleep(100);
	g_assert_true(lookup_maps(lookup, pid, 0, &limits, text, &maps));
	last = last_page(&growing, text->str);
	g_assert_cmpint(last, >=, GROWING / 8 - 1);
	g_assert_cmpint((gint64)maps.time.monotonic, >=, growing.times[last]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	lookup_free(lookup);
	munmap(growing.addrs, (gsize)GROWING * 2 * PAGE);
	munmap(growing.times, size);
	munmap(growing.count, PAGE);
}

/* How far a process has read /proc/@pid/maps, in bytes; -1: it doesn't read it. */
static gint64 position_in_maps(pid_t reader, pid_t pid)
{
	g_autofree char *folder = g_strdup_printf("/proc/%d/fd", reader), *maps = NULL;
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	gint64 position = -1;
	const char *name;

	maps = g_strdup_printf("/proc/%d/maps", pid);
	while (dir && position < 0 && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *target = g_file_read_link(path, NULL), *info = NULL, *text = NULL;

		info = g_strdup_printf("/proc/%d/fdinfo/%s", reader, name);
		if (g_strcmp0(target, maps) == 0 && g_file_get_contents(info, &text, NULL, NULL))
			sscanf(text, "pos: %" G_GINT64_FORMAT, &position);
	}
	return position;
}

struct ending {
	pid_t reader, pid;
	gint over; /* the reading has ended */
};

/* Stops the reader in the middle, ends the process, and lets the reader continue. TRUE: done. */
static gpointer end_it_while_it_is_read(gpointer data)
{
	struct ending *ending = data;
	gboolean caught = FALSE;

	while (!caught && !g_atomic_int_get(&ending->over)) {
		if (position_in_maps(ending->reader, ending->pid) <= 0)
			continue;
		kill(ending->reader, SIGSTOP);
		caught = position_in_maps(ending->reader, ending->pid) > 0;
		if (caught) {
			kill(ending->pid, SIGKILL);
			waitpid(ending->pid, NULL, 0);
		}
		kill(ending->reader, SIGCONT);
	}
	return GINT_TO_POINTER(caught);
}

/* A process with 12,000 mappings that the kernel can't merge. */
static pid_t start_large(void)
{
	char *addrs = mmap(NULL, (gsize)GROWING * 2 * PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	gint *count = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct growing growing = {
		.addrs = addrs, .times = g_new(gint64, GROWING), .count = count,
	};
	pid_t child = fork();

	if (!child)
		grow(&growing);
	while (g_atomic_int_get(count) < GROWING)
		g_usleep(100);
	munmap(addrs, (gsize)GROWING * 2 * PAGE);
	munmap(count, PAGE);
	g_free(growing.times);
	return child;
}

static pid_t first_child(void)
{
	g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", getpid());
	g_autofree char *children = NULL;

	g_assert_true(g_file_get_contents(path, &children, NULL, NULL));
	return atoi(children);
}

/* Otherwise its mappings would be those of a new process with its number. */
static void process_that_ends_meanwhile_is_not_found(void)
{
	Lookup *lookup = lookup_new(NULL);
	struct ending ending = { .reader = first_child(), .pid = start_large() };
	g_autofree char *pid = g_strdup_printf("%d", ending.pid);
	g_autoptr(GString) text = g_string_new("before");
	gboolean ended = FALSE, found = TRUE;
	LookupMaps maps;

	while (!ended && found) {
		GThread *thread;

		g_string_truncate(text, 6);
		g_atomic_int_set(&ending.over, 0);
		thread = g_thread_new("ending", end_it_while_it_is_read, &ending);
		found = lookup_maps(lookup, pid, 0, &(LookupLimits){ 4 << 20, G_MAXINT64 }, text,
				    &maps);
		g_atomic_int_set(&ending.over, 1);
		ended = GPOINTER_TO_INT(g_thread_join(thread));
	}
	g_assert_true(ended);
	g_assert_false(found);
	g_assert_cmpstr(text->str, ==, "before");
	lookup_free(lookup);
}

struct hindering {
	pid_t reader;
	gint over; /* the reading has ended */
};

/* Lets the reader run for a fiftieth of the time. */
static gpointer hinder(gpointer data)
{
	struct hindering *hindering = data;

	while (!g_atomic_int_get(&hindering->over)) {
		kill(hindering->reader, SIGSTOP);
		g_usleep(50000);
		kill(hindering->reader, SIGCONT);
		g_usleep(1000);
	}
	return NULL;
}

/* Each part of the answer comes in time, all of them together don't. */
static void process_that_is_slow_without_stalling_is_given_up(void)
{
	Lookup *lookup = lookup_new(NULL);
	struct hindering hindering = { .reader = first_child() };
	const LookupLimits short_ones = { 4 << 20, 300000 };
	pid_t large = start_large();
	g_autofree char *pid = g_strdup_printf("%d", large);
	g_autoptr(GString) text = g_string_new("before");
	GThread *thread = g_thread_new("hindering", hinder, &hindering);
	LookupMaps maps;

	g_assert_false(lookup_maps(lookup, pid, 1000, &short_ones, text, &maps));
	g_assert_cmpstr(text->str, ==, "before");
	g_atomic_int_set(&hindering.over, 1);
	g_thread_join(thread);
	g_assert_true(lookup_maps(lookup, pid, 1001, &(LookupLimits){ 4 << 20, G_MAXINT64 }, text,
				  &maps));
	kill(large, SIGKILL);
	waitpid(large, NULL, 0);
	lookup_free(lookup);
}

/* Kills the first child that this process has. */
static void kill_a_child(void)
{
	g_assert_cmpint(kill(first_child(), SIGKILL), ==, 0);
}

static void killed_child_is_replaced(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) text = g_string_new("before");
	g_autofree char *pid = g_strdup_printf("%d", getpid());
	Lookup *lookup = lookup_new(&error);
	LookupMaps maps;
	pid_t child = first_child();

	g_assert_no_error(error);
	g_assert_true(lookup_maps(lookup, pid, 0, &limits, text, &maps));
	g_string_truncate(text, 6);
	kill_a_child();
	g_assert_true(lookup_maps(lookup, pid, 0, &limits, text, &maps));
	g_assert_nonnull(strstr(text->str, "test-usermaps"));
	g_assert_true(g_str_has_prefix(text->str, "before"));
	g_assert_cmpint(kill(child, 0), ==, 0); /* no other process has its number yet */
	lookup_free(lookup);
	g_assert_cmpint(kill(child, 0), ==, -1);
}

/* An unresponsive child is replaced by a new one. */
static void stalled_child_is_given_up(void)
{
	g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", getpid());
	g_autofree char *children = NULL, *pid = g_strdup_printf("%d", getpid());
	g_autoptr(GString) text = g_string_new("before");
	GError *error = NULL;
	Lookup *lookup = lookup_new(&error);
	LookupMaps maps;

	g_assert_true(g_file_get_contents(path, &children, NULL, NULL));
	g_assert_cmpint(kill(atoi(children), SIGSTOP), ==, 0);
	g_assert_false(lookup_maps(lookup, pid, 0, &limits, text, &maps));
	g_assert_cmpstr(text->str, ==, "before");
	g_assert_true(lookup_maps(lookup, pid, 0, &limits, text, &maps));
	g_assert_nonnull(strstr(text->str, "test-usermaps"));
	g_assert_false(lookup_maps(lookup, "0", 0, &limits, text, &maps));
	lookup_free(lookup);
}

/* Stops the first @count children that this process has. */
static void stop_children(guint count)
{
	g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", getpid());
	g_autofree char *children = NULL;
	char *at;

	g_assert_true(g_file_get_contents(path, &children, NULL, NULL));
	at = children;
	for (guint i = 0; i < count; i++)
		g_assert_cmpint(kill((pid_t)strtol(at, &at, 10), SIGSTOP), ==, 0);
}

static void stalled_user_is_skipped_alone(void)
{
	g_autofree char *pid = g_strdup_printf("%d", getpid());
	g_autoptr(GString) text = g_string_new(NULL);
	Lookup *lookup = lookup_new(NULL);
	LookupMaps maps;

	stop_children(1);
	g_assert_false(lookup_maps(lookup, pid, 1000, &limits, text, &maps));
	g_assert_false(lookup_maps(lookup, pid, 1000, &limits, text, &maps));
	g_assert_cmpstr(text->str, ==, "");
	g_assert_true(lookup_maps(lookup, pid, 1001, &limits, text, &maps));
	g_assert_true(lookup_maps(lookup, pid, 0, &limits, text, &maps));
	lookup_free(lookup);
}

static void stalled_processes_leave_a_child_to_files(void)
{
	g_autofree char *pid = g_strdup_printf("%d", getpid());
	g_autofree char *own = g_file_read_link("/proc/self/exe", NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	Lookup *lookup = lookup_new(NULL);
	LookupFile file;
	LookupMaps maps;
	LookupKey key;
	struct stat st;

	stop_children(4);
	for (guint32 uid = 0; uid < 4; uid++)
		g_assert_false(lookup_maps(lookup, pid, uid, &limits, text, &maps));
	g_assert_false(lookup_maps(lookup, pid, 0, &limits, text, &maps));
	g_assert_cmpint(stat(own, &st), ==, 0);
	key = (LookupKey){ st.st_dev, st.st_ino, TRUE };
	g_assert_cmpint(lookup_file(lookup, &key, own, REGULAR_ANY, &file), ==, LOOKUP_FOUND);
	key.inode++;
	g_assert_cmpint(lookup_file(lookup, &key, own, REGULAR_ANY, &file), ==, LOOKUP_NONE);
	lookup_free(lookup);
}

#define EARLIER 1500 /* processes: more than one getdents() call on /proc returns */

static pid_t start_idle(void)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

struct late {
	pid_t process;
	gint is_over; /* it may end */
};

/* Starts a process when the main thread waits for an answer: by then, all process ids are read. */
static gpointer start_late(gpointer data)
{
	g_autofree char *path = g_strdup_printf("/proc/self/task/%d/syscall", getpid());
	struct late *late = data;

	for (;;) {
		g_autofree char *call = NULL;

		if (g_file_get_contents(path, &call, NULL, NULL) && atoi(call) == SYS_poll)
			break;
		g_usleep(1000);
	}
	late->process = start_idle();
	while (!g_atomic_int_get(&late->is_over)) /* it ends with this thread */
		g_usleep(1000);
	return NULL;
}

/* Otherwise, starting processes faster than they are inspected would keep the inspection going. */
static void later_processes_are_not_inspected(void)
{
	g_autofree char *dir = g_dir_make_tmp(NULL, NULL), *first = NULL, *last = NULL;
	int trace = memfd_create("trace", MFD_CLOEXEC);
	pid_t earlier[EARLIER];
	struct late late = { 0 };
	struct trace_writer *writer;
	struct trace_error failure;
	Lookup *lookup = lookup_new(NULL);
	Control *control = control_with_mms(dir);
	UserMaps *maps = usermaps_new(lookup, LONG_ENOUGH);
	GThread *thread;
	guint started = 0;

	stop_children(1);
	while (started < EARLIER && (earlier[started] = start_idle()) > 0)
		started++;
	thread = g_thread_new("late", start_late, &late);
	g_assert_cmpint(trace_writer_attach(dup(trace), "trace", &writer, &failure), ==, 0);
	g_assert_true(usermaps_write(maps, writer, control, KMEMTRACE_PHASE_START, NULL));
	g_assert_cmpint(trace_writer_close(writer, TRUE, &failure), ==, 0);
	g_atomic_int_set(&late.is_over, 1);
	g_thread_join(thread);
	first = g_strdup_printf("process %d ", getpid());
	last = g_strdup_printf("process %d ", late.process);
	g_assert_cmpuint(occurrences(trace, first), ==, 1);
	g_assert_cmpuint(occurrences(trace, last), ==, 0);
	if (started < EARLIER)
		g_test_skip("there may not be so many processes");
	waitpid(late.process, NULL, 0);
	for (guint i = 0; i < started; i++) {
		kill(earlier[i], SIGKILL);
		waitpid(earlier[i], NULL, 0);
	}
	control_end(control, dir);
	usermaps_free(maps);
	lookup_free(lookup);
	close(trace);
	g_rmdir(dir);
}

#define SUBORDINATE 165536

/*
 * Enters a user namespace owned by nobody, with a uid other than nobody's, and a namespace within
 * it.
 */
static _Noreturn void enter_namespaces(int begun, int go)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setresuid(NOBODY, NOBODY, NOBODY) || unshare(CLONE_NEWUSER))
		_exit(1);
	if (write(begun, "1", 1) != 1 || read(go, &byte, 1) != 1)
		_exit(1);
	if (setresgid(0, 0, 0) || setresuid(0, 0, 0) || unshare(CLONE_NEWUSER) ||
	    write(begun, "2", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Maps root of the user namespace of @process to @id. */
static void map_root(pid_t process, const char *file, guint id)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/%s", process, file);
	g_autofree char *text = g_strdup_printf("0 %u 1\n", id);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	g_assert_cmpint(write(fd, text, strlen(text)), ==, strlen(text));
	close(fd);
}

static guint32 owner_of(pid_t process)
{
	g_autofree char *pid = g_strdup_printf("%d", process);
	g_autoptr(Owners) owners = owners_new();
	guint32 uid;

	g_assert_true(owners_find(owners, pid, &uid));
	return uid;
}

/* The namespaces of a process are walked through once, and its effective uid is the owner's. */
static void is_known_from_then_on(pid_t process, guint32 owner)
{
	g_autoptr(Owners) owners = owners_new();
	g_autofree char *pid = g_strdup_printf("%d", process);
	guint32 uid;

	for (guint i = 0; i < 2; i++) {
		g_assert_true(owners_find(owners, pid, &uid));
		g_assert_cmpuint(uid, ==, owner);
		g_assert_true(owners_guess(owners, pid, &uid));
		g_assert_cmpuint(uid, ==, owner);
	}
}

static void process_in_a_namespace_counts_for_its_creator(void)
{
	g_autofree char *folder = NULL;
	int begun[2], go[2];
	struct stat st;
	pid_t child;
	char byte;

	g_assert_cmpuint(owner_of(getpid()), ==, geteuid());
	g_assert_cmpint(pipe2(begun, O_CLOEXEC) | pipe2(go, O_CLOEXEC), ==, 0);
	child = fork();
	if (!child)
		enter_namespaces(begun[1], go[0]);
	close(begun[1]);
	if (read(begun[0], &byte, 1) != 1) {
		g_test_skip("only root can be nobody, where user namespaces are allowed");
	} else {
		map_root(child, "uid_map", SUBORDINATE);
		map_root(child, "gid_map", SUBORDINATE);
		g_assert_cmpint(write(go[1], "", 1), ==, 1);
		g_assert_cmpint(read(begun[0], &byte, 1), ==, 1);
		folder = g_strdup_printf("/proc/%d", child);
		g_assert_cmpint(stat(folder, &st), ==, 0);
		g_assert_cmpuint(st.st_uid, ==, SUBORDINATE);
		g_assert_cmpuint(owner_of(child), ==, NOBODY);
		is_known_from_then_on(child, NOBODY);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(begun[0]);
	close(go[0]);
	close(go[1]);
}

/* Any user can start a program that is set-uid root. */
static void set_uid_root_program_counts_for_its_user(void)
{
	int begun[2];
	pid_t child;
	char byte;

	g_assert_cmpint(pipe2(begun, O_CLOEXEC), ==, 0);
	child = fork();
	if (!child) {
		if (setresuid(NOBODY, 0, 0) || write(begun[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(begun[1]);
	if (read(begun[0], &byte, 1) == 1)
		g_assert_cmpuint(owner_of(child), ==, NOBODY);
	else
		g_test_skip("only root can have another real uid");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(begun[0]);
}

static void foreign_path_opens_regular_files_only(void)
{
	g_autofree char *own = g_file_read_link("/proc/self/exe", NULL);
	struct stat st, found;
	int fd;

	g_assert_cmpint(stat(own, &st), ==, 0);
	fd = regular_open_foreign(own, st.st_ino, REGULAR_ANY, &found);
	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(found.st_size, ==, st.st_size);
	close(fd);
	g_assert_cmpint(regular_open_foreign(own, st.st_ino + 1, REGULAR_ANY, &found), ==, -1);
	g_assert_cmpint(errno, ==, ESTALE);
	g_assert_cmpint(regular_open_foreign("/proc/self/exe", 0, REGULAR_ANY, &found), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	g_assert_cmpint(regular_open_foreign("/usr/../etc/passwd", 0, REGULAR_ANY, &found), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	g_assert_cmpint(regular_open_foreign("etc/passwd", 0, REGULAR_ANY, &found), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	g_assert_cmpint(regular_open_foreign("/etc", 0, REGULAR_ANY, &found), ==, -1);
	g_assert_cmpint(errno, ==, EISDIR);
	g_assert_cmpint(regular_open_foreign("/proc/version", 0, REGULAR_ANY, &found), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	g_assert_cmpint(regular_open_foreign("/sys/kernel/notes", 0, REGULAR_ANY, &found), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
}

static void foreign_path_has_no_link_and_file_has_blocks(void)
{
	g_autofree char *dir = g_dir_make_tmp(NULL, NULL);
	g_autofree char *file = g_build_filename(dir, "file", NULL);
	g_autofree char *link = g_build_filename(dir, "link", NULL);
	g_autofree char *folder = g_build_filename(dir, "folder", NULL);
	g_autofree char *behind = g_build_filename(folder, "file", NULL);
	int holes = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600), fd;
	struct stat st;

	g_assert_cmpint(symlink("file", link), ==, 0);
	g_assert_cmpint(symlink(".", folder), ==, 0);
	g_assert_cmpint(ftruncate(holes, PAGE), ==, 0);
	g_assert_cmpint(fstat(holes, &st), ==, 0);
	g_assert_cmpint(st.st_blocks, ==, 0);
	g_assert_cmpint(regular_open_foreign(file, 0, REGULAR_ANY, &st), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	g_assert_cmpint(write(holes, "text", 4), ==, 4);
	g_assert_cmpint(fsync(holes), ==, 0);
	fd = regular_open_foreign(file, 0, REGULAR_ANY, &st);
	g_assert_cmpint(fd, >=, 0);
	close(fd);
	for (guint i = 0; i < 2; i++) {
		fd = regular_open_foreign(i ? behind : link, 0, REGULAR_ANY, &st);
		g_assert_cmpint(fd, ==, -1);
		g_assert_cmpint(errno, ==, ELOOP);
	}
	close(holes);
	g_unlink(link);
	g_unlink(folder);
	g_unlink(file);
	g_rmdir(dir);
}

/* A child that is blocked in the kernel outlives the recorder: it must not keep its output open. */
static void child_has_only_its_socket(void)
{
	Lookup *lookup = lookup_new(NULL);
	g_autofree char *path = g_strdup_printf("/proc/%d/fd", first_child());
	g_autofree char *pid = g_strdup_printf("%d", getpid());
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GDir) dir = NULL;
	LookupMaps maps;
	guint count = 0;
	const char *name;

	g_assert_true(lookup_maps(lookup, pid, 0, &limits, text, &maps)); /* it has begun */
	dir = g_dir_open(path, 0, NULL);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *fd = g_build_filename(path, name, NULL);
		g_autofree char *target = g_file_read_link(fd, NULL);

		g_assert_true(g_str_has_prefix(target, "socket:"));
		count++;
	}
	g_assert_cmpuint(count, ==, 1);
	lookup_free(lookup);
}

/* Anyone who can read a directory can lock it, also root's. The kernel has the open file cached. */
static void users_directory_is_not_waited_for(void)
{
	g_autofree char *dir = g_dir_make_tmp(NULL, NULL);
	g_autofree char *path = g_build_filename(dir, "file", NULL);
	g_autofree char *other = g_build_filename(dir, "other", NULL);
	/* The kernel remembers names that do not exist. */
	g_autofree char *roots = g_strdup_printf("/etc/no-%08x", g_random_int());
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), fd;
	struct stat st;

	g_assert_cmpint(regular_open_foreign(roots, 0, REGULAR_CACHED, &st), ==, -1);
	g_assert_cmpint(errno, ==, EAGAIN);
	g_assert_cmpint(regular_open_foreign(roots, 0, REGULAR_ROOTS, &st), ==, -1);
	g_assert_cmpint(errno, ==, ENOENT);
	g_assert_cmpint(write(file, "text", 4), ==, 4);
	g_assert_cmpint(fsync(file), ==, 0);
	g_assert_cmpint(chmod(dir, 0777), ==, 0);
	fd = regular_open_foreign(path, 0, REGULAR_CACHED, &st);
	g_assert_cmpint(fd, >=, 0);
	close(fd);
	g_assert_cmpint(regular_open_foreign(other, 0, REGULAR_CACHED, &st), ==, -1);
	g_assert_cmpint(errno, ==, EAGAIN);
	g_assert_cmpint(regular_open_foreign(other, 0, REGULAR_ROOTS, &st), ==, -1);
	g_assert_cmpint(errno, ==, EAGAIN);
	g_assert_cmpint(regular_open_foreign(other, 0, REGULAR_ANY, &st), ==, -1);
	g_assert_cmpint(errno, ==, ENOENT);
	close(file);
	g_unlink(path);
	g_rmdir(dir);
}

/* ---- files that have the name of another ---- */

typedef struct {
	char *dir, *path;
	dev_t device; /* in the tracer's list */
	dev_t own;    /* in what a process has mapped */
	Lookup *lookup;
	MappedFiles *files;
} Replaced;

static void write_program(const char *path, const char *content)
{
	g_assert_true(g_file_set_contents_full(path, content, -1, G_FILE_SET_CONTENTS_NONE, 0700,
					       NULL));
}

/* As in /proc/self/maps. */
static dev_t device_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	g_autofree char *start = g_strdup_printf("%lx-", (unsigned long)map), *text = NULL;
	unsigned int major, minor;

	g_assert_true(map != MAP_FAILED);
	g_assert_true(g_file_get_contents("/proc/self/maps", &text, NULL, NULL));
	g_assert_cmpint(sscanf(strstr(text, start), "%*s %*s %*s %x:%x", &major, &minor), ==, 2);
	munmap(map, PAGE);
	close(fd);
	return makedev(major, minor);
}

static void set_up(Replaced *replaced, gconstpointer data)
{
	struct stat st;

	replaced->dir = g_dir_make_tmp(NULL, NULL);
	replaced->path = g_build_filename(replaced->dir, "program", NULL);
	replaced->lookup = lookup_new(NULL);
	replaced->files = mapped_files_new(replaced->lookup);
	write_program(replaced->path, "first");
	replaced->device = device_of(replaced->path);
	g_assert_cmpint(stat(replaced->path, &st), ==, 0);
	replaced->own = st.st_dev;
}

static void tear_down(Replaced *replaced, gconstpointer data)
{
	mapped_files_free(replaced->files);
	lookup_free(replaced->lookup);
	g_unlink(replaced->path);
	g_rmdir(replaced->dir);
	g_free(replaced->path);
	g_free(replaced->dir);
}

/* The tracer's line about the file currently at the path. */
static void note_mapping(Replaced *replaced, guint id)
{
	g_autofree char *line = NULL;
	struct stat st;

	g_assert_cmpint(stat(replaced->path, &st), ==, 0);
	line = g_strdup_printf("%u %lu %ld %ld %u:%u %s\n", id, st.st_ino,
			       st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec, st.st_size,
			       major(replaced->device), minor(replaced->device), replaced->path);
	mapped_files_note_list(replaced->files, line);
}

/* The file currently at the path. */
static MappedFile mapped_file(const Replaced *replaced)
{
	struct stat st;

	g_assert_cmpint(stat(replaced->path, &st), ==, 0);
	return (MappedFile){ replaced->own, st.st_ino,
			     st.st_ctim.tv_sec * G_GINT64_CONSTANT(1000000000) + st.st_ctim.tv_nsec,
			     st.st_size };
}

static void note_file(Replaced *replaced, const MappedFile *file)
{
	mapped_files_note_process(replaced->files, file, replaced->path,
				  g_get_real_time() * 1000, 0);
}

static void note_process(Replaced *replaced)
{
	MappedFile file = mapped_file(replaced);

	note_file(replaced, &file);
}

/* Overwrites it, so that it keeps its inode number, but not its change time. */
static void overwrite(const Replaced *replaced, const char *content)
{
	struct stat before, st;

	g_assert_cmpint(stat(replaced->path, &before), ==, 0);
	do {
		int fd = open(replaced->path, O_WRONLY | O_TRUNC | O_CLOEXEC);

		g_assert_cmpint(write(fd, content, strlen(content)), ==, strlen(content));
		close(fd);
		g_assert_cmpint(stat(replaced->path, &st), ==, 0);
	} while (st.st_ctim.tv_sec == before.st_ctim.tv_sec &&
		 st.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

/* @size: the identity's, or 0 for no identity. */
static void assert_identity(const Replaced *replaced, gsize size)
{
	g_autofree char *text = mapped_files_identities(replaced->files);
	char *rest = text;

	if (!size) {
		g_assert_cmpstr(text, ==, "");
		return;
	}
	g_ascii_strtoull(text, &rest, 10);
	g_assert_cmpuint(g_ascii_strtoull(rest, NULL, 10), ==, size);
	g_assert_true(g_str_has_suffix(text, "/program\n"));
}

/* Which of the tracer's files are replaced, as in "10". */
static void assert_replaced(const Replaced *replaced, const char *expected)
{
	g_autofree char *text = mapped_files_list(replaced->files);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GString) found = g_string_new(NULL);

	for (guint i = 0; lines[i] && lines[i][0]; i++)
		g_string_append(found, g_str_has_suffix(lines[i], "/program (replaced)") ? "1" : "0");
	g_assert_cmpstr(found->str, ==, expected);
}

static void name_belongs_to_the_last_file(Replaced *replaced, gconstpointer data)
{
	note_mapping(replaced, 1);
	assert_identity(replaced, 0);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
	overwrite(replaced, "another");
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
	note_mapping(replaced, 2);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 7);
	assert_replaced(replaced, "10");
}

static void overwritten_file_has_no_identity(Replaced *replaced, gconstpointer data)
{
	note_mapping(replaced, 1);
	overwrite(replaced, "other");
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
	assert_replaced(replaced, "0");
}

static void name_stays_with_the_file_of_a_process(Replaced *replaced, gconstpointer data)
{
	g_usleep(50000);
	note_process(replaced);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
	overwrite(replaced, "another");
	note_mapping(replaced, 1);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
	assert_replaced(replaced, "1");
}

static void file_changed_since_the_mapping_has_no_identity(Replaced *replaced, gconstpointer data)
{
	note_process(replaced);
	overwrite(replaced, "other");
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
}

static void different_files_of_one_name_have_no_identity(Replaced *replaced, gconstpointer data)
{
	g_usleep(50000);
	note_process(replaced);
	mapped_files_identify(replaced->files, G_MAXINT64);
	overwrite(replaced, "another");
	note_process(replaced);
	assert_identity(replaced, 0);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
}

/* A user's own file system can give its files any inode number, size and time. */
static void file_of_another_device_has_no_identity(Replaced *replaced, gconstpointer data)
{
	dev_t device = replaced->device, own = replaced->own;
	g_autofree char *text = NULL;

	(void)data;
	g_usleep(50000);
	replaced->device = replaced->own = makedev(0, 4242);
	note_process(replaced);
	note_mapping(replaced, 1);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
	replaced->device = device;
	replaced->own = own;
	note_process(replaced);
	note_mapping(replaced, 2);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
	text = mapped_files_list(replaced->files);
	g_assert_cmpuint(g_ascii_strtoull(text + strlen("1 "), NULL, 10), !=,
			 g_ascii_strtoull(strchr(text, '\n') + strlen("\n2 "), NULL, 10));
}

/* As with a mount that comes and goes: it was looked up in vain, and then mapped again. */
static void file_that_comes_back_has_its_identity(Replaced *replaced, gconstpointer data)
{
	g_autofree char *away = g_strconcat(replaced->dir, "-away", NULL);

	(void)data;
	note_mapping(replaced, 1);
	g_assert_cmpint(g_rename(replaced->dir, away), ==, 0);
	for (guint i = 0; i < 4; i++)
		mapped_files_identify(replaced->files, G_MAXINT64);
	g_assert_cmpint(g_rename(away, replaced->dir), ==, 0);
	assert_identity(replaced, 0);
	note_mapping(replaced, 2);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
	assert_replaced(replaced, "00");
}

/* All subvolumes of btrfs have one device in the kernel's lists. */
static void file_of_another_subvolume_has_no_identity(Replaced *replaced, gconstpointer data)
{
	MappedFile file = mapped_file(replaced);

	(void)data;
	g_usleep(50000);
	file.device = makedev(0, 4242);
	note_file(replaced, &file);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
	note_process(replaced);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
}

/* It was changed between two readings, or its inode now belongs to another file. */
static void file_of_another_time_or_size_has_no_identity(Replaced *replaced, gconstpointer data)
{
	const MappedFile file = mapped_file(replaced);
	MappedFile other = file;

	g_usleep(50000);
	if (GPOINTER_TO_INT(data))
		other.ctime_ns--;
	else
		other.size++;
	note_file(replaced, &other);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
	note_file(replaced, &file);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
}

static void later_reading_of_another_time_has_no_identity(Replaced *replaced, gconstpointer data)
{
	const MappedFile file = mapped_file(replaced);
	MappedFile other = file;

	(void)data;
	g_usleep(50000);
	note_file(replaced, &file);
	mapped_files_identify(replaced->files, G_MAXINT64);
	note_file(replaced, &file);
	assert_identity(replaced, 5);
	other.ctime_ns--;
	note_file(replaced, &other);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
}

/* Where the kernel doesn't show which file it is. */
static void file_without_stat_is_known_by_its_disk(Replaced *replaced, gconstpointer data)
{
	MappedFile file = mapped_file(replaced);

	(void)data;
	g_usleep(50000);
	file.ctime_ns = 0;
	file.size = -1;
	file.device = replaced->device;
	note_file(replaced, &file);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, major(replaced->device) ? 5 : 0);
}

/* A disk has a major number. */
static void file_without_stat_has_no_identity_elsewhere(Replaced *replaced, gconstpointer data)
{
	MappedFile file = mapped_file(replaced);

	(void)data;
	g_usleep(50000);
	file.size = -1;
	file.device = makedev(0, minor(replaced->device));
	note_file(replaced, &file);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 0);
	note_mapping(replaced, 1);
	mapped_files_identify(replaced->files, G_MAXINT64);
	assert_identity(replaced, 5);
}

/* The answer of lookup_maps() for the mapping at @addr; FALSE: none. */
static gboolean find_mapping(const char *lines, const void *addr, MappedFile *file)
{
	g_autofree char *start = g_strdup_printf("\n%lx ", (unsigned long)addr);
	const char *line = strstr(lines, start);

	return line && sscanf(line, "%*x %*x %*x %lu %lu %ld %ld", &file->device, &file->inode,
			      &file->ctime_ns, &file->size) == 4;
}

/* Whatever is at its path. */
static void mapping_is_of_the_file_itself(Replaced *replaced, gconstpointer data)
{
	g_autofree char *pid = g_strdup_printf("%d", getpid());
	g_autoptr(GString) text = g_string_new("\n");
	MappedFile file, expected;
	LookupMaps maps;
	void *map;
	int fd;

	(void)data;
	expected = mapped_file(replaced);
	fd = open(replaced->path, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	g_assert_true(map != MAP_FAILED);
	g_assert_true(lookup_maps(replaced->lookup, pid, 0, &limits, text, &maps));
	g_assert_true(find_mapping(text->str, map, &file));
	if (file.size < 0) {
		g_assert_cmpint(geteuid(), !=, 0);
		g_test_skip("only root is shown which file is mapped");
	} else {
		g_assert_cmpmem(&file, sizeof(file), &expected, sizeof(expected));
		g_unlink(replaced->path);
		write_program(replaced->path, "another");
		g_string_assign(text, "\n");
		g_assert_true(lookup_maps(replaced->lookup, pid, 0, &limits, text, &maps));
		g_assert_true(find_mapping(text->str, map, &file));
		g_assert_cmpuint(file.inode, ==, expected.inode);
		g_assert_cmpint(file.size, ==, expected.size);
	}
	munmap(map, PAGE);
	close(fd);
}

#define DEEP_NAMES 200

/* CPU time, as other processes may keep the CPUs busy. */
static gint64 cpu_us(void)
{
	struct timespec used;

	g_assert_cmpint(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used), ==, 0);
	return used.tv_sec * G_USEC_PER_SEC + used.tv_nsec / 1000;
}

static gint64 time_to_identify(const Replaced *replaced, gint64 most_us)
{
	gint64 began_us = cpu_us();

	mapped_files_identify(replaced->files, most_us);
	return cpu_us() - began_us;
}

/* Expensive names that never resolve block neither the recorder nor other names. */
static void deep_names_take_no_time_of_others(Replaced *replaced, gconstpointer data)
{
	g_autoptr(GString) deep = g_string_new(replaced->dir);
	g_autofree char *known = NULL;
	gint64 all_us;

	(void)data;
	while (deep->len < 4000)
		g_string_append(deep, "/d");
	g_assert_cmpint(g_mkdir_with_parents(deep->str, 0700), ==, 0);
	for (guint i = 1; i <= DEEP_NAMES; i++) {
		const MappedFile file = { replaced->own, i, 1, 1 };

		mapped_files_note_process(replaced->files, &file, deep->str, 1, 0);
	}
	all_us = time_to_identify(replaced, G_MAXINT64);
	g_assert_cmpint(time_to_identify(replaced, all_us / 10), <, all_us / 2);
	g_usleep(50000);
	note_process(replaced);
	for (guint i = 0; i < DEEP_NAMES && (!known || !known[0]); i++) {
		mapped_files_identify(replaced->files, all_us / 10);
		g_free(known);
		known = mapped_files_identities(replaced->files);
	}
	assert_identity(replaced, 5);
	mapped_files_identify(replaced->files, G_MAXINT64);
	mapped_files_identify(replaced->files, G_MAXINT64);
	g_assert_cmpint(time_to_identify(replaced, G_MAXINT64), <, all_us / 10);
	while (deep->len > strlen(replaced->dir)) {
		g_rmdir(deep->str);
		g_string_truncate(deep, deep->len - 2);
	}
}

static gboolean is_on_device(int fd, const struct stat *st, dev_t device)
{
	DeviceMatch match = device_match(fd, st, device);

	return match == DEVICE_SAME ||
	       (match == DEVICE_IF_MAPPED && device_is_of_mapping(fd, device));
}

/* The file systems of this machine: stat() hides the real devices of btrfs and overlayfs. */
static void device_is_that_of_the_mapping(void)
{
	static const char *const dirs[] = { "/usr", "/tmp", "/dev/shm", "/var/tmp", "/run" };

	for (guint i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_autofree char *path = g_build_filename(dirs[i], "kmt-test-XXXXXX", NULL);
		int fd = mkostemp(path, O_CLOEXEC);
		dev_t device;
		struct stat st;

		if (fd < 0)
			continue;
		device = device_of(path);
		g_assert_cmpint(fstat(fd, &st), ==, 0);
		g_assert_true(is_on_device(fd, &st, device));
		g_assert_false(is_on_device(fd, &st, makedev(4000, 1)));
		g_assert_false(is_on_device(fd, &st, 0));
		close(fd);
		g_unlink(path);
	}
}

/* @count files that no other user has; returns how many of them get no name. */
static guint64 note_files_of(MappedFiles *files, guint32 uid, guint count)
{
	guint64 before = mapped_files_refused(files);
	MappedFile file = { .device = makedev(8, 1), .inode = 1, .size = 1 };

	for (guint i = 0; i < count; i++) {
		g_autofree char *path = g_strdup_printf("/home/%u/%u", uid, i);

		mapped_files_note_process(files, &file, path, 1, uid);
	}
	return mapped_files_refused(files) - before;
}

static void names_of_users_leave_room_to_others(void)
{
	const guint quarter = MAPPED_FILES_MAX / 4;
	MappedFiles *files = mapped_files_new(NULL);

	g_assert_cmpuint(note_files_of(files, 1000, quarter + 10), ==, 10);
	g_assert_cmpuint(note_files_of(files, 1000, quarter + 10), ==, 10);
	g_assert_cmpuint(note_files_of(files, 1001, quarter), ==, 0);
	g_assert_cmpuint(note_files_of(files, 1002, quarter), ==, 0);
	g_assert_cmpuint(note_files_of(files, 1003, 1), ==, 1);
	g_assert_cmpuint(note_files_of(files, 0, quarter + 1), ==, 1);
	mapped_files_free(files);
}

static void add_replaced_with(const char *name, void (*test)(Replaced *, gconstpointer), int data)
{
	g_autofree char *path = g_strconcat("/usermaps/", name, NULL);

	g_test_add(path, Replaced, GINT_TO_POINTER(data), set_up, test, tear_down);
}

static void add_replaced(const char *name, void (*test)(Replaced *, gconstpointer))
{
	add_replaced_with(name, test, 0);
}

/* A user has a quarter, all users have three, and root has the last one if they exceed theirs. */
static void users_have_shares_of_the_time(void)
{
	g_autoptr(Quota) quota = quota_new((QuotaAmounts){ 1000, 1000, 800 });
	const QuotaAmounts none = { 0 }, some = { 1, 1, 100 }, stall = { 1, 1, 500 };

	g_assert_cmpuint(quota_left(quota, 1000), ==, 200);
	for (guint i = 0; i < 2; i++) {
		g_assert_true(quota_fits(quota, 1000, some));
		quota_charge(quota, 1000, some);
	}
	g_assert_false(quota_fits(quota, 1000, some));
	g_assert_true(quota_fits(quota, 1001, none));
	quota_charge(quota, 1001, stall);
	g_assert_false(quota_fits(quota, 1001, none));
	g_assert_false(quota_fits(quota, 1002, none));
	g_assert_cmpuint(quota_left(quota, 1000), ==, 0);
	g_assert_cmpuint(quota_left(quota, 1002), ==, 0);
	g_assert_cmpuint(quota_left(quota, 0), ==, 200);
	for (guint i = 0; i < 2; i++) {
		g_assert_true(quota_fits(quota, 0, some));
		quota_charge(quota, 0, some);
	}
	g_assert_false(quota_fits(quota, 0, some));
}

#define ADD(test) g_test_add_func("/usermaps/" #test, test)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD(build_id_equals_that_of_libelf);
	ADD(build_id_of_32_bits_is_found);
	ADD(sparse_headers_cost_little_memory);
	ADD(text_of_mappings_is_limited);
	ADD(one_user_leaves_room_to_others);
	ADD(names_of_users_leave_room_to_others);
	ADD(process_that_ends_meanwhile_is_not_found);
	ADD(time_of_mappings_is_not_before_them);
	ADD(killed_child_is_replaced);
	ADD(process_that_is_slow_without_stalling_is_given_up);
	ADD(stalled_child_is_given_up);
	ADD(stalled_user_is_skipped_alone);
	ADD(stalled_processes_leave_a_child_to_files);
	ADD(later_processes_are_not_inspected);
	ADD(process_in_a_namespace_counts_for_its_creator);
	ADD(set_uid_root_program_counts_for_its_user);
	ADD(foreign_path_opens_regular_files_only);
	ADD(users_directory_is_not_waited_for);
	ADD(foreign_path_has_no_link_and_file_has_blocks);
	ADD(child_has_only_its_socket);
	ADD(time_for_processes_is_limited);
	ADD(users_have_shares_of_the_time);
	ADD(device_is_that_of_the_mapping);
	add_replaced("name_belongs_to_the_last_file", name_belongs_to_the_last_file);
	add_replaced("overwritten_file_has_no_identity", overwritten_file_has_no_identity);
	add_replaced("name_stays_with_the_file_of_a_process",
		     name_stays_with_the_file_of_a_process);
	add_replaced("file_changed_since_the_mapping_has_no_identity",
		     file_changed_since_the_mapping_has_no_identity);
	add_replaced("different_files_of_one_name_have_no_identity",
		     different_files_of_one_name_have_no_identity);
	add_replaced("deep_names_take_no_time_of_others", deep_names_take_no_time_of_others);
	add_replaced("file_of_another_device_has_no_identity",
		     file_of_another_device_has_no_identity);
	add_replaced("file_that_comes_back_has_its_identity",
		     file_that_comes_back_has_its_identity);
	add_replaced("file_of_another_subvolume_has_no_identity",
		     file_of_another_subvolume_has_no_identity);
	add_replaced_with("file_of_another_time_has_no_identity",
			  file_of_another_time_or_size_has_no_identity, TRUE);
	add_replaced_with("file_of_another_size_has_no_identity",
			  file_of_another_time_or_size_has_no_identity, FALSE);
	add_replaced("later_reading_of_another_time_has_no_identity",
		     later_reading_of_another_time_has_no_identity);
	add_replaced("file_without_stat_is_known_by_its_disk",
		     file_without_stat_is_known_by_its_disk);
	add_replaced("file_without_stat_has_no_identity_elsewhere",
		     file_without_stat_has_no_identity_elsewhere);
	add_replaced("mapping_is_of_the_file_itself", mapping_is_of_the_file_itself);
	return g_test_run();
}
