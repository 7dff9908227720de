// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines by debug files. The files are compiled here from a source with known lines: a linked
 * kernel, and an unlinked module. Both are "loaded" at other addresses than they were built for.
 */
#include <arpa/inet.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buildid.h"
#include "store/store.h"
#include "symbols/debuginfod.h"
#include "symbols/lines.h"
#include "store-check.h"
#include "trace-check.h"

#define RELEASE	"6.1.0-test"
#define SLIDE	G_GUINT64_CONSTANT(0xffffffff20000000)
#define MODULE	G_GUINT64_CONSTANT(0xffffffffc0100000)
#define INIT	G_GUINT64_CONSTANT(0xffffffffc0900000)

/* at_inner labels an instruction of inner(), which is inlined twice. */
static const char source[] =
	"__asm__(\".globl _stext\\n_stext: nop\");\n"
	"#define INLINE static inline __attribute__((always_inline))\n"
	"INLINE int inner(int x)\n"
	"{\n"
	"	__asm__ volatile(\".globl at_inner\\nat_inner: nop\" : \"+r\"(x)); return x;\n"	/* 5 */
	"}\n"
	"INLINE int middle(int x)\n"
	"{\n"
	"	return inner(x) + 1;\n"	/* 9 */
	"}\n"
	"int outer(int x);\n"
	"int outer(int x)\n"
	"{\n"
	"	return middle(x) * 3;\n"	/* 14 */
	"}\n"
	"__attribute__((section(\".init.text\"))) int early(int x);\n"
	"__attribute__((section(\".init.text\"))) int early(int x)\n"
	"{\n"
	"	__asm__ volatile(\".globl at_early\\nat_early: nop\" : \"+r\"(x)); return x * 7;\n"	/* 19 */
	"}\n"
	"int main(void);\n"
	"int main(void)\n"
	"{\n"
	"	return 0;\n"
	"}\n";

/* Two functions with the same name, each in its own file. */
static const char twin[] =
	"static __attribute__((noinline)) int twin(int x)\n"
	"{\n"
	"	__asm__ volatile(\".globl at_\" NAME \"\\nat_\" NAME \": nop\" : \"+r\"(x)); return x;\n"
	"}\n"
	"__attribute__((section(\".text.\" NAME))) int FUNCTION(int x);\n"
	"__attribute__((section(\".text.\" NAME))) int FUNCTION(int x)\n"
	"{\n"
	"	return twin(x) + 1;\n"
	"}\n";

/* ---- files ---- */

typedef struct {
	char *folder;
	char *kernel;	/* below the folder, as Debian has it */
	char *module;
} Files;

static void run(const char *folder, const char *command)
{
	g_autofree char *line = g_strdup_printf("cd '%s' && %s", folder, command);
	const char *argv[] = { "/bin/sh", "-c", line, NULL };
	int status;

	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, NULL, NULL, &status,
				   NULL));
	if (status)
		g_error("%s: failed", command);
}

/* GLib's function waits for the disk. */
static void write_bytes(const char *path, const char *bytes, gsize len)
{
	FILE *out = fopen(path, "w");

	g_assert_nonnull(out);
	g_assert_cmpuint(fwrite(bytes, 1, len, out), ==, len);
	g_assert_cmpint(fclose(out), ==, 0);
}

static void put(const char *folder, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	write_bytes(path, text, strlen(text));
}

#define KERNEL_PATH	"usr/lib/debug/boot/vmlinux-" RELEASE
#define MODULE_PATH	"usr/lib/debug/lib/modules/" RELEASE "/kernel/fs/known-module.ko"

static char *compiled;	/* the folder */

static Files *files_new(void)
{
	Files *files = g_new0(Files, 1);
	g_autofree char *command = g_strdup_printf("cp -a '%s/.' .", compiled);

	files->folder = g_dir_make_tmp("kmt-lines-XXXXXX", NULL);
	files->kernel = g_build_filename(files->folder, KERNEL_PATH, NULL);
	files->module = g_build_filename(files->folder, MODULE_PATH, NULL);
	run(files->folder, command);
	return files;
}

