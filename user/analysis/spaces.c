// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process has one space after another: a fork gives it a copy of its parent's, or that itself,
 * and an exec an empty one. A space has mappings, each with the time from which and until which it
 * was there. A mapping of which a part goes is three: the whole until then, and what is left.
 *
 * What the recorder read from /proc/PID/maps while tracing was on is early: taken to have been
 * there from the start, or from the fork that made the process, unless an event that came before
 * the reading touches its place. A fork before the reading gives the child a doubtful copy: void if
 * what it is a copy of turns out not to have been there yet.
 */
#include "analysis/spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/losstimes.h"
#include "analysis/snapshot.h"
#include "base/cut.h"

typedef struct {
	guint64 start, end;	/* addresses */
	guint64 offset;		/* in the file, of start */
	guint64 from_ns, to_ns;	/* to_ns: G_MAXUINT64 while it's there */
	guint64 read_ns;	/* of an early one: when it had been read; else 0 */
	guint32 file;
	guint32 of_space;	/* of a doubtful copy: what it is a copy of; else 0 */
	guint of_index;
} Mapping;

typedef struct {
	GArray *mappings;	/* of Mapping */
	GArray *changes;	/* of guint64: when any of them came or went, ascending */
} Space;

/* From a time on a process has this space. */
typedef struct {
	guint64 from_ns;
	guint32 space;
} Tenure;

struct Spaces {
	GPtrArray *spaces;	/* of Space, by number − 1 */
	GHashTable *processes;	/* tgid → GArray of Tenure */
	GArray *files;		/* of SpaceFile, by number − 1 */
	GHashTable *by_name;	/* "inode path" → number */
	GHashTable *by_id;	/* the tracer's id → number */
	LossTimes *losses;
	guint64 last_ns;	/* of the last event of a space */
	guint64 page_size;
};

/* ---- files ---- */

static void clear_file(gpointer data)
{
	SpaceFile *file = data;

	g_free((char *)file->path);
	g_free((char *)file->build_id);
}

static char *file_name(guint64 inode, const char *path)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s", inode, path);
}

static guint32 add_file(Spaces *spaces, guint64 inode, const char *path)
{
	g_autofree char *name = file_name(inode, path);
	guint32 number = GPOINTER_TO_UINT(g_hash_table_lookup(spaces->by_name, name));
	SpaceFile file = { .inode = inode };

	if (number)
		return number;
	file.path = g_strdup(path);
	g_array_append_val(spaces->files, file);
	g_hash_table_insert(spaces->by_name, g_steal_pointer(&name),
			    GUINT_TO_POINTER(spaces->files->len));
	return spaces->files->len;
}

/* Takes a number of @base off the front of *@text, and the space behind it. */
static gboolean take_number(char **text, int base, guint64 *value)
{
	char *end;

	if (!g_ascii_isxdigit(**text))
		return FALSE;
	errno = 0;
	*value = g_ascii_strtoull(*text, &end, base);
	if (errno || *end != ' ')
		return FALSE;
	*text = end + 1;
	return TRUE;
}

/* "id inode path": the tracer's files. */
static void take_tracer_file(Spaces *spaces, char *line)
{
	guint64 id, inode;

	if (take_number(&line, 10, &id) && take_number(&line, 10, &inode) && *line && id &&
	    id <= G_MAXUINT32)
		g_hash_table_insert(spaces->by_id, GUINT_TO_POINTER(id),
				    GUINT_TO_POINTER(add_file(spaces, inode, line)));
}

static gboolean is_build_id(const char *text)
{
	return *text && strspn(text, "0123456789abcdef") == strlen(text);
}

/* "inode size mtime_ns build_id path", a build id of "-" is none. */
static void take_elf_file(Spaces *spaces, char *line)
{
	guint64 inode, size, mtime_ns;
	g_autofree char *name = NULL;
	SpaceFile *file;
	guint32 number;
	char *path;

	if (!take_number(&line, 10, &inode) || !take_number(&line, 10, &size) ||
	    !take_number(&line, 10, &mtime_ns))
		return;
	path = strchr(line, ' ');
	if (!path)
		return;
	*path++ = '\0';
	name = file_name(inode, path);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(spaces->by_name, name));
	if (!number)
		return;
	file = &g_array_index(spaces->files, SpaceFile, number - 1);
	file->size = size;
	file->mtime_ns = mtime_ns;
	if (!file->build_id && is_build_id(line))
		file->build_id = g_strdup(line);
}

