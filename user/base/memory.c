// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The limit is RLIMIT_DATA, which counts private writable memory: neither mapped files nor
 * programs. Only the soft limit is lowered, so it can be raised again to report the error.
 */
#include "base/memory.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/escape.h"
#include "base/message.h"
#include "base/outfile.h"
#include "base/pager.h"
#include "base/units.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_SANITIZER __has_feature(address_sanitizer)
#else
#define HAS_SANITIZER 0
#endif

#define SLACK         (1U << 20)  /* bytes: malloc() requests more than it needs */
#define STACK_DEFAULT (2U << 20)  /* bytes, of glibc without a limit */
#define SMALL         (64U << 10) /* bytes: libraries can't work without */
#define ABSURD        (G_GUINT64_CONSTANT(1) << 40) /* bytes: more than any machine has */

static struct {
	gboolean is_set;
	rlim_t bytes; /* RLIM_INFINITY: no limit */
	struct rlimit before;
	char name[96];            /* of the limit: "11.7G of memory, half of this machine's" */
	char input[512];          /* "" or "x.kmt" */
	const char *library_line; /* NULL: no library call is limited */
	gint failed;
} state = { .bytes = RLIM_INFINITY };

/* ---- failures ---- */

guint64 memory_in_use(void)
{
	char text[256] = "";
	guint64 data = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0 || sscanf(text, "%*u %*u %*u %*u %*u %" G_GUINT64_FORMAT, &data) != 1)
		return 0;
	return data * (guint64)sysconf(_SC_PAGESIZE);
}

/* Returns whether @wanted more bytes exceed our limit, rather than the machine's memory. */
static gboolean is_ours(gsize wanted)
{
	guint64 used = memory_in_use();

	if (state.bytes == RLIM_INFINITY || !used)
		return state.bytes != RLIM_INFINITY;
	return used + wanted + SLACK > state.bytes;
}

/* Prints the message without any allocation. */
static void print_failure(gsize wanted, gboolean is_thread)
{
	const char *command = g_get_prgname(), *name = strrchr(command ? command : "", ' ');
	char line[1024];
	int len;

	len = snprintf(line, sizeof(line), "%skmemtrace-user: %s: %s%s%s%s\n",
		       message_shows_progress() ? "\r\033[K" : "", name ? name + 1 : "memory",
		       state.input, state.input[0] ? " needs more than " : "it needs more than ",
		       is_ours(wanted) ? state.name
		       : is_thread     ? "the threads that this user may have (ulimit -u)"
				       : "the memory that this process may have",
		       is_ours(wanted) ? "; --max-memory allows more" : "");
	if (len > 0 && write(STDERR_FILENO, line, MIN((gsize)len, sizeof(line) - 1)) < 0)
		_exit(EXIT_FAILED);
}

/* Prints the message if a library's limit is exceeded rather than ours. */
static gboolean print_library_failure(gsize wanted)
{
	const char *line = state.library_line;

	if (!line || is_ours(wanted))
		return FALSE;
	if ((message_shows_progress() && write(STDERR_FILENO, "\r\033[K", 4) < 0) ||
	    write(STDERR_FILENO, line, strlen(line)) < 0)
		_exit(EXIT_FAILED);
	return TRUE;
}

void memory_unbound(void)
{
	if (state.is_set)
		setrlimit(RLIMIT_DATA, &state.before);
}

static void end(gsize wanted, gboolean is_thread)
{
	if (!g_atomic_int_compare_and_exchange(&state.failed, 0, 1)) {
		for (;;) /* another thread ends the process */
			pause();
	}
	if (!print_library_failure(wanted))
		print_failure(wanted, is_thread);
	memory_unbound();
	outfile_abandon();
	pager_end();
	_exit(EXIT_FAILED);
}

void memory_failed(gsize wanted)
{
	if (wanted <= (state.is_set ? ABSURD : SMALL))
		end(wanted, FALSE);
}

/* Returns the bytes of a thread's stack. */
static gsize stack_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return STACK_DEFAULT;
	return limit.rlim_cur;
}

/* Returns whether there is room for a stack of @bytes. */
static gboolean has_room(gsize bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

void memory_thread_failed(gsize stack)
{
	if (state.is_set)
		end(stack, has_room(stack));
}

/* Handles GLib's fatal errors without memory: a failed thread or allocation. */
static void take_log(const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
	if (level & G_LOG_LEVEL_ERROR && !g_strcmp0(domain, "GLib"))
		end(stack_size(), strstr(text, "thread") && has_room(stack_size()));
	g_log_default_handler(domain, level, text, data);
}

void memory_watch(void)
{
	if (!HAS_SANITIZER)
		g_log_set_default_handler(take_log, NULL);
}

/* ---- the limit ---- */

static void set_limit(guint64 bytes, const char *whose)
{
	g_autofree char *size = units_format_size(bytes);
	struct rlimit limit = state.before;

	g_snprintf(state.name, sizeof(state.name), "%s of memory%s", size, whose);
	if (HAS_SANITIZER || state.before.rlim_cur <= bytes) /* RLIM_INFINITY is the highest */
		return;
	state.bytes = limit.rlim_cur = bytes;
	if (setrlimit(RLIMIT_DATA, &limit))
		state.bytes = RLIM_INFINITY;
}

/* Sets half of the memory of the machine or of the process's control groups. */
static void set_default(void)
{
	guint64 machine = (guint64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	guint64 group = cgroup_memory_limit("");

	if (group < machine)
		set_limit(group / 2, ", half of its control group's");
	else
		set_limit(machine / 2, ", half of this machine's");
}

gboolean memory_bound(const char *limit, GError **error)
{
	guint64 bytes = 0;

	if (limit && strcmp(limit, "none") && !units_parse_size(limit, &bytes, NULL)) {
		g_set_error(
			error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			"invalid --max-memory '%s' (expected a number of bytes, such as 500M or 2G, or none)",
			limit);
		return FALSE;
	}
	getrlimit(RLIMIT_DATA, &state.before);
	if (limit && bytes)
		set_limit(bytes, "");
	else if (!limit)
		set_default();
	state.is_set = !HAS_SANITIZER;
	return TRUE;
}

/* Sets the soft limit of RLIMIT_DATA, which memory_bound() lowered. */
static void set_soft(rlim_t bytes)
{
	struct rlimit limit = state.before;

	limit.rlim_cur = MIN(bytes, MIN(state.bytes, state.before.rlim_cur));
	setrlimit(RLIMIT_DATA, &limit);
}

void memory_library_enter(guint64 bytes, const char *line)
{
	guint64 used = memory_in_use();

	if (!state.is_set || !used)
		return;
	state.library_line = line;
	set_soft(used + bytes);
}

void memory_library_leave(void)
{
	if (!state.library_line)
		return;
	set_soft(RLIM_INFINITY);
	state.library_line = NULL;
}

void memory_note_input(const char *path)
{
	g_autofree char *shown = escape_text(path);

	g_strlcpy(state.input, shown, sizeof(state.input));
}