/* Once for all tests, each of which gets a copy. */
static void compile(void)
{
	compiled = g_dir_make_tmp("kmt-lines-XXXXXX", NULL);
	put(compiled, "lines.c", source);
	put(compiled, "twin.c", twin);
	run(compiled,
	    "mkdir -p usr/lib/debug/boot usr/lib/debug/lib/modules/" RELEASE "/kernel/fs && "
	    "flags='-g -O2 -ffreestanding -fno-pie -fno-stack-protector -fcf-protection=none' && "
	    "link='-nostdlib -static -no-pie -Wl,-e,outer -Wl,--build-id=sha1' && "
	    "gcc $flags $link -Wl,-Ttext=0x1000000 -o " KERNEL_PATH " lines.c && "
	    "gcc $flags $link -Wl,-Ttext=0x3000000 -O1 -o other lines.c && "
	    "gcc $flags -c -o module.o lines.c && "
	    "gcc $flags -c -DNAME='\"one\"' -DFUNCTION=one -o one.o twin.c && "
	    "gcc $flags -c -DNAME='\"two\"' -DFUNCTION=two -o two.o twin.c && "
	    "ld -r --build-id=sha1 -o " MODULE_PATH " module.o one.o two.o && "
	    "objcopy --strip-debug " KERNEL_PATH " stripped");
}

static void files_free(Files *files)
{
	g_autofree char *command = g_strdup_printf("rm -rf '%s'", files->folder);

	run("/", command);
	g_free(files->folder);
	g_free(files->kernel);
	g_free(files->module);
	g_free(files);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Files, files_free)

static char *file_of(const Files *files, const char *name)
{
	return g_build_filename(files->folder, name, NULL);
}

static char *id_of(const char *path)
{
	g_autoptr(DebugFile) file = debugfile_open(path, NULL);

	g_assert_nonnull(file);
	return g_strdup(debugfile_build_id(file));
}

/* The highest address of @name up to @limit, by nm, which is independent of our reader. */
static guint64 address_below(const char *path, const char *name, guint64 limit)
{
	const char *argv[] = { "nm", path, NULL };
	g_autofree char *output = NULL, *ending = g_strconcat(" ", name, NULL);
	g_auto(GStrv) lines = NULL;
	gboolean found = FALSE;
	guint64 best = 0;
	int status;

	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
				   &output, NULL, &status, NULL));
	lines = g_strsplit(output, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		guint64 addr = g_ascii_strtoull(lines[i], NULL, 16);

		if (g_str_has_suffix(lines[i], ending) && addr <= limit && addr >= best) {
			best = addr;
			found = TRUE;
		}
	}
	if (!found)
		g_error("%s has no %s", path, name);
	return best;
}

static guint64 address_in(const char *path, const char *name)
{
	return address_below(path, name, G_MAXUINT64);
}

static Lines *lines_of(const Files *files, const char *vmlinux, const char *symfs, const char *ids)
{
	DebugPlaces places = { .vmlinux = vmlinux, .symfs = symfs };
	BuildIds *known = buildids_new();

	g_assert_cmpuint(buildids_add_text(known, ids ? ids : ""), ==, 0);
	return lines_new(&places, RELEASE, address_in(files->kernel, "_stext") + SLIDE, known);
}

static void expect_error(GError *error, const char *part)
{
	g_assert_nonnull(error);
	if (!strstr(error->message, part))
		g_error("'%s' is not in '%s'", part, error->message);
	g_error_free(error);
}

/* The lines of the call before @addr, in the function @name. */
static char *ask(Lines *lines, const char *module, const char *name, guint64 start, guint64 addr)
{
	Symbol symbol = { .name = name, .module = module, .start = start, .offset = addr - start };

	return lines_describe(lines_find(lines, &symbol, addr), name);
}

#define OUTER	"inner (lines.c:5, inlined) < middle (lines.c:9, inlined) < outer (lines.c:14)"

/* The call at at_inner: a nop, so it would return to the next byte. */
static char *ask_outer(const Files *files, Lines *lines)
{
	return ask(lines, NULL, "outer", address_in(files->kernel, "outer") + SLIDE,
		   address_in(files->kernel, "at_inner") + 1 + SLIDE);
}

/* ---- files found ---- */

static void lines_have_inlined_functions(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *id = id_of(files->kernel), *ids = g_strdup_printf("vmlinux %s\n", id);
	g_autoptr(Lines) lines = lines_of(files, NULL, files->folder, ids);
	g_autofree char *text = ask_outer(files, lines);
	guint64 early = address_in(files->kernel, "early") + SLIDE;
	g_autofree char *other = ask(lines, NULL, "early", early,
				     address_in(files->kernel, "at_early") + 1 + SLIDE);

	g_assert_cmpstr(text, ==, OUTER);
	g_assert_cmpstr(other, ==, "early (lines.c:19)");
}