/* ---- spaces ---- */

static void free_space(gpointer data)
{
	Space *space = data;

	g_array_unref(space->mappings);
	g_array_unref(space->changes);
	g_free(space);
}

static Space *get_space(const Spaces *spaces, guint32 number)
{
	return g_ptr_array_index(spaces->spaces, number - 1);
}

static guint32 new_space(Spaces *spaces)
{
	Space *space = g_new0(Space, 1);

	space->mappings = g_array_new(FALSE, FALSE, sizeof(Mapping));
	space->changes = g_array_new(FALSE, FALSE, sizeof(guint64));
	g_ptr_array_add(spaces->spaces, space);
	return spaces->spaces->len;
}

static GArray *tenures_of(const Spaces *spaces, guint32 tgid)
{
	return g_hash_table_lookup(spaces->processes, GUINT_TO_POINTER(tgid));
}

static void move_in(Spaces *spaces, guint32 tgid, guint64 from_ns, guint32 space)
{
	GArray *tenures = tenures_of(spaces, tgid);
	Tenure tenure = { from_ns, space };

	if (!tenures) {
		tenures = g_array_new(FALSE, FALSE, sizeof(Tenure));
		g_hash_table_insert(spaces->processes, GUINT_TO_POINTER(tgid), tenures);
	}
	g_array_append_val(tenures, tenure);
}

/* That of a process now; 0: none is known. */
static guint32 current_space(const Spaces *spaces, guint32 tgid)
{
	const GArray *tenures = tenures_of(spaces, tgid);

	return tenures ? g_array_index(tenures, Tenure, tenures->len - 1).space : 0;
}

static void add_mapping(Space *space, const Mapping *like, guint64 start, guint64 end,
			guint64 from_ns)
{
	Mapping mapping = *like;

	if (start >= end)
		return;
	mapping.start = start;
	mapping.end = end;
	mapping.offset = like->offset + (start - like->start);
	mapping.from_ns = from_ns;
	g_array_append_val(space->mappings, mapping);
}

/* What is left of @old when [@start, @end) goes, which isn't nothing of it. */
static void cut(Space *space, guint index, guint64 start, guint64 end, guint64 time_ns)
{
	Mapping old = g_array_index(space->mappings, Mapping, index);
	gboolean never = time_ns <= old.read_ns && !old.of_space;

	/* An early one that was touched before it was read may not have been there till then. */
	g_array_index(space->mappings, Mapping, index).to_ns = never ? 0 : time_ns;
	old.to_ns = G_MAXUINT64;
	if (!never && !old.of_space)
		old.read_ns = 0;
	if (start > old.start)
		add_mapping(space, &old, old.start, start, never ? old.from_ns : time_ns);
	if (end < old.end)
		add_mapping(space, &old, end, old.end, never ? old.from_ns : time_ns);
}

static gboolean clear_range(Space *space, guint64 start, guint64 end, guint64 time_ns)
{
	guint count = space->mappings->len;
	gboolean changed = FALSE;

	for (guint i = 0; i < count; i++) {
		const Mapping *mapping = &g_array_index(space->mappings, Mapping, i);

		if (mapping->to_ns != G_MAXUINT64 || mapping->start >= end || mapping->end <= start)
			continue;
		cut(space, i, start, end, time_ns);
		changed = TRUE;
	}
	return changed;
}

/* ---- events ---- */

static void take_map(Spaces *spaces, const struct trace_event *event)
{
	guint32 number = current_space(spaces, event->tgid);
	guint64 len = event->bytes_req * spaces->page_size;
	Mapping mapping = {
		.start = event->addr,
		.end = event->addr + MIN(len, G_MAXUINT64 - event->addr),
		.offset = event->call_site,
		.from_ns = event->time_ns,
		.to_ns = G_MAXUINT64,
		.file = GPOINTER_TO_UINT(g_hash_table_lookup(spaces->by_id,
							     GUINT_TO_POINTER(event->bytes_alloc))),
	};
	gboolean changed;
	Space *space;

	if (!number) {
		if (!mapping.file)
			return;
		number = new_space(spaces);
		move_in(spaces, event->tgid, event->time_ns, number);
	}
	space = get_space(spaces, number);
	changed = clear_range(space, mapping.start, mapping.end, event->time_ns);
	if (mapping.file)
		g_array_append_val(space->mappings, mapping);
	if (changed || mapping.file)
		g_array_append_val(space->changes, event->time_ns);
}

