// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the trace's texts of files and of the mappings of processes.
 */
#include "analysis/spaces/address_spaces_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/snapshot.h"
#include "base/seed.h"
#include "base/tokenize.h"

/* "start end offset inode path", all but the inode in hexadecimal digits. */
static void take_early(AddressSpaces *spaces, guint32 *layer, char *line)
{
	Range range = { 0 };
	guint64 inode;

	if (!tokenize_number(&line, 16, &range.start) || !tokenize_number(&line, 16, &range.end) ||
	    !tokenize_number(&line, 16, &range.offset) || !tokenize_number(&line, 10, &inode) ||
	    !*line || range.start >= range.end)
		return;
	range.file = space_files_add(spaces->files, inode, line);
	*layer = ranges_cut(spaces->table.ranges, *layer, range.start, range.end);
	*layer = ranges_add(spaces->table.ranges, *layer, &range);
}

/* The mms of the processes in a text. */
typedef struct {
	GHashTable *by_tgid; /* tgid to mm; 0: unknown */
	GHashTable *mms;     /* mm to the number of its space, 0: none; without unknown mms */
	gboolean is_late;    /* read after events */
} ProcessMms;

static ProcessMms process_mms_new(gboolean is_late)
{
	return (ProcessMms){ g_hash_table_new(seed_number, NULL),
			     g_hash_table_new(seed_number, NULL), is_late };
}

/* Returns the space of a process before all events. */
static guint32 early_space(AddressSpaces *spaces, guint32 tgid, guint32 mm, const ProcessMms *now)
{
	guint32 number = space_table_current(&spaces->table, tgid);

	if (number)
		return number;
	if (mm)
		number = GPOINTER_TO_UINT(g_hash_table_lookup(now->mms, GUINT_TO_POINTER(mm)));
	if (!number)
		number = space_table_new_read(&spaces->table, mm, now->is_late);
	space_table_move_in(&spaces->table, tgid, 0, number);
	if (mm)
		g_hash_table_insert(now->mms, GUINT_TO_POINTER(mm), GUINT_TO_POINTER(number));
	return number;
}

static void process_mms_clear(ProcessMms *text)
{
	g_hash_table_unref(text->by_tgid);
	g_hash_table_unref(text->mms);
}

static void add_process(ProcessMms *text, guint32 tgid, guint32 mm)
{
	g_hash_table_insert(text->by_tgid, GUINT_TO_POINTER(tgid), GUINT_TO_POINTER(mm));
	if (mm && !g_hash_table_contains(text->mms, GUINT_TO_POINTER(mm)))
		g_hash_table_insert(text->mms, GUINT_TO_POINTER(mm), NULL);
}

/*
 * Returns whether a process has the same memory as when @before was read. After an exec, the mm of
 * the process may have been reused.
 */
static gboolean has_same_memory(const ProcessMms *before, guint32 tgid, guint32 mm)
{
	gpointer old;

	if (!mm)
		return TRUE;
	if (g_hash_table_lookup_extended(before->by_tgid, GUINT_TO_POINTER(tgid), NULL, &old))
		return !old || GPOINTER_TO_UINT(old) == mm;
	return !g_hash_table_contains(before->mms, GUINT_TO_POINTER(mm));
}

/*
 * "tgid time_ns mm"; older recorders write no mm, and a process that is newer than their list has
 * none. @before: an earlier text.
 */
static guint32 *take_process(AddressSpaces *spaces, char *line, const ProcessMms *before,
			     ProcessMms *now)
{
	guint64 tgid, time_ns, mm;
	Reading reading;
	char *end;

	if (!tokenize_number(&line, 10, &tgid) || !tgid || tgid > G_MAXINT32 ||
	    g_hash_table_contains(now->by_tgid, GUINT_TO_POINTER(tgid)))
		return NULL;
	time_ns = g_ascii_strtoull(line, &end, 10);
	mm = *end == ' ' ? g_ascii_strtoull(end, NULL, 10) : 0;
	if (mm > G_MAXUINT32)
		mm = 0;
	add_process(now, tgid, mm);
	if (!has_same_memory(before, tgid, mm))
		return NULL;
	reading = (Reading){ .read_ns = time_ns,
			     .tgid = tgid,
			     .owner = early_space(spaces, tgid, mm, now),
			     .is_late = !mm && g_hash_table_size(now->mms) };
	return space_table_add_reading(&spaces->table, &reading);
}