static void lines_come_from_vmlinux_option(void)
{
	g_autoptr(Files) files = files_new();
	g_autoptr(Lines) lines = lines_of(files, files->kernel, NULL, NULL);
	g_autofree char *text = NULL, *innermost = NULL;
	GError *error = NULL;
	Symbol symbol = { .name = "outer", .start = address_in(files->kernel, "outer") + SLIDE };

	g_assert_true(lines_check(lines, &error));
	g_assert_true(lines_verify(lines, &symbol, &error));
	g_assert_no_error(error);
	text = ask_outer(files, lines);
	g_assert_cmpstr(text, ==, OUTER);
	innermost = lines_innermost(
		lines_find(lines, &symbol, address_in(files->kernel, "at_inner") + 1 + SLIDE));
	g_assert_cmpstr(innermost, ==, "lines.c:5");
}

/* Sections of a module are loaded separately, and "-" in a file name is "_" in the module's. */
static void module_sections_have_own_addresses(void)
{
	g_autoptr(Files) files = files_new();
	g_autoptr(Lines) lines = lines_of(files, NULL, files->folder, NULL);
	guint64 outer = address_in(files->module, "outer"), early = address_in(files->module, "early");
	g_autofree char *text = ask(lines, "known_module", "outer", MODULE + outer,
				    MODULE + address_in(files->module, "at_inner") + 1);
	g_autofree char *init = ask(lines, "known_module", "early", INIT + early,
				    INIT + address_in(files->module, "at_early") + 1);
	g_autofree char *missing = ask(lines, "unknown_module", "early", INIT, INIT + 5);

	g_assert_cmpstr(text, ==, OUTER);
	g_assert_cmpstr(init, ==, "early (lines.c:19)");
	g_assert_cmpstr(missing, ==, "early");
}

/* Lines of a module that is reloaded at another address; @ids are those of the trace. */
static char *ask_again(const Files *files, const char *ids)
{
	g_autoptr(Lines) lines = lines_of(files, NULL, files->folder, ids);
	guint64 outer = address_in(files->module, "outer");
	guint64 at_inner = address_in(files->module, "at_inner");
	g_autofree char *first =
		ask(lines, "known_module", "outer", MODULE + outer, MODULE + at_inner + 1);

	g_assert_cmpstr(first, ==, OUTER);
	return ask(lines, "known_module", "outer", 2 * MODULE + outer, 2 * MODULE + at_inner + 1);
}

static void reloaded_module_keeps_lines_if_same_build(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *id = id_of(files->module);
	g_autofree char *one = g_strdup_printf("known_module %s\n", id);
	g_autofree char *two = g_strdup_printf("known_module abcd\n%s", one);
	g_autofree char *again = ask_again(files, one), *other = ask_again(files, two);

	g_assert_cmpstr(again, ==, OUTER);
	g_assert_cmpstr(other, ==, "outer");	/* it may belong to the other build */
}

static char *ask_twin(const Files *files, Lines *lines, const char *label)
{
	guint64 at = address_in(files->module, label);

	return ask(lines, "known_module", "twin", MODULE + address_below(files->module, "twin", at),
		   MODULE + at + 1);
}

/* Two functions with the same name are ambiguous until the address of their section is known. */
static void functions_of_one_name_differ_by_section(void)
{
	g_autoptr(Files) files = files_new();
	g_autoptr(Lines) lines = lines_of(files, NULL, files->folder, NULL);
	g_autofree char *before = ask_twin(files, lines, "at_one");
	g_autofree char *outer = ask(lines, "known_module", "outer",
				     MODULE + address_in(files->module, "outer"),
				     MODULE + address_in(files->module, "at_inner") + 1);
	g_autofree char *after = ask_twin(files, lines, "at_two");

	g_assert_cmpstr(before, ==, "twin");
	g_assert_cmpstr(outer, ==, OUTER);
	g_assert_cmpstr(after, ==, "twin (twin.c:3)");
}

static void debug_file_is_opened_once_when_needed(void)
{
	g_autoptr(Files) files = files_new();
	g_autoptr(Lines) lines = lines_of(files, NULL, files->folder, NULL);
	g_autofree char *text = NULL, *moved = file_of(files, "moved"), *module = NULL, *later = NULL;
	guint64 early, at;

	/* Not opened before it is needed. */
	g_assert_cmpint(g_rename(files->module, moved), ==, 0);
	text = ask_outer(files, lines);
	g_assert_cmpstr(text, ==, OUTER);
	g_assert_cmpint(g_rename(moved, files->module), ==, 0);
	module = ask(lines, "known_module", "outer", MODULE + address_in(files->module, "outer"),
		     MODULE + address_in(files->module, "at_inner") + 1);
	g_assert_cmpstr(module, ==, OUTER);
	/* And then only once. */
	early = address_in(files->kernel, "early") + SLIDE;
	at = address_in(files->kernel, "at_early") + 1 + SLIDE;
	g_assert_cmpint(g_unlink(files->kernel), ==, 0);
	later = ask(lines, NULL, "early", early, at);
	g_assert_cmpstr(later, ==, "early (lines.c:19)");
}