/* From then on. */
static guint32 copy_space(Spaces *spaces, guint32 number, guint64 time_ns)
{
	guint32 copy = new_space(spaces);
	const GArray *mappings = get_space(spaces, number)->mappings;

	for (guint i = 0; i < mappings->len; i++) {
		Mapping mapping = g_array_index(mappings, Mapping, i);

		if (mapping.to_ns != G_MAXUINT64)
			continue;
		if (time_ns <= mapping.read_ns && !mapping.of_space) {
			mapping.of_space = number;
			mapping.of_index = i;
			mapping.from_ns = time_ns;
		} else if (mapping.read_ns && !mapping.of_space) {
			/* As long as in the parent: what was lost before doesn't count twice. */
			mapping.from_ns = mapping.read_ns;
			mapping.read_ns = 0;
		}
		g_array_append_val(get_space(spaces, copy)->mappings, mapping);
	}
	return copy;
}

/* What was read later of a process is of that which begins now: before, its number had another. */
static void take_readings(Spaces *spaces, guint32 from, guint32 to, guint64 time_ns)
{
	GArray *mappings = get_space(spaces, from)->mappings;
	guint count = from == to ? 0 : mappings->len;

	for (guint i = 0; i < count; i++) {
		Mapping *old = &g_array_index(mappings, Mapping, i);
		Mapping mapping = *old;

		if (time_ns > old->read_ns || old->of_space || old->to_ns != G_MAXUINT64)
			continue;
		old->to_ns = 0;
		mapping.from_ns = time_ns;
		g_array_append_val(get_space(spaces, to)->mappings, mapping);
	}
}

static void take_fork(Spaces *spaces, const struct trace_event *event)
{
	guint32 parent = current_space(spaces, event->bytes_req);
	guint32 before = current_space(spaces, event->tgid);

	if (!parent)
		parent = new_space(spaces);
	else if (!event->bytes_alloc)
		parent = copy_space(spaces, parent, event->time_ns);
	if (before)
		take_readings(spaces, before, parent, event->time_ns);
	move_in(spaces, event->tgid, event->time_ns, parent);
}

/* What an exec before the reading of the maps leaves behind was read of the new program. */
static void take_exec(Spaces *spaces, const struct trace_event *event)
{
	guint32 old = current_space(spaces, event->tgid);

	for (guint i = 0; old && i < get_space(spaces, old)->mappings->len; i++) {
		Mapping *mapping = &g_array_index(get_space(spaces, old)->mappings, Mapping, i);

		if (event->time_ns <= mapping->read_ns && !mapping->of_space)
			mapping->to_ns = 0;
	}
	move_in(spaces, event->tgid, event->time_ns, new_space(spaces));
}

static void take_event(Spaces *spaces, const struct trace_event *event)
{
	switch (event->event) {
	case KMEMTRACE_EVENT_MAP:
		take_map(spaces, event);
		break;
	case KMEMTRACE_EVENT_EXEC:
		if (event->tgid)
			take_exec(spaces, event);
		else
			losstimes_add(spaces->losses, spaces->last_ns, event->time_ns);
		break;
	case KMEMTRACE_EVENT_FORK:
		take_fork(spaces, event);
		break;
	}
	spaces->last_ns = event->time_ns;
}

/* ---- texts ---- */

/* "start end offset inode path", all but the inode in hexadecimal digits. */
static void take_early(Spaces *spaces, Space *space, guint64 read_ns, char *line)
{
	Mapping mapping = { .read_ns = read_ns, .to_ns = G_MAXUINT64 };
	guint64 inode;

	if (!take_number(&line, 16, &mapping.start) || !take_number(&line, 16, &mapping.end) ||
	    !take_number(&line, 16, &mapping.offset) || !take_number(&line, 10, &inode) || !*line ||
	    mapping.start >= mapping.end)
		return;
	mapping.file = add_file(spaces, inode, line);
	g_array_append_val(space->mappings, mapping);
}

