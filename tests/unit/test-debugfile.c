// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that a debug file makes the tool open: the tool opens them only in known folders, only if
 * they are regular, and only if they are of the same build. Also, truncation while a file is read.
 */
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/outfile.h"
#include "base/exit_cleanup.h"
#include "symbols/debugfile.h"

#define HANGS	300	/* seconds: open() of a FIFO blocks, and SIGALRM then kills the test */

static char *folder;	/* the current one */

static void run(const char *command)
{
	const char *argv[] = { "/bin/sh", "-c", command, NULL };
	int status;

	g_assert_true(g_spawn_sync(folder, (char **)argv, NULL, 0, NULL, NULL, NULL, NULL, &status,
				   NULL));
	if (status)
		g_error("%s: failed", command);
}

static void put(const char *name, const char *bytes, gsize len)
{
	FILE *out = fopen(name, "w");

	g_assert_nonnull(out);
	g_assert_cmpuint(fwrite(bytes, 1, len, out), ==, len);
	g_assert_cmpint(fclose(out), ==, 0);
}

/* "whole", its halves "stripped" and "debug", and the same files without a build id. */
static void compile(void)
{
	static const char source[] = "int outer(int x);\nint outer(int x)\n{\n\treturn x + 1;\n}\n";

	put("a.c", source, strlen(source));
	run("gcc -g -O1 -nostdlib -static -no-pie -Wl,-e,outer -Wl,--build-id=sha1 -o whole a.c && "
	    "gcc -g -O2 -nostdlib -static -no-pie -Wl,-e,outer -Wl,--build-id=sha1 -Wl,-Ttext=0x3000000 -o other a.c && "
	    "gcc -g -O1 -nostdlib -static -no-pie -Wl,-e,outer -Wl,--build-id=none -o bare a.c && "
	    "gcc -g -O1 -c -o module a.c && "
	    "for f in whole bare module; do "
	    "objcopy --strip-debug $f $f.stripped && objcopy --only-keep-debug $f $f.debug; done");
}

/* Opens the file and makes all queries for which libdw may need another file. */
static gboolean can_open(const char *name, GError **error)
{
	g_autoptr(DebugFile) file = NULL;
	const DebugSymbol *symbol;
	guint count;

	alarm(HANGS);
	file = debugfile_open(name, error);
	symbol = file ? debugfile_find(file, "outer", &count) : NULL;
	for (guint64 offset = 0; symbol && offset < 8; offset++) {
		GPtrArray *lines = debugfile_lines(file, symbol->addr + offset);

		if (lines)
			g_ptr_array_unref(lines);
	}
	alarm(0);
	return file != NULL;
}

static void expect_open(const char *name)
{
	GError *error = NULL;

	can_open(name, &error);
	g_assert_no_error(error);
}

static void expect_refused(const char *name, const char *why)
{
	g_autoptr(GError) error = NULL;

	g_assert_false(can_open(name, &error));
	if (!strstr(error->message, why))
		g_error("'%s' is not in '%s'", why, error->message);
}

#define STRIPPED	"has no debug information"

/* Makes "linked", a copy of @from with the section @section: the name @link and @tail. */
static void add_link(const char *from, const char *section, const char *link, gsize padded,
		     const char *tail, gsize tail_len)
{
	g_autofree char *bytes = g_malloc0(padded + tail_len);
	g_autofree char *command =
		g_strdup_printf("objcopy --add-section %s=link.bin %s linked", section, from);

	memcpy(bytes, link, strlen(link));
	memcpy(bytes + padded, tail, tail_len);
	put("link.bin", bytes, padded + tail_len);
	run(command);
}

static void add_debuglink(const char *from, const char *link)
{
	add_link(from, ".gnu_debuglink", link, (strlen(link) + 4) / 4 * 4, "\1\2\3\4", 4);
}

static void add_altlink(const char *from, const char *link)
{
	add_link(from, ".gnu_debugaltlink", link, strlen(link) + 1, "0123456789abcdefghij", 20);
}

/* ---- .gnu_debuglink ---- */

