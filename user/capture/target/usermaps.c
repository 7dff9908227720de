// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/usermaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/numbers.h"
#include "base/owner.h"
#include "base/seed.h"
#include "base/tokenize.h"
#include "base/units.h"
#include "capture/process/quota.h"
#include "capture/target/mapped_files.h"
#include "capture/target/snapshot.h"
#include "capture/tracer/stats.h"

#define BYTES_PER_SECOND (32 << 10)            /* maximum rate of rewriting texts */
#define LOOK_SHARE       10                    /* 1/LOOK_SHARE of the time is for file lookups */
#define LOOK_US          G_USEC_PER_SEC        /* for lookups at a time */
#define LAST_LOOK_US     (10 * G_USEC_PER_SEC) /* at the end */

/*
 * Limits of data about processes, in bytes: a process may have 65,530 mappings, with names of 4
 * KiB. Typical processes have less than 20 KiB.
 */
#define PROCESS_TEXT_MAX (1 << 20)
#define TEXT_MAX         (32 << 20)
#define READ_MAX         (256 << 20)    /* of /proc */
#define LEAST_US         G_USEC_PER_SEC /* for a process that is read at all */

struct UserMaps {
	Lookup *lookup;
	MappedFiles *files;
	guint seconds;            /* for reading the mappings of all processes */
	char *written;            /* the list in the trace file, or NULL */
	char *written_identities; /* likewise */
	guint64 refused;          /* files without room in the tracer, as last reported */
	guint64 unnamed;          /* mappings without room, likewise */
	gint64 next_us;           /* next time to write them; g_get_monotonic_time() */
};

UserMaps *usermaps_new(Lookup *lookup, guint seconds)
{
	UserMaps *maps = g_new0(UserMaps, 1);

	maps->seconds = seconds;
	maps->lookup = lookup;
	maps->files = mapped_files_new(lookup);
	return maps;
}

void usermaps_free(UserMaps *maps)
{
	if (!maps)
		return;
	mapped_files_free(maps->files);
	g_free(maps->written);
	g_free(maps->written_identities);
	g_free(maps);
}

/* ---- processes ---- */

typedef struct {
	UserMaps *maps;
	const Control *control;
	GString *text;
	GHashTable *mms; /* tgid to mm */
	Quota *quota;    /* bytes of text, bytes of /proc, and microseconds */
	Owners *owners;
	guint cut; /* processes truncated in @text */
} Scan;

/* Parses a line of lookup_maps(), and appends it with the file's number. */
static void take_mapping(Scan *scan, const char *line, gint64 wall_ns, guint32 uid)
{
	int behind = 0, path = 0;
	guint64 number;
	MappedFile file;

	if (sscanf(line,
		   "%*s %*s %*s %n%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
		   " %" G_GINT64_FORMAT " %n",
		   &behind, &file.device, &file.inode, &file.ctime_ns, &file.size, &path) != 4 ||
	    !path)
		return;
	number = mapped_files_note_process(scan->maps->files, &file, line + path, wall_ns, uid);
	g_string_append_printf(scan->text, "%.*s%" G_GUINT64_FORMAT " %s\n", behind, line, number,
			       line + path);
}

static void append_process(Scan *scan, const char *pid, guint32 uid, const char *lines,
			   const LookupMaps *found)
{
	g_auto(GStrv) each = g_strsplit(lines, "\n", -1);
	gpointer mm = g_hash_table_lookup(scan->mms, GINT_TO_POINTER(atoi(pid)));

	if (!*lines)
		return;
	g_string_append_printf(scan->text, "process %s %" G_GUINT64_FORMAT " %u\n", pid,
			       trace_clock_at(scan->control, &found->time), GPOINTER_TO_UINT(mm));
	for (guint i = 0; each[i]; i++)
		take_mapping(scan, each[i], found->wall_ns, uid);
}

static gboolean fits(const Scan *scan, guint32 uid)
{
	return quota_fits(scan->quota, uid, (QuotaAmounts){ 0 });
}

static void read_process(Scan *scan, const char *pid, guint32 uid, LookupMaps *found)
{
	g_autoptr(GString) lines = g_string_new(NULL);
	gint64 left_us = quota_left(scan->quota, uid);
	LookupLimits limits = { PROCESS_TEXT_MAX, uid ? MAX(left_us, LEAST_US) : G_MAXINT64 };

	if (lookup_maps(scan->maps->lookup, pid, uid, &limits, lines, found))
		append_process(scan, pid, uid, lines->str, found);
	scan->cut += found->cut;
}

static void take_process(Scan *scan, const char *pid)
{
	gsize before = scan->text->len;
	gint64 began_us = g_get_monotonic_time();
	LookupMaps found = { 0 };
	guint32 uid;

	if (!owners_guess(scan->owners, pid, &uid))
		return;
	if (uid && !fits(scan, uid)) { /* it would take time to find the owner */
		scan->cut++;
		return;
	}
	if (!owners_find(scan->owners, pid, &uid))
		return;
	if (fits(scan, uid))
		read_process(scan, pid, uid, &found);
	else
		scan->cut++;
	quota_charge(scan->quota, uid,
		     (QuotaAmounts){ scan->text->len - before, found.read,
				     g_get_monotonic_time() - began_us });
}