static void debug_file_is_found_by_build_id(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *id = id_of(files->kernel), *ids = g_strdup_printf("vmlinux %s\n", id);
	g_autofree char *command = g_strdup_printf(
		"mkdir -p usr/lib/debug/.build-id/%.2s && mv " KERNEL_PATH
		" usr/lib/debug/.build-id/%.2s/%s.debug",
		id, id, id + 2);
	g_autofree char *text = NULL;
	g_autoptr(Lines) lines = lines_of(files, NULL, files->folder, ids);
	guint64 outer = address_in(files->kernel, "outer"), at = address_in(files->kernel, "at_inner");

	run(files->folder, command);
	text = ask(lines, NULL, "outer", outer + SLIDE, at + 1 + SLIDE);
	g_assert_cmpstr(text, ==, OUTER);
}

/* A folder stands in for the server: libdebuginfod accepts file://, too. */
static void debug_file_comes_from_debuginfod(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *id = id_of(files->kernel), *ids = g_strdup_printf("vmlinux %s\n", id);
	g_autofree char *command = g_strdup_printf(
		"mkdir -p cache server/buildid/%s empty && mv " KERNEL_PATH " server/buildid/%s/debuginfo",
		id, id);
	g_autofree char *url = g_strdup_printf("file://%s/server", files->folder);
	g_autofree char *cache = file_of(files, "cache"), *empty = file_of(files, "empty");
	g_autoptr(Lines) lines = lines_of(files, NULL, empty, ids);
	g_autofree char *text = NULL;
	guint64 outer = address_in(files->kernel, "outer"), at = address_in(files->kernel, "at_inner");

	run(files->folder, command);
	g_setenv("DEBUGINFOD_CACHE_PATH", cache, TRUE);
	g_setenv("DEBUGINFOD_URLS", url, TRUE);
	if (geteuid() == 0) { /* root doesn't use another user's servers and folders */
		g_setenv("SUDO_UID", "65534", TRUE);
		g_assert_null(debuginfod_download(id));
		g_unsetenv("SUDO_UID");
	}
	text = ask(lines, NULL, "outer", outer + SLIDE, at + 1 + SLIDE);
	g_unsetenv("DEBUGINFOD_URLS");
	g_assert_cmpstr(text, ==, OUTER);
}

/* The number of connections waiting at @server. */
static guint count_waiting(int server)
{
	guint count = 0;

	for (int fd; (fd = accept4(server, NULL, NULL, SOCK_NONBLOCK)) >= 0; count++)
		close(fd);
	return count;
}

/* A server that accepts connections and never answers, and an empty folder for downloads. */
typedef struct {
	int server;
	char *cache;
} Stall;

static Stall stall_begin(const char *timeout_s)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);
	Stall stall = {
		socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0),
		g_dir_make_tmp("kmt-debuginfod-XXXXXX", NULL),
	};
	g_autofree char *url = NULL;

	g_assert_cmpint(bind(stall.server, (struct sockaddr *)&addr, len), ==, 0);
	g_assert_cmpint(listen(stall.server, 16), ==, 0);
	g_assert_cmpint(getsockname(stall.server, (struct sockaddr *)&addr, &len), ==, 0);
	url = g_strdup_printf("http://127.0.0.1:%u", ntohs(addr.sin_port));
	g_setenv("DEBUGINFOD_CACHE_PATH", stall.cache, TRUE);
	g_setenv("DEBUGINFOD_TIMEOUT", timeout_s, TRUE);
	g_setenv("DEBUGINFOD_URLS", url, TRUE);
	return stall;
}

static void stall_end(Stall *stall)
{
	g_autofree char *command = g_strdup_printf("rm -r %s", stall->cache);

	close(stall->server);
	run("/", command);
	g_free(stall->cache);
}

/* In a process of its own. */
static void ask_server_that_stalls(void)
{
	Stall stall = stall_begin("1");

	g_assert_null(debuginfod_download("00112233445566778899aabbccddeeff00112233"));
	g_assert_cmpuint(count_waiting(stall.server), >, 0);
	g_assert_null(debuginfod_download("ffeeddccbbaa99887766554433221100ffeeddcc"));
	g_assert_cmpuint(count_waiting(stall.server), ==, 0);
	stall_end(&stall);
}