static void debuglink_is_found_in_known_folders(void)
{
	run("objcopy --add-gnu-debuglink=whole.debug whole.stripped linked");
	expect_open("linked");
	run("mkdir .debug && mv whole.debug .debug");
	expect_open("linked");
	run("ln -s ../linked .debug/symlink && mkdir sub && ln -s ../linked sub/linked");
	expect_open("sub/linked");	/* by the folder of the target */
	run("mv .debug/whole.debug linked.debug && objcopy --remove-section .gnu_debuglink linked");
	expect_open("linked");		/* without a link */
	run("mv linked.debug whole.debug && rm -r .debug sub");
	expect_refused("linked", STRIPPED);
}

static void debuglink_to_other_build_is_refused(void)
{
	run("cp whole.debug kept && objcopy --add-gnu-debuglink=whole.debug whole.stripped linked && "
	    "cp other whole.debug");
	expect_refused("linked", STRIPPED);
	run("mv kept whole.debug");
	expect_open("linked");
}

/* Without build ids the CRC decides. */
static void debuglink_with_other_crc_is_refused(void)
{
	run("objcopy --add-gnu-debuglink=bare.debug bare.stripped linked");
	expect_open("linked");
	run("cp bare.debug kept && printf x >>bare.debug");
	expect_refused("linked", STRIPPED);
	run("mv kept bare.debug");
}

/* Holes cost no disk space, but their CRC takes as long as that of data. */
static void debuglink_to_file_of_holes_is_refused(void)
{
	run("cp bare.debug kept && truncate -s +64M bare.debug && "
	    "objcopy --add-gnu-debuglink=bare.debug bare.stripped linked");
	expect_refused("linked", STRIPPED);
	run("mv kept bare.debug");
}

static void debuglink_to_file_itself_is_refused(void)
{
	run("cp whole.debug kept && mkdir .debug && mv whole.debug .debug/linked");
	add_debuglink("whole.stripped", "linked");
	expect_open("linked");
	run("rm -r .debug && mv kept whole.debug");
	expect_refused("linked", STRIPPED);
}

static void debuglink_out_of_folder_is_refused(void)
{
	g_autofree char *absolute = g_build_filename(folder, "out", "whole.debug", NULL);

	run("mkdir out && mv whole.debug out");
	add_debuglink("whole.stripped", "out/whole.debug");
	expect_refused("linked", STRIPPED);
	add_debuglink("whole.stripped", absolute);
	expect_refused("linked", STRIPPED);
	run("mv out/whole.debug . && rmdir out");
	expect_open("linked");
}

static void debuglink_to_fifo_is_refused(void)
{
	g_autofree char *absolute = g_build_filename(folder, "out", "fifo", NULL);
	const char *const links[] = { "fifo", "out/fifo", "../../../../../../../../dev/zero", absolute };

	run("mkdir out && mkfifo fifo out/fifo");
	for (guint i = 0; i < G_N_ELEMENTS(links); i++) {
		add_debuglink("whole.stripped", links[i]);
		expect_refused("linked", STRIPPED);
		add_debuglink("bare.stripped", links[i]);
		expect_refused("linked", STRIPPED);
		add_debuglink("module.stripped", links[i]);
		expect_refused("linked", STRIPPED);
	}
	run("rm -r fifo out");
}

/* libdwfl aborts the process by an assertion if the sections of the two differ. */
static void debuglink_of_module_is_refused(void)
{
	run("objcopy --add-gnu-debuglink=module.debug module.stripped linked");
	expect_refused("linked", STRIPPED);
	expect_open("module");
}

/* ---- other files ---- */

static void altlink_is_refused(void)
{
	g_autofree char *absolute = g_build_filename(folder, "fifo", NULL);
	const char *const links[] = { "fifo", "../fifo", absolute, "/dev/zero" };
	const char *const files[] = { "whole", "bare", "module" };

	run("mkfifo fifo");
	for (guint i = 0; i < G_N_ELEMENTS(links); i++) {
		for (guint j = 0; j < G_N_ELEMENTS(files); j++) {
			add_altlink(files[j], links[i]);
			expect_refused("linked", "in part in another file");
		}
	}
	run("rm fifo");
}