/* "process …", then its code. */
static void take_process_maps(AddressSpaces *spaces, char *text, const ProcessMms *before,
			      ProcessMms *now)
{
	static const char head[] = "process ";
	guint32 *layer = NULL;
	char *line;

	while (text && (line = tokenize_line(&text))) {
		if (!g_str_has_prefix(line, head)) {
			if (layer)
				take_early(spaces, layer, line);
			continue;
		}
		layer = take_process(spaces, line + strlen(head), before, now);
	}
}

/*
 * Returns the text, for free(); NULL with 0 if there is none. The partial last line of a cut text
 * is left out.
 */
static int read_text(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
		     char **text, struct trace_error *err)
{
	size_t len;
	int ret = trace_reader_snapshot(reader, name, phase, text, &len, NULL, err);
	char *end;

	if (ret) {
		*text = NULL;
		return ret == -ENOENT ? 0 : ret;
	}
	end = strrchr(*text, '\n');
	if (end)
		end[1] = '\0';
	return 0;
}

/*
 * Returns whether the oldest events are missing. An error is reported by the later reading of
 * events.
 */
static gboolean begins_late(struct trace_reader *reader)
{
	struct trace_error unsaid;
	const struct trace_event *event;
	struct trace_merge *merge;
	gboolean late;

	if (trace_merge_open(reader, &merge, &unsaid))
		return FALSE;
	late = trace_merge_look(merge, &event, &unsaid) > 0 && trace_merge_beginning(merge).late;
	trace_merge_close(merge);
	return late;
}

/*
 * Reads the mappings at the start, and later ones: at the end of a flight recording, or at the
 * start of a later part. In a flight recording with overwritten events, the mappings of the start
 * are outdated.
 */
static int read_process_maps(AddressSpaces *spaces, struct trace_reader *reader, gboolean *found,
			     struct trace_error *err)
{
	char *start = NULL, *end = NULL;
	int ret = read_text(reader, "process_maps", KMEMTRACE_PHASE_START, &start, err);
	ProcessMms none = process_mms_new(FALSE), first = process_mms_new(FALSE);
	ProcessMms last = process_mms_new(TRUE);

	if (!ret)
		ret = read_text(reader, "process_maps", KMEMTRACE_PHASE_END, &end, err);
	*found |= start || end;
	if (!ret && (!start || !end || !begins_late(reader)))
		take_process_maps(spaces, start, &none, &first);
	if (!ret)
		take_process_maps(spaces, end, &first, &last);
	process_mms_clear(&none);
	process_mms_clear(&first);
	process_mms_clear(&last);
	free(start);
	free(end);
	return ret;
}

static void take_tracer_file(AddressSpaces *spaces, char *line)
{
	space_files_take_tracer_line(spaces->files, line);
}

static void take_elf_file(AddressSpaces *spaces, char *line)
{
	space_files_take_elf_line(spaces->files, line);
}

static int read_lines(AddressSpaces *spaces, struct trace_reader *reader, const char *name,
		      enum kmemtrace_phase phase, void (*take)(AddressSpaces *spaces, char *line),
		      gboolean *found, struct trace_error *err)
{
	char *text, *rest, *line;
	int ret = read_text(reader, name, phase, &text, err);

	if (ret || !text)
		return ret;
	*found = TRUE;
	rest = text;
	while ((line = tokenize_line(&rest)))
		take(spaces, line);
	free(text);
	return 0;
}

static void take_abi(AddressSpaces *spaces, char *line)
{
	AbiLine abi;

	if (snapshot_parse_abi(line, &abi) == LINE_FINE)
		kernel_abi_add(&spaces->abi, &abi);
}

int space_texts_read(AddressSpaces *spaces, struct trace_reader *reader, gboolean *found,
		     struct trace_error *err)
{
	int ret = read_process_maps(spaces, reader, found, err);
	struct trace_error unsaid;
	gboolean abi = FALSE;

	if (!ret)
		ret = read_lines(spaces, reader, "files", KMEMTRACE_PHASE_END, take_tracer_file,
				 found, err);
	if (!ret)
		ret = read_lines(spaces, reader, "elf_files", KMEMTRACE_PHASE_END, take_elf_file,
				 found, err);
	/* A read error is reported by the later reading of texts. */
	if (!ret && *found)
		read_lines(spaces, reader, "abi", KMEMTRACE_PHASE_START, take_abi, &abi, &unsaid);
	return ret;
}