/* By SIGTERM. The library may leave an empty file as the mark for a file that no server has. */
static void interrupted_debuginfod_leaves_no_file(void)
{
	static const char id[] = "00112233445566778899aabbccddeeff00112233";
	Stall stall = stall_begin("60");
	g_autofree char *folder = g_build_filename(stall.cache, id, NULL);
	struct pollfd asked = { .fd = stall.server, .events = POLLIN };
	g_autoptr(GDir) left = NULL;
	pid_t pid = fork();
	int status;

	if (!pid) {
		debuginfod_download(id);
		_exit(0);
	}
	g_assert_cmpint(poll(&asked, 1, -1), ==, 1);
	g_assert_cmpint(kill(pid, SIGTERM), ==, 0);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	left = g_dir_open(folder, 0, NULL);
	for (const char *name; left && (name = g_dir_read_name(left));)
		g_assert_cmpstr(name, ==, "debuginfo");
	g_unsetenv("DEBUGINFOD_URLS");
	stall_end(&stall);
}

static void stalled_debuginfod_is_given_up(void)
{
	if (g_test_subprocess()) {
		ask_server_that_stalls();
		return;
	}
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr("*: debuginfod: no data for 1 s (DEBUGINFOD_TIMEOUT): no more debug files*");
}

#define HAS_NOTHING "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

typedef struct {
	int server;
	guint requests;
	rlim_t file_bytes; /* limit on files of this process during a request */
} Late;

/*
 * A thread that answers until the server is shut down. Two requests of more than half a second each
 * take more than one second.
 */