/* The other half of -gsplit-dwarf. */
static void split_unit_in_fifo_is_not_opened(void)
{
	static const char *const versions[] = { "4", "5" };

	for (guint i = 0; i < G_N_ELEMENTS(versions); i++) {
		g_autofree char *command = g_strdup_printf(
			"rm -f *.dwo split && gcc -gsplit-dwarf -gdwarf-%s -O1 -c -o split.o a.c && "
			"ld -e outer -o split split.o && rm *.dwo && mkfifo split.dwo a.dwo", versions[i]);

		run(command);
		expect_open("split");
		run("rm *.dwo");
	}
}

static void archive_and_gzip_are_refused(void)
{
	run("ar rc archive module && gzip -k whole");
	expect_refused("archive", "is not a readable ELF file");
	expect_refused("whole.gz", "is not a readable ELF file");
}

static void size_of_packed_sections_is_limited(void)
{
	static const char *const formats[] = { "zlib", "zlib-gnu" };

	run("head -c 64M /dev/zero >zeros");
	for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
		g_autofree char *command = g_strdup_printf(
			"objcopy --compress-debug-sections=%s whole packed && objcopy --add-section .debug_x=zeros "
			"whole bomb && objcopy --compress-debug-sections=%s bomb", formats[i], formats[i]);

		run(command);
		expect_open("packed");
		expect_refused("bomb", "packed sections");
		run("truncate -s 1G bomb"); /* holes are not stored */
		expect_refused("bomb", "packed sections");
		/* Nor through another file. */
		run("objcopy --only-keep-debug bomb whole.bomb && "
		    "objcopy --add-gnu-debuglink=whole.bomb whole.stripped linked");
		expect_refused("linked", "has no debug information");
	}
	run("rm zeros bomb packed whole.bomb");
}

/* The output of the child @pid, and its exit status. */
static char *wait_for(pid_t pid, int fd, int *status)
{
	char text[4096];
	gsize len = 0;
	ssize_t got;

	while ((got = read(fd, text + len, sizeof(text) - len - 1)) > 0)
		len += got;
	close(fd);
	g_assert_cmpint(waitpid(pid, status, 0), ==, pid);
	return g_strndup(text, len);
}

static char *in_child(void (*act)(const char *name), const char *name, int *status)
{
	pid_t pid;
	int fds[2];

	g_assert_cmpint(pipe(fds), ==, 0);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		exit_cleanup_watch();
		act(name);
		_exit(102);
	}
	close(fds[1]);
	return wait_for(pid, fds[0], status);
}

/* ---- files that are slow to search ---- */

/* Assembles "NAME": @abbrevs, and units of @dies at "outer". Abbreviation 1 is that of a unit. */
static void assemble(const char *name, const char *abbrevs, const char *dies, guint units)
{
	g_autofree char *text = g_strdup_printf(
		".text\n.globl outer\n.type outer, @function\nouter:\n.skip 64, 0x90\n.size outer, 64\n"
		".section .debug_abbrev, \"\", @progbits\n%s"
		".uleb128 1, 0x11\n.byte 1\n.uleb128 0x11, 1, 0x12, 7, 0, 0, 0\n"
		".section .debug_info, \"\", @progbits\n.rept %u\n.long 2f - 1f\n1: .short 4\n.long 0\n"
		".byte 8, 1\n.quad outer, 64\n%s.byte 0\n2:\n.endr\n", abbrevs, units, dies);
	g_autofree char *command = g_strdup_printf(
		"gcc -nostdlib -static -no-pie -Wl,-e,outer -o %s %s.s", name, name);
	g_autofree char *source = g_strconcat(name, ".s", NULL);

	put(source, text, strlen(text));
	run(command);
}

static void search(const char *name)
{
	guint64 before = memory_in_use();

	_exit(!can_open(name, NULL) || memory_in_use() - before > (256 << 20) ? 100 : 101);
}