/* The space that a process has from before all events. */
static Space *early_space(Spaces *spaces, guint32 tgid)
{
	if (!tenures_of(spaces, tgid))
		move_in(spaces, tgid, 0, new_space(spaces));
	return get_space(spaces, current_space(spaces, tgid));
}

/* "process tgid time_ns", then its code. */
static void take_process_maps(Spaces *spaces, char *text)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	static const char head[] = "process ";
	Space *space = NULL;
	guint64 tgid, read_ns = 0;
	char *line;

	while ((line = cut_line(&text))) {
		if (!g_str_has_prefix(line, head)) {
			if (space)
				take_early(spaces, space, read_ns, line);
			continue;
		}
		line += strlen(head);
		space = NULL;
		if (!take_number(&line, 10, &tgid) || !tgid || tgid > G_MAXINT32 ||
		    !g_hash_table_add(seen, GUINT_TO_POINTER(tgid)))
			continue;
		read_ns = g_ascii_strtoull(line, NULL, 10);
		space = early_space(spaces, tgid);
	}
}

/* For free(); NULL with 0: there is none. What a text that was cut ends with is no line. */
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

/* Of the start, and of later: of a flight's end, or of where a later part begins. */
static int read_process_maps(Spaces *spaces, struct trace_reader *reader, gboolean *found,
			     struct trace_error *err)
{
	for (guint phase = KMEMTRACE_PHASE_START; phase <= KMEMTRACE_PHASE_END; phase++) {
		char *text;
		int ret = read_text(reader, "process_maps", phase, &text, err);

		if (ret)
			return ret;
		if (!text)
			continue;
		*found = TRUE;
		take_process_maps(spaces, text);
		free(text);
	}
	return 0;
}

static int read_lines(Spaces *spaces, struct trace_reader *reader, const char *name,
		      enum kmemtrace_phase phase, void (*take)(Spaces *spaces, char *line),
		      gboolean *found, struct trace_error *err)
{
	char *text, *rest, *line;
	int ret = read_text(reader, name, phase, &text, err);

	if (ret || !text)
		return ret;
	*found = TRUE;
	rest = text;
	while ((line = cut_line(&rest)))
		take(spaces, line);
	free(text);
	return 0;
}

static void take_page_size(Spaces *spaces, char *line)
{
	AbiLine abi;

	if (snapshot_parse_abi(line, &abi) == LINE_FINE && abi.key == ABI_PAGE_SIZE)
		spaces->page_size = abi.value;
}

/* *@found: there is any text that tells of spaces. */
static int read_texts(Spaces *spaces, struct trace_reader *reader, gboolean *found,
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
	/* That it can't be read says who reads all of it. */
	if (!ret && *found)
		read_lines(spaces, reader, "abi", KMEMTRACE_PHASE_START, take_page_size, &abi,
			   &unsaid);
	return ret;
}

/* ---- the whole ---- */

static void free_array(gpointer array)
{
	g_array_unref(array);
}

static Spaces *spaces_new(void)
{
	Spaces *spaces = g_new0(Spaces, 1);

	spaces->spaces = g_ptr_array_new_with_free_func(free_space);
	spaces->processes = g_hash_table_new_full(NULL, NULL, NULL, free_array);
	spaces->files = g_array_new(FALSE, TRUE, sizeof(SpaceFile));
	g_array_set_clear_func(spaces->files, clear_file);
	spaces->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	spaces->by_id = g_hash_table_new(NULL, NULL);
	spaces->losses = losstimes_new();
	spaces->page_size = 4096;
	return spaces;
}

void spaces_free(Spaces *spaces)
{
	if (!spaces)
		return;
	g_ptr_array_unref(spaces->spaces);
	g_hash_table_unref(spaces->processes);
	g_array_unref(spaces->files);
	g_hash_table_unref(spaces->by_name);
	g_hash_table_unref(spaces->by_id);
	losstimes_free(spaces->losses);
	g_free(spaces);
}