static gpointer answer_late(gpointer data)
{
	Late *late = data;
	struct pollfd asked = { .fd = late->server, .events = POLLIN };
	struct rlimit limit;
	char request[4096];

	while (poll(&asked, 1, -1) == 1) {
		int fd = accept4(late->server, NULL, NULL, 0);

		if (fd < 0)
			break;
		late->requests++;
		getrlimit(RLIMIT_FSIZE, &limit);
		late->file_bytes = limit.rlim_cur;
		if (read(fd, request, sizeof(request)) > 0)
			g_usleep(600000);
		/* If the request was given up meanwhile, nobody reads the answer. */
		send(fd, HAS_NOTHING, strlen(HAS_NOTHING), MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

/* In a process of its own. */
static void ask_server_that_has_nothing(void)
{
	Stall stall = stall_begin("1");
	Late late = { stall.server, 0, 0 };
	struct rlimit before, after;
	GThread *thread;

	getrlimit(RLIMIT_FSIZE, &before);
	thread = g_thread_new("late", answer_late, &late);
	for (guint i = 0; i < 8; i++) {
		g_autofree char *id = g_strdup_printf("00112233445566778899aabbccddeeff0011223%u", i);

		g_assert_null(debuginfod_download(id));
	}
	shutdown(stall.server, SHUT_RDWR);
	g_thread_join(thread);
	g_assert_cmpuint(late.requests, >, 0);
	g_assert_cmpuint(late.requests, <=, 2);
	g_assert_cmpuint(late.file_bytes, <=, G_GUINT64_CONSTANT(8) << 30);
	getrlimit(RLIMIT_FSIZE, &after);
	g_assert_cmpuint(after.rlim_cur, ==, before.rlim_cur);
	stall_end(&stall);
}

/* A trace may have any number of build ids. */
static void debuginfod_without_files_is_given_up(void)
{
	if (g_test_subprocess()) {
		ask_server_that_has_nothing();
		return;
	}
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr("*: debuginfod: no data for 1 s (DEBUGINFOD_TIMEOUT): no more debug files*");
}

/* ---- files refused ---- */

/* @ending: the end of the message, for a kernel that no machine has. */
static void expect_missing(const char *release, const char *ending)
{
	const DebugPlaces places = { NULL, NULL };
	Lines *lines = lines_new(&places, release, 0, buildids_new());
	g_autoptr(GError) error = NULL;

	g_assert_false(lines_check(lines, &error));
	g_assert_nonnull(error);
	if (!g_str_has_suffix(error->message, ending))
		g_error("'%s' doesn't end with '%s'", error->message, ending);
	lines_free(lines);
}

static void error_for_missing_file_names_the_options(void)
{
#define WAYS	": use --vmlinux FILE or --symfs DIR"
	expect_missing("0.0.1-56-amd64", WAYS "; Debian's package is linux-image-0.0.1-56-amd64-dbg");
	expect_missing("0.0.1+bpo-rt-arm64",
		       WAYS "; Debian's package is linux-image-0.0.1+bpo-rt-arm64-dbg");
	expect_missing("0.0.1-generic", WAYS);
	g_setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", TRUE);
	expect_missing("0.0.1-generic", WAYS "; DEBUGINFOD_URLS is set, but it returned nothing");
	g_unsetenv("DEBUGINFOD_URLS");
}

static void file_with_other_build_id_is_rejected(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *other = file_of(files, "other"), *text = NULL;
	const char *ids = "vmlinux 00112233445566778899aabbccddeeff00112233\n";
	g_autoptr(Lines) named = lines_of(files, other, NULL, ids);
	g_autoptr(Lines) searched = lines_of(files, NULL, files->folder, ids);
	GError *error = NULL;

	g_assert_false(lines_check(named, &error));
	g_assert_true(strstr(error->message, other) != NULL);
	expect_error(error, "of another build than the kernel that was traced: its build id is ");
	text = ask_outer(files, searched);
	g_assert_cmpstr(text, ==, "outer");
}

/* Without a build id, the addresses of functions decide. */
static void file_with_other_addresses_is_rejected(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *other = file_of(files, "other");
	g_autoptr(Lines) lines = lines_of(files, other, NULL, NULL);
	guint64 moved = address_in(files->kernel, "early") + SLIDE + 0x40;
	Symbol symbol = { .name = "early", .start = moved };
	g_autofree char *text = NULL;
	GError *error = NULL;

	g_assert_true(lines_check(lines, &error));
	g_assert_false(lines_verify(lines, &symbol, &error));
	g_assert_true(strstr(error->message, other) != NULL);
	expect_error(error, "early is at 0x");
	text = ask_outer(files, lines);
	g_assert_cmpstr(text, ==, "outer");
}

static void check_refused_file(const Files *files, const char *path, const char *why)
{
	g_autoptr(Lines) lines = lines_of(files, path, NULL, NULL);
	GError *error = NULL;

	g_assert_false(lines_check(lines, &error));
	g_assert_true(g_str_has_prefix(error->message, path));
	expect_error(error, why);
}

static void file_without_debug_info_is_rejected(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *stripped = file_of(files, "stripped"), *missing = file_of(files, "missing");
	g_autofree char *text = file_of(files, "lines.c"), *empty = file_of(files, "empty");
	g_autofree char *fifo = file_of(files, "fifo");

	put(files->folder, "empty", "");
	run(files->folder, "mkfifo fifo");
	check_refused_file(files, stripped, "has no debug information");
	check_refused_file(files, missing, "No such file");
	check_refused_file(files, text, "is not a readable ELF file");
	check_refused_file(files, empty, "is not a readable ELF file");
	check_refused_file(files, fifo, "not a regular file");
	check_refused_file(files, files->folder, "not a regular file");
}

static void search_stays_below_symfs(void)
{
	g_autoptr(Files) files = files_new();
	static const char *const releases[] = { "../boot", "..", "", "a/../" RELEASE, NULL };
	g_autofree char *boot = file_of(files, "usr/lib/debug/boot"), *missing = file_of(files, "none");
	GError *error = NULL;

	for (guint i = 0; releases[i]; i++) {
		DebugPlaces places = { .symfs = boot };
		DebugIndex *index = debugindex_new(&places, releases[i]);
		g_autoptr(GPtrArray) kernels = debugindex_files(index, NULL, NULL);
		g_autoptr(GPtrArray) modules = debugindex_files(index, "../known_module", NULL);

		g_assert_cmpuint(kernels->len, ==, 0);
		g_assert_cmpuint(modules->len, ==, 0);
		debugindex_free(index);
	}
	{
		g_autoptr(Lines) lines = lines_of(files, NULL, missing, NULL);

		g_assert_false(lines_check(lines, &error));
		expect_error(error, "is not a directory");
	}
}

static guint32 next_random(guint32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Reads everything that the tool reads from a file. */
static void ask_everything(const char *path)
{
	g_autoptr(DebugFile) file = debugfile_open(path, NULL);
	const DebugSymbol *symbol;
	guint count;

	if (!file)
		return;
	symbol = debugfile_find(file, "outer", &count);
	for (guint64 offset = 0; symbol && offset < 24; offset++) {
		GPtrArray *found = debugfile_lines(file, symbol->addr + offset);

		if (found) {
			g_free(lines_describe(found, "outer"));
			g_ptr_array_unref(found);
		}
	}
}

#define DAMAGED	600	/* number of files; DAMAGED in the environment overrides it */

/* Changes a few bytes of each, or truncates it. */
static void damaged_debug_file_is_survived(void)
{
	g_autoptr(Files) files = files_new();
	const char *const paths[] = { files->kernel, files->module };
	g_autofree char *damaged = file_of(files, "damaged");
	guint32 state = 20061;
	const char *more = g_getenv("DAMAGED");
	guint count = more ? (guint)g_ascii_strtoull(more, NULL, 10) : DAMAGED;

	for (guint i = 0; i < count; i++) {
		g_autofree char *bytes = NULL;
		gsize len;

		g_assert_true(g_file_get_contents(paths[i % 2], &bytes, &len, NULL));
		for (guint j = 0; j < 1 + i % 12; j++)
			bytes[next_random(&state) % len] = (char)next_random(&state);
		if (i % 7 == 0)
			len = next_random(&state) % len;
		write_bytes(damaged, bytes, len);
		ask_everything(damaged);
	}
}

/* ---- in a database ---- */

/* A trace of one allocation, in outer(), called by early(). */
static void build_trace(const Files *files, const struct check_file *trace, const char *ids)
{
	guint64 outer = address_in(files->kernel, "outer") + SLIDE;
	guint64 early = address_in(files->kernel, "early") + SLIDE;
	guint64 addrs[] = { address_in(files->kernel, "at_inner") + 1 + SLIDE,
			    address_in(files->kernel, "at_early") + 1 + SLIDE };
	g_autofree char *kallsyms = g_strdup_printf(
		"%" G_GINT64_MODIFIER "x T _stext\n%" G_GINT64_MODIFIER "x T outer\n%"
		G_GINT64_MODIFIER "x t early\n",
		address_in(files->kernel, "_stext") + SLIDE, outer, early);
	struct builder *b = builder_new(trace->path);
	uint32_t stack = builder_stack(b, addrs, 2);

	builder_event(b, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_KMALLOC, .time_ns = 100, .tid = 1,
		.addr = 0xffff888000001000,
		.call_site = addrs[0], .bytes_req = 100, .bytes_alloc = 128, .stack_id = stack });
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "release=" RELEASE "\n");
	builder_snapshot(b, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(b, "build_ids", KMEMTRACE_PHASE_START, ids);
	builder_finish(b);
}

static void query_functions_give_lines(void)
{
	g_autoptr(Files) files = files_new();
	g_autofree char *id = id_of(files->kernel), *ids = g_strdup_printf("vmlinux %s\n", id);
	g_auto(check_file) trace = check_file_make();
	g_autofree char *db_path = file_of(files, "t.db");
	DebugPlaces places = { .symfs = files->folder };
	g_autoptr(StoreDb) db = NULL;
	StoreLoadResult result;
	GError *error = NULL;
	guint64 at;

	build_trace(files, &trace, ids);
	g_assert_true(store_load(trace.path, db_path, NULL, NULL, &result, &error));
	db = store_open(db_path, &error);
	g_assert_no_error(error);
	check_sql(db, "SELECT value FROM meta WHERE key = 'build_id.vmlinux'", id);
	g_assert_true(store_open_lines(db, &places, FALSE, &error));
	check_sql(db, "SELECT line(addr) FROM stack_frames WHERE level = 0", "lines.c:5");
	check_sql(db, "SELECT line(addr) FROM frame WHERE function = 'early'", "lines.c:19");
	check_sql(db, "SELECT line(1234) IS NULL AND line(NULL) IS NULL", "1");
	at = address_in(files->kernel, "at_inner") - address_in(files->kernel, "outer") + 1;
	{
		g_autofree char *expected = g_strdup_printf(
			"inner (lines.c:5, inlined) < middle (lines.c:9, inlined) < outer+0x%x (lines.c:14)",
			(guint)at);
		g_autofree char *stack = g_strdup_printf("outer+0x%x", (guint)at);
		g_autofree char *with = g_strconcat(expected, " < early+0x", NULL);
		g_autofree char *text = check_ask(db, "SELECT text FROM stacks", NULL, &error);

		check_sql(db, "SELECT lines(addr) FROM frame WHERE function = 'outer'", expected);
		g_assert_true(g_str_has_prefix(text, stack));
		g_assert_null(strchr(text, '\n'));
		g_assert_true(store_open_lines(db, &places, TRUE, &error));
		g_free(text);
		text = check_ask(db, "SELECT text FROM stacks", NULL, &error);
		g_assert_true(g_str_has_prefix(text, with));
		g_assert_null(strchr(text, '\n'));
		g_assert_true(g_str_has_suffix(text, " (lines.c:19)"));
	}
	g_assert_null(store_query(db, "CREATE TEMP VIEW x AS SELECT 1", NULL, NULL));
	g_assert_null(store_query(db, "SELECT line('x') FROM", NULL, NULL));
}

static void store_rejects_other_build(void)
{
	g_autoptr(Files) files = files_new();
	g_auto(check_file) trace = check_file_make();
	g_autofree char *db_path = file_of(files, "t.db"), *other = file_of(files, "other");
	DebugPlaces places = { .vmlinux = other };
	g_autoptr(StoreDb) db = NULL;
	StoreLoadResult result;
	GError *error = NULL;

	build_trace(files, &trace, "");
	g_assert_true(store_load(trace.path, db_path, NULL, NULL, &result, &error));
	db = store_open(db_path, &error);
	g_assert_false(store_open_lines(db, &places, TRUE, &error));
	expect_error(error, "of another build");
}

/* ---- texts ---- */

static void malformed_build_ids_are_counted(void)
{
	g_autoptr(BuildIds) ids = buildids_new();
	const GPtrArray *known;

	g_assert_cmpuint(buildids_add_text(ids, "vmlinux 0123ab\n\next4 00ff\next4 00fe\next4 00ff\n"), ==, 0);
	g_assert_cmpuint(buildids_add_text(ids, "x\nx 123\nx 12G4\n 1234\nx \nx 12 34\nx ../1\n"), ==, 7);
	known = buildids_of(ids, NULL);
	g_assert_cmpuint(known->len, ==, 1);
	g_assert_cmpstr(g_ptr_array_index(known, 0), ==, "0123ab");
	known = buildids_of(ids, "ext4");
	g_assert_cmpuint(known->len, ==, 2);
	g_assert_cmpstr(g_ptr_array_index(known, 1), ==, "00fe");
	g_assert_null(buildids_of(ids, "x"));
}

static void truncated_build_id_notes_are_rejected(void)
{
	static const guint32 notes[] = {
		4, 5, 1, 0x006e6558, 0x33221100, 0x44,	/* Xen, 5 bytes, padded to 8 */
		4, 4, 3, 0x00554e47, 0xddccbbaa,	/* GNU's build id */
	};
	g_autofree char *id = buildid_of_notes(notes, sizeof(notes));
	guint32 endless[] = { G_MAXUINT32, G_MAXUINT32, 3, 0, 0, 0 };

	if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
		g_assert_cmpstr(id, ==, "aabbccdd");
	for (gsize len = 0; len < sizeof(notes); len++) {
		g_autofree char *copy = g_memdup2(notes, len);

		g_assert_null(buildid_of_notes(copy, len));
	}
	g_assert_null(buildid_of_notes(endless, sizeof(endless)));
	endless[0] = 0;
	g_assert_null(buildid_of_notes(endless, sizeof(endless)));
}

/* A debug file's author controls how deeply functions are inlined. */
static void inlined_functions_without_end_are_cut(void)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *name = g_strnfill(1000, 'n'), *text = NULL;

	for (guint i = 0; i < 64; i++) {
		DebugLine *line = g_new0(DebugLine, 1);

		line->file = "a.c";
		line->line = i + 1;
		line->function = name;
		g_ptr_array_add(found, line);
	}
	text = lines_describe(found, "outer+0x1");
	g_assert_cmpuint(strlen(text), <, 6000);
	g_assert_true(g_str_has_suffix(text, "n (a.c:5, inlined) < … (cut) < outer+0x1 (a.c:64)"));
}

int main(int argc, char **argv)
{
	g_autofree char *command = NULL;
	int result;

	g_test_init(&argc, &argv, NULL);
	g_unsetenv("DEBUGINFOD_URLS");
#define ADD(test) g_test_add_func("/lines/" #test, test)
	ADD(lines_have_inlined_functions);
	ADD(lines_come_from_vmlinux_option);
	ADD(module_sections_have_own_addresses);
	ADD(reloaded_module_keeps_lines_if_same_build);
	ADD(functions_of_one_name_differ_by_section);
	ADD(debug_file_is_opened_once_when_needed);
	ADD(debug_file_is_found_by_build_id);
	ADD(debug_file_comes_from_debuginfod);
	ADD(stalled_debuginfod_is_given_up);
	ADD(debuginfod_without_files_is_given_up);
	ADD(interrupted_debuginfod_leaves_no_file);
	ADD(error_for_missing_file_names_the_options);
	ADD(file_with_other_build_id_is_rejected);
	ADD(file_with_other_addresses_is_rejected);
	ADD(file_without_debug_info_is_rejected);
	ADD(search_stays_below_symfs);
	ADD(damaged_debug_file_is_survived);
	ADD(query_functions_give_lines);
	ADD(store_rejects_other_build);
	ADD(malformed_build_ids_are_counted);
	ADD(truncated_build_id_notes_are_rejected);
	ADD(inlined_functions_without_end_are_cut);
	compile();
	result = g_test_run();
	command = g_strdup_printf("rm -rf '%s'", compiled);
	run("/", command);
	g_free(compiled);
	return result;
}