/* Each entry has as many attributes as there are entries. Holes do not make the file longer. */
static void search_without_end_is_ended(void)
{
	g_autofree char *text = NULL;
	int status;

	assemble("attributes", ".uleb128 2, 0x2e\n.byte 0\n.rept 100000\n.uleb128 0x27, 0x19\n.endr\n.byte 0, 0\n",
		 ".rept 100000\n.byte 2\n.endr\n", 1);
#ifndef __SANITIZE_ADDRESS__ /* kills a program that requests as much memory, as libelf does */
	g_assert_cmpint(truncate("attributes", G_GINT64_CONSTANT(1) << 36), ==, 0);
#endif
	text = in_child(search, "attributes", &status);
	g_assert_cmpstr(text, ==, "kmemtrace-user: attributes: its debug information takes too long to search\n");
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, EXIT_FAILED);
}

/* For each unit, libdw reads all abbreviations before the unit's own. */
static void memory_of_a_search_is_limited(void)
{
	g_autofree char *text = NULL;
	int status;

	assemble("abbreviations", ".set i, 2\n.rept 4000\n.uleb128 i, 0x34\n.byte 0, 0, 0\n.set i, i + 1\n.endr\n",
		 "", 4000);
	text = in_child(search, "abbreviations", &status);
	g_assert_cmpstr(text, ==, "kmemtrace-user: abbreviations: its debug information takes too long to search: "
				  "some source lines are missing\n");
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 101);
}

#ifndef __SANITIZE_ADDRESS__ /* the sanitizer's own memory counts, so there is no limit */
#define ROWS	6000000

/* A unit at "outer" whose line table has ROWS rows, of a byte each. */
static void assemble_rows(const char *name)
{
	static const char text[] =
		".text\n.globl outer\nouter:\n.skip 64, 0x90\n"
		".section .debug_abbrev, \"\", @progbits\n"
		".uleb128 1, 0x11\n.byte 0\n.uleb128 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0, 0\n"
		".section .debug_info, \"\", @progbits\n.long 2f - 1f\n1: .short 4\n.long 0\n"
		".byte 8, 1\n.long 0\n.quad outer, 64\n2:\n"
		".section .debug_line, \"\", @progbits\n.long 6f - 3f\n3: .short 4\n.long 5f - 4f\n"
		"4: .byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n"
		".byte 0\n.asciz \"a.c\"\n.byte 0, 0, 0, 0\n"
		"5: .byte 0, 9, 2\n.quad outer\n.fill " G_STRINGIFY(ROWS) ", 1, 0x12\n"
		".byte 2, 64, 0, 1, 1\n6:\n";
	g_autofree char *source = g_strconcat(name, ".s", NULL);
	g_autofree char *command = g_strdup_printf(
		"gcc -nostdlib -static -no-pie -Wl,-e,outer -o %s %s", name, source);

	put(source, text, strlen(text));
	run(command);
}

/* Below the 630 MB of all rows: 32 times the length, twice 64 MiB, and the previous use. */
static void search_bounded(const char *name)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	g_assert_true(memory_bound("none", NULL));
	can_open(name, NULL);
	getrusage(RUSAGE_SELF, &after);
	_exit(after.ru_maxrss - before.ru_maxrss > ROWS / 1024 * 33 + (160 << 10) ? 100 : 101);
}

/* The table is read as a whole. */
static void memory_of_a_line_table_is_limited(void)
{
	g_autofree char *text = NULL;
	int status;

	assemble_rows("rows");
	text = in_child(search_bounded, "rows", &status);
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 101);
}
#endif

/* Each printed frame has one. */
static void names_of_functions_are_limited(void)
{
	g_autofree char *name = g_strnfill(2000, 'f');
	g_autofree char *source = g_strdup_printf("int %s(int x);\nint %s(int x) { return x + 1; }\n", name, name);
	g_autoptr(DebugFile) file = NULL;
	g_autoptr(GPtrArray) lines = NULL;
	const DebugSymbol *symbol;
	const DebugLine *line;
	guint count;

	put("long.c", source, strlen(source));
	run("gcc -g -O1 -c -o long long.c");
	file = debugfile_open("long", NULL);
	symbol = debugfile_find(file, name, &count);
	lines = debugfile_lines(file, symbol->addr);
	g_assert_cmpuint(lines->len, ==, 1);
	line = g_ptr_array_index(lines, 0);
	g_assert_cmpstr(line->file, ==, "long.c");
	g_assert_null(line->function);
}