/* What one CPU tells of the time before those of all begin is half of it, and no help. */
static int read_events(Spaces *spaces, struct trace_reader *reader, struct trace_error *err)
{
	struct trace_beginning beginning = { .late = false };
	gboolean late_known = FALSE;
	const struct trace_event *event;
	struct trace_merge *merge;
	int ret = trace_merge_open(reader, &merge, err);

	if (ret)
		return ret;
	while ((ret = trace_merge_look(merge, &event, err)) > 0) {
		if (!late_known) {
			beginning = trace_merge_beginning(merge);
			late_known = TRUE;
		}
		if (trace_event_is_space(event->event) &&
		    (!beginning.late || event->time_ns >= beginning.time_ns))
			take_event(spaces, event);
	}
	if (!ret)
		losstimes_add_merge(spaces->losses, merge);
	trace_merge_close(merge);
	losstimes_sort(spaces->losses);
	return ret;
}

/* What is a copy of something that was not there yet, was not there either. */
static void void_copies(Spaces *spaces)
{
	for (guint32 number = 1; number <= spaces->spaces->len; number++) {
		GArray *mappings = get_space(spaces, number)->mappings;

		for (guint i = 0; i < mappings->len; i++) {
			Mapping *mapping = &g_array_index(mappings, Mapping, i);
			const Space *of = mapping->of_space
						  ? get_space(spaces, mapping->of_space) : NULL;

			if (of && !g_array_index(of->mappings, Mapping, mapping->of_index).to_ns)
				mapping->to_ns = 0;
		}
	}
}

Spaces *spaces_read(struct trace_reader *reader, struct trace_error *err)
{
	Spaces *spaces = spaces_new();
	gboolean found = FALSE;
	int ret;

	err->text[0] = '\0';
	ret = read_texts(spaces, reader, &found, err);
	if (!ret && found)
		ret = read_events(spaces, reader, err);
	if (!ret)
		err->text[0] = '\0';
	if (!ret && found) {
		void_copies(spaces);
		return spaces;
	}
	spaces_free(spaces);
	return NULL;
}

/* ---- questions ---- */

static guint count_until(const GArray *times, guint64 time_ns)
{
	guint low = 0, high = times->len;

	while (low < high) {
		guint middle = (low + high) / 2;

		if (g_array_index(times, guint64, middle) <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

SpaceMoment spaces_moment(const Spaces *spaces, guint32 tgid, guint64 time_ns)
{
	const GArray *tenures = tenures_of(spaces, tgid);
	SpaceMoment moment = { 0 };
	guint low = 0, high = tenures ? tenures->len : 0;

	while (low < high) {
		guint middle = (low + high) / 2;

		if (g_array_index(tenures, Tenure, middle).from_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return moment;
	moment.space = g_array_index(tenures, Tenure, low - 1).space;
	moment.epoch = count_until(get_space(spaces, moment.space)->changes, time_ns) +
		       losstimes_edges(spaces->losses, time_ns);
	return moment;
}

/* Whether what is known of a mapping still holds at a time. */
static gboolean is_sure(const Spaces *spaces, const Mapping *mapping, guint64 time_ns)
{
	if (time_ns < mapping->read_ns)
		return !losstimes_any(spaces->losses, time_ns, mapping->read_ns);
	return !losstimes_any(spaces->losses, MAX(mapping->from_ns, mapping->read_ns), time_ns);
}

guint32 spaces_find(const Spaces *spaces, SpaceMoment moment, guint64 time_ns, guint64 addr,
		    guint64 *offset)
{
	const GArray *mappings;

	if (!moment.space)
		return 0;
	mappings = get_space(spaces, moment.space)->mappings;
	for (guint i = mappings->len; i-- > 0;) {
		const Mapping *mapping = &g_array_index(mappings, Mapping, i);

		if (addr < mapping->start || addr >= mapping->end || time_ns < mapping->from_ns ||
		    time_ns >= mapping->to_ns)
			continue;
		if (!is_sure(spaces, mapping, time_ns))
			return 0;
		*offset = mapping->offset + (addr - mapping->start);
		return mapping->file;
	}
	return 0;
}

guint32 spaces_files(const Spaces *spaces)
{
	return spaces->files->len;
}

const SpaceFile *spaces_file(const Spaces *spaces, guint32 file)
{
	return &g_array_index(spaces->files, SpaceFile, file - 1);
}