/* Reads the mms of all processes, while tracing is enabled: later changes have events. */
static GHashTable *read_mms(const Control *control)
{
	GHashTable *mms = g_hash_table_new(seed_number, NULL);
	g_autofree char *text = control_read(control, "mms", NULL);
	char *rest = text, *line;
	guint tgid, mm;

	while (text && (line = tokenize_line(&rest))) {
		if (sscanf(line, "%u %u", &tgid, &mm) == 2)
			g_hash_table_insert(mms, GUINT_TO_POINTER(tgid), GUINT_TO_POINTER(mm));
	}
	return mms;
}

static void report_unnamed(UserMaps *maps)
{
	guint64 unnamed = mapped_files_refused(maps->files);
	g_autofree char *count = units_format_count(unnamed - maps->unnamed);

	if (unnamed > maps->unnamed)
		message("%s mappings of processes have no functions in user stacks: more files are mapped than names are kept, %d, and %d for one user",
			count, MAPPED_FILES_MAX, QUOTA_OF_ONE(MAPPED_FILES_MAX));
	maps->unnamed = unnamed;
}

gboolean usermaps_write(UserMaps *maps, struct trace_writer *writer, const Control *control,
			enum kmemtrace_phase phase, GError **error)
{
	g_autoptr(GHashTable) mms = read_mms(control);
	g_autoptr(GPtrArray) pids = numbers_list("/proc", G_MAXSIZE);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(Owners) owners = owners_new();
	g_autoptr(Quota) quota =
		quota_new((QuotaAmounts){ TEXT_MAX, READ_MAX, maps->seconds * G_USEC_PER_SEC });
	Scan scan = {
		.maps = maps,
		.control = control,
		.text = text,
		.mms = mms,
		.quota = quota,
		.owners = owners,
	};

	for (guint i = 0; i < pids->len; i++)
		take_process(&scan, g_ptr_array_index(pids, i));
	if (scan.cut)
		message("user stacks of %u process%s may be only addresses: more code is mapped than is kept, %d MiB of text for one, %d MiB for those of one user, and %d MiB for all; or reading it takes longer than %u s for one user, and %u s for all",
			scan.cut, scan.cut > 1 ? "es" : "", PROCESS_TEXT_MAX >> 20,
			QUOTA_OF_ONE(TEXT_MAX) >> 20, TEXT_MAX >> 20, QUOTA_OF_ONE(maps->seconds),
			maps->seconds);
	report_unnamed(maps);
	return snapshot_write_text(writer, "process_maps", phase, text->str, text->len, error);
}

/* ---- files ---- */

/* Returns FALSE if the tracer's list can't be read. */
static gboolean lookup_files(UserMaps *maps, const Control *control, gint64 most_us)
{
	g_autofree char *list = control_read(control, "files", NULL);

	if (list)
		mapped_files_note_list(maps->files, list);
	mapped_files_identify(maps->files, most_us);
	return list != NULL;
}

static gboolean write_end_text(struct trace_writer *writer, const char *name, const char *text,
			       GError **error)
{
	return snapshot_write_text(writer, name, KMEMTRACE_PHASE_END, text, strlen(text), error);
}

/* Writes @text unless it equals *@written, which it replaces; adds its length to *@bytes. */
static gboolean write_if_new(struct trace_writer *writer, const char *name, char *text,
			     char **written, gsize *bytes, GError **error)
{
	g_autofree char *owned = text;

	if (g_strcmp0(text, *written ? *written : "") == 0)
		return TRUE;
	if (!write_end_text(writer, name, text, error))
		return FALSE;
	*bytes += strlen(text);
	g_free(*written);
	*written = g_steal_pointer(&owned);
	return TRUE;
}

gboolean usermaps_look(UserMaps *maps, struct trace_writer *writer, const Control *control,
		       GError **error)
{
	gint64 now_us = g_get_monotonic_time();
	gsize bytes = 0;

	if (now_us < maps->next_us)
		return TRUE;
	lookup_files(maps, control, LOOK_US);
	if (!write_if_new(writer, "files", mapped_files_list(maps->files), &maps->written, &bytes,
			  error) ||
	    !write_if_new(writer, "elf_files", mapped_files_identities(maps->files),
			  &maps->written_identities, &bytes, error))
		return FALSE;
	maps->next_us = now_us + MAX((gint64)bytes * G_USEC_PER_SEC / BYTES_PER_SECOND,
				     LOOK_SHARE * (g_get_monotonic_time() - now_us));
	return TRUE;
}

void usermaps_new_file(UserMaps *maps)
{
	g_clear_pointer(&maps->written, g_free);
	g_clear_pointer(&maps->written_identities, g_free);
	maps->next_us = 0;
}

static void report_refused(UserMaps *maps, const Control *control)
{
	guint64 refused = stats_read_refused(control);
	g_autofree char *count = units_format_count(refused);

	if (refused > maps->refused)
		message("user stacks may be only addresses: the tracer had no room for %s mappings of files (it keeps 4,096 files, 1,024 of one user)",
			count);
	maps->refused = refused;
}

gboolean usermaps_write_files(UserMaps *maps, struct trace_writer *writer, const Control *control,
			      GError **error)
{
	gboolean has_list = lookup_files(maps, control, LAST_LOOK_US);
	g_autofree char *list = mapped_files_list(maps->files);
	g_autofree char *identities = mapped_files_identities(maps->files);

	report_refused(maps, control);
	return (!has_list || write_end_text(writer, "files", list, error)) &&
	       write_end_text(writer, "elf_files", identities, error);
}
