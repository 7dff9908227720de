// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "capture/target/cpunodes.h"
#include "capture/target/text.h"
#include "capture/tracer/settings.h"
#include "capture/tracer/slabnames.h"

#define STACKS_PIECE (1 << 20) /* bytes of the stack table read at once */

enum { AT_START = 1 << KMEMTRACE_PHASE_START, AT_END = 1 << KMEMTRACE_PHASE_END, TRACER = 1 << 2 };

/* The texts that are copied as they are. TRACER: a file of the tracer. */
static const struct {
	const char *name;
	const char *path;
	unsigned int flags;
} snapshot_files[] = {
	{ "abi", "abi", AT_START | AT_END | TRACER },
	{ "tasks", "tasks", AT_END | TRACER },
	{ "caches", "caches", AT_END | TRACER },
	{ "stats", "stats", AT_START | AT_END | TRACER },
	{ "meminfo", "/proc/meminfo", AT_START | AT_END },
	{ "slabinfo", "/proc/slabinfo", AT_START | AT_END },
	{ "buddyinfo", "/proc/buddyinfo", AT_START | AT_END },
	{ "vmstat", "/proc/vmstat", AT_START | AT_END },
};

static guint64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (guint64)ts.tv_sec * G_GUINT64_CONSTANT(1000000000) + ts.tv_nsec;
}

gboolean snapshot_write_text(struct trace_writer *writer, const char *name,
			     enum kmemtrace_phase phase, const char *text, gsize len,
			     GError **error)
{
	Text *whole = text_begin(writer, name, phase);

	text_append(whole, text, len);
	return text_end(whole, error);
}

static gboolean copy_file(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
			  int fd, GError **error)
{
	Text *text = text_begin(writer, name, phase);

	if (text_append_file(text, fd))
		return text_end(text, error);
	text_drop(text);
	return TRUE;
}

static gboolean write_cpu_nodes(struct trace_writer *writer, enum kmemtrace_phase phase,
				GError **error)
{
	g_autofree char *nodes = cpunodes_text(phase == KMEMTRACE_PHASE_END);

	return !*nodes ||
	       snapshot_write_text(writer, "cpu_nodes", phase, nodes, strlen(nodes), error);
}

static gboolean write_cache_aliases(struct trace_writer *writer, enum kmemtrace_phase phase,
				    GError **error)
{
	g_autofree char *links = slabnames_links_text();

	return !*links ||
	       snapshot_write_text(writer, "cache_aliases", phase, links, strlen(links), error);
}

gboolean snapshot_write_files(struct trace_writer *writer, const Control *control,
			      enum kmemtrace_phase phase, gboolean with_memory, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(snapshot_files); i++) {
		int fd;

		if (!(snapshot_files[i].flags & 1 << phase) ||
		    !(with_memory || snapshot_files[i].flags & TRACER))
			continue;
		fd = snapshot_files[i].flags & TRACER
			     ? control_open_view(control, snapshot_files[i].path)
			     : open(snapshot_files[i].path, O_RDONLY | O_CLOEXEC);
		if (!copy_file(writer, snapshot_files[i].name, phase, fd, error))
			return FALSE;
	}
	return (!with_memory || write_cache_aliases(writer, phase, error)) &&
	       write_cpu_nodes(writer, phase, error);
}

gboolean snapshot_write_settings(struct trace_writer *writer, const Control *control,
				 enum kmemtrace_phase phase, GError **error)
{
	/* Threads that are renamed from now on have events, so their names are read last. */
	static const char *const names[] = { "events", "overwrite", "paths", "tasks" };
	g_autofree char *filters = settings_filters_text(control);
	size_t count = G_N_ELEMENTS(names) - (phase != KMEMTRACE_PHASE_START);

	for (size_t i = 0; i < count; i++) {
		if (!copy_file(writer, names[i], phase, control_open_view(control, names[i]),
			       error))
			return FALSE;
	}
	return !filters ||
	       snapshot_write_text(writer, "filters", phase, filters, strlen(filters), error);
}

static void append_host(GString *text, const SnapshotHost *host)
{
	g_autofree char *boot_id = NULL;
	struct utsname uts;

	uname(&uts);
	g_string_append_printf(text, "tool=%s\n", KMEMTRACE_VERSION);
	g_string_append_printf(text, "release=%s\nversion=%s\nmachine=%s\nhostname=%s\n",
			       uts.release, uts.version, uts.machine, uts.nodename);
	g_string_append_printf(text, "page_size=%ld\ncpus=%ld\n", sysconf(_SC_PAGESIZE),
			       sysconf(_SC_NPROCESSORS_ONLN));
	g_string_append_printf(text, "realtime_offset_ns=%" G_GINT64_FORMAT "\n",
			       (gint64)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC)));
	if (g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot_id, NULL, NULL))
		g_string_append_printf(text, "boot_id=%s\n", g_strstrip(boot_id));
	g_string_append_printf(text, "mode=%s\nsource=%s\nrecorder=%s\n", host->mode, host->source,
			       host->recorder);
	if (host->part)
		g_string_append_printf(text, "part=%u\n", host->part);
	if (host->command)
		g_string_append_printf(text, "command=%s\n", host->command);
}

gboolean snapshot_write_host(struct trace_writer *writer, const SnapshotHost *host, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_host(text, host);
	return snapshot_write_text(writer, "host", KMEMTRACE_PHASE_START, text->str, text->len,
				   error);
}

gboolean snapshot_write_stacks(struct trace_writer *writer, const Control *control, guint64 *offset,
			       GError **error)
{
	g_autofree char *path = control_path(control, "stacks");
	g_autofree char *piece = g_malloc(STACKS_PIECE);
	struct trace_error err = { "" };
	gssize len;

	while ((len = control_read_stacks(control, piece, STACKS_PIECE, *offset)) > 0) {
		if (trace_writer_stacks(writer, *offset, piece, len, &err))
			break;
		*offset += len;
	}
	if (len < 0)
		g_snprintf(err.text, sizeof(err.text), "can't read %s: %s", path,
			   g_strerror(errno));
	if (err.text[0])
		g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, err.text);
	return !err.text[0];
}