/* ---- truncated files ---- */

/* In a child: with an unfinished output, truncates @name after opening it. */
static void read_truncated(const char *name)
{
	static const OutFileKind kind = { "test", NULL };
	g_autoptr(DebugFile) file = debugfile_open(name, NULL);
	char *beside = NULL;
	guint count;

	if (!file || outfile_begin("output", &kind, &beside, NULL) < 0 || truncate(name, 0))
		_exit(100);
	debugfile_find(file, "outer", &count);
	for (guint64 addr = 0; addr < 16; addr++)
		debugfile_lines(file, 0x401000 + addr);
	_exit(101);
}

static void truncated_file_ends_with_a_message(void)
{
	static const char *const files[] = { "linked", "copy", "halves" };

	run("objcopy --only-keep-debug whole linked && cp whole copy && "
	    "objcopy --add-gnu-debuglink=whole.debug whole.stripped halves");
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text = NULL;
		int status;

		text = in_child(read_truncated, files[i], &status);
		g_assert_cmpstr(text, ==, "kmemtrace-user: a file was truncated, or its disk failed, while it was read\n");
		g_assert_true(WIFEXITED(status));
		g_assert_cmpint(WEXITSTATUS(status), ==, EXIT_FAILED);
		run("set -- output*; test ! -e \"$1\"");
	}
}

static void raise_bus_error(const char *name)
{
	raise(SIGBUS);
}

static void execute(const char *command)
{
	execl("/bin/sh", "sh", "-c", command, NULL);
}

static void sigbus_without_file_kills(void)
{
	g_autofree char *text = NULL, *executed = NULL;
	int status;

	text = in_child(raise_bus_error, "", &status);
	g_assert_cmpstr(text, ==, "");
	g_assert_true(WIFSIGNALED(status));
	g_assert_cmpint(WTERMSIG(status), ==, SIGBUS);
	executed = in_child(execute, "kill -BUS $$", &status);
	g_assert_true(WIFSIGNALED(status));
	g_assert_cmpint(WTERMSIG(status), ==, SIGBUS);
}

int main(int argc, char **argv)
{
	int result;

	g_test_init(&argc, &argv, NULL);
	g_unsetenv("DEBUGINFOD_URLS");
	folder = g_dir_make_tmp("kmt-debugfile-XXXXXX", NULL);
	g_assert_nonnull(folder);
	g_assert_cmpint(chdir(folder), ==, 0);
#define ADD(test) g_test_add_func("/debugfile/" #test, test)
	ADD(debuglink_is_found_in_known_folders);
	ADD(debuglink_to_other_build_is_refused);
	ADD(debuglink_with_other_crc_is_refused);
	ADD(debuglink_to_file_of_holes_is_refused);
	ADD(debuglink_to_file_itself_is_refused);
	ADD(debuglink_out_of_folder_is_refused);
	ADD(debuglink_to_fifo_is_refused);
	ADD(debuglink_of_module_is_refused);
	ADD(altlink_is_refused);
	ADD(split_unit_in_fifo_is_not_opened);
	ADD(archive_and_gzip_are_refused);
	ADD(size_of_packed_sections_is_limited);
	ADD(search_without_end_is_ended);
	ADD(memory_of_a_search_is_limited);
#ifndef __SANITIZE_ADDRESS__
	ADD(memory_of_a_line_table_is_limited);
#endif
	ADD(names_of_functions_are_limited);
	ADD(truncated_file_ends_with_a_message);
	ADD(sigbus_without_file_kills);
	compile();
	result = g_test_run();
	g_assert_cmpint(chdir("/"), ==, 0);
	run("rm -rf \"$PWD\"");
	g_free(folder);
	return result;
}
