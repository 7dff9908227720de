// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process has one address space after another: fork gives it a copy of its parent's, or the same
 * one, and exec an empty one. A space has a version for each time at which its mappings changed;
 * versions and copies share what is equal (ranges.h).
 *
 * What the recorder read from /proc/PID/maps during tracing is an early reading: its mappings are
 * taken to exist from the start, or from the fork that made the process. Where an event before the
 * reading touches the same addresses, the reading is void, at all times. A fork before the reading
 * gives the child a copy, which is void where the reading is. Readings are layers above the events'
 * mappings: where one is void, the layer below counts.
 */
#include "analysis/stacks/address_spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/containers/ranges.h"
#include "analysis/kernel_abi.h"
#include "analysis/pairing/losstimes.h"
#include "analysis/snapshot.h"
#include "base/seed.h"
#include "base/sorted.h"
#include "base/tokenize.h"

#define LAYERS 4 /* a process is read at the start and at the end; its parent, too */

/* Once /proc/PID/maps was read. */
typedef struct {
	guint64 read_ns;
	guint32 tgid;     /* the process that was read; others may share its space */
	guint32 owner;    /* the space that it is of; others have copies */
	guint32 holes;    /* version of the ranges where it is void */
	gboolean is_void; /* everywhere */
} Reading;

typedef struct {
	guint64 from_ns;
	guint32 events;         /* version of the events' ranges */
	guint32 layers[LAYERS]; /* versions of those of each reading */
} Version;

typedef struct {
	guint32 readings[LAYERS]; /* their numbers, the last one counts first; 0: no more */
	Version first;
	GArray *later; /* of Version, ascending; NULL: none */
} Space;

/* From a time on a process has this space. */
typedef struct {
	guint64 from_ns;
	guint32 space;
} Tenure;

struct AddressSpaces {
	GArray *spaces;        /* of Space, by number − 1 */
	GArray *readings;      /* of Reading, by number − 1 */
	Ranges *ranges;        /* of all of them */
	GHashTable *processes; /* tgid → GArray of Tenure */
	GArray *files;         /* of SpaceFile, by number − 1 */
	GHashTable *by_name;   /* "inode path" → number */
	GHashTable *by_id;     /* the tracer's id → number */
	LossTimes *losses;
	guint64 last_ns; /* of the last event of a space */
	KernelAbi abi;
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

static guint32 add_file(AddressSpaces *spaces, guint64 inode, const char *path)
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
static void take_tracer_file(AddressSpaces *spaces, char *line)
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

/* "inode size mtime_ns build_id path"; a build id of "-" means none. */
static void take_elf_file(AddressSpaces *spaces, char *line)
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

static void clear_space(gpointer data)
{
	g_clear_pointer(&((Space *)data)->later, g_array_unref);
}

/* Until the next one is made. */
static Space *get_space(const AddressSpaces *spaces, guint32 number)
{
	return &g_array_index(spaces->spaces, Space, number - 1);
}

static Reading *get_reading(const AddressSpaces *spaces, guint32 number)
{
	return &g_array_index(spaces->readings, Reading, number - 1);
}

static guint32 new_space(AddressSpaces *spaces, guint64 from_ns)
{
	Space space = { .first = { .from_ns = from_ns } };

	g_array_append_val(spaces->spaces, space);
	return spaces->spaces->len;
}

static Version *last_version(Space *space)
{
	return space->later ? &g_array_index(space->later, Version, space->later->len - 1)
			    : &space->first;
}

static void add_version(Space *space, const Version *version)
{
	if (!space->later)
		space->later = g_array_new(FALSE, FALSE, sizeof(Version));
	g_array_append_vals(space->later, version, 1);
}

/* The layer of a new reading above the others; LAYERS if none is left. */
static guint free_layer(const Space *space)
{
	guint layer = 0;

	while (layer < LAYERS && space->readings[layer])
		layer++;
	return layer;
}

static guint32 new_reading(AddressSpaces *spaces, guint32 tgid, guint64 read_ns, guint32 owner)
{
	Reading reading = { .read_ns = read_ns, .tgid = tgid, .owner = owner };

	g_array_append_val(spaces->readings, reading);
	return spaces->readings->len;
}

/* Whether an event of @space shows that not all that was read had been there before. */
static gboolean is_early(const Reading *reading, guint32 space, guint64 time_ns)
{
	return reading->owner == space && !reading->is_void && time_ns <= reading->read_ns;
}

static GArray *tenures_of(const AddressSpaces *spaces, guint32 tgid)
{
	return g_hash_table_lookup(spaces->processes, GUINT_TO_POINTER(tgid));
}

static void move_in(AddressSpaces *spaces, guint32 tgid, guint64 from_ns, guint32 space)
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
static guint32 current_space(const AddressSpaces *spaces, guint32 tgid)
{
	const GArray *tenures = tenures_of(spaces, tgid);

	return tenures ? g_array_index(tenures, Tenure, tenures->len - 1).space : 0;
}

/* An early one that was touched before it was read may not have been there till then. */
static guint32 cut_layer(AddressSpaces *spaces, guint32 space, Reading *reading, guint32 layer,
			 const Range *gone)
{
	gboolean early = is_early(reading, space, gone->from_ns);
	guint32 cut = ranges_cut(spaces->ranges, layer, gone->start, gone->end,
				 early ? G_MAXUINT64 : gone->from_ns);

	if (cut == layer || !early)
		return cut;
	reading->holes =
		ranges_cut(spaces->ranges, reading->holes, gone->start, gone->end, G_MAXUINT64);
	reading->holes = ranges_add(spaces->ranges, reading->holes, gone);
	return cut;
}

/* @gone->from_ns: when. FALSE: nothing was there. */
static gboolean clear_range(AddressSpaces *spaces, guint32 number, Version *version,
			    const Range *gone)
{
	const Space *space = get_space(spaces, number);
	Version before = *version;

	if (gone->start >= gone->end)
		return FALSE;
	version->events =
		ranges_cut(spaces->ranges, version->events, gone->start, gone->end, gone->from_ns);
	for (guint i = 0; i < LAYERS && space->readings[i]; i++)
		version->layers[i] =
			cut_layer(spaces, number, get_reading(spaces, space->readings[i]),
				  version->layers[i], gone);
	return before.events != version->events ||
	       memcmp(before.layers, version->layers, sizeof(before.layers)) != 0;
}

/* ---- events ---- */

static void take_map(AddressSpaces *spaces, const struct trace_event *event)
{
	guint32 number = current_space(spaces, event->tgid);
	guint64 len = (guint64)event->bytes_req << spaces->abi.page_shift;
	Range range = {
		.start = event->addr,
		.end = event->addr + MIN(len, G_MAXUINT64 - event->addr),
		.offset = event->call_site,
		.from_ns = event->time_ns,
		.file = GPOINTER_TO_UINT(
			g_hash_table_lookup(spaces->by_id, GUINT_TO_POINTER(event->bytes_alloc))),
	};
	Version version;
	gboolean changed;

	if (!number) {
		if (!range.file)
			return;
		number = new_space(spaces, event->time_ns);
		move_in(spaces, event->tgid, event->time_ns, number);
	}
	version = *last_version(get_space(spaces, number));
	changed = clear_range(spaces, number, &version, &range);
	if (range.file && range.start < range.end)
		version.events = ranges_add(spaces->ranges, version.events, &range);
	version.from_ns = event->time_ns;
	if (changed || range.file)
		add_version(get_space(spaces, number), &version);
}

/* From then on. */
static guint32 copy_space(AddressSpaces *spaces, guint32 number, guint64 time_ns)
{
	guint32 copy = new_space(spaces, time_ns);
	Space *from = get_space(spaces, number), *to = get_space(spaces, copy);

	memcpy(to->readings, from->readings, sizeof(to->readings));
	to->first = *last_version(from);
	to->first.from_ns = time_ns;
	return copy;
}

/* Makes room for one more, if need be by the lowest that isn't the space's own. */
static guint take_layer(const AddressSpaces *spaces, Space *space, guint32 number, Version *version)
{
	guint lowest = 0;

	if (free_layer(space) < LAYERS || space->later)
		return free_layer(space);
	while (lowest < LAYERS && get_reading(spaces, space->readings[lowest])->owner == number)
		lowest++;
	if (lowest == LAYERS)
		return LAYERS;
	for (guint i = lowest + 1; i < LAYERS; i++) {
		space->readings[i - 1] = space->readings[i];
		version->layers[i - 1] = version->layers[i];
		space->first.layers[i - 1] = space->first.layers[i];
	}
	space->readings[LAYERS - 1] = 0;
	version->layers[LAYERS - 1] = space->first.layers[LAYERS - 1] = RANGES_EMPTY;
	return LAYERS - 1;
}

/* One of @from is of @to from @time_ns on, as far as it holds. */
static void move_reading(AddressSpaces *spaces, guint32 number, guint32 ranges, guint32 to,
			 Version *version)
{
	Reading *old = get_reading(spaces, number);
	guint32 holes = old->holes, reading;
	guint layer = take_layer(spaces, get_space(spaces, to), to, version);

	old->is_void = TRUE;
	if (layer == LAYERS)
		return;
	reading = new_reading(spaces, old->tgid, old->read_ns, to);
	get_reading(spaces, reading)->holes = holes;
	get_space(spaces, to)->readings[layer] = reading;
	version->layers[layer] = ranges;
}

/* What was read later of a process is of that which begins now: before, its number had another. */
static void take_readings(AddressSpaces *spaces, guint32 from, guint32 to, guint64 time_ns)
{
	Space old = *get_space(spaces, from);
	Version last = *last_version(&old), version = *last_version(get_space(spaces, to));
	gboolean any = FALSE;

	for (guint i = 0; from != to && i < LAYERS && old.readings[i]; i++) {
		if (!is_early(get_reading(spaces, old.readings[i]), from, time_ns))
			continue;
		move_reading(spaces, old.readings[i], last.layers[i], to, &version);
		any = TRUE;
	}
	version.from_ns = time_ns;
	if (any)
		add_version(get_space(spaces, to), &version);
}

static void take_fork(AddressSpaces *spaces, const struct trace_event *event)
{
	guint32 parent = current_space(spaces, event->bytes_req);
	guint32 before = current_space(spaces, event->tgid);

	if (!parent)
		parent = new_space(spaces, event->time_ns);
	else if (!event->bytes_alloc)
		parent = copy_space(spaces, parent, event->time_ns);
	if (before)
		take_readings(spaces, before, parent, event->time_ns);
	move_in(spaces, event->tgid, event->time_ns, parent);
}

/*
 * What an exec before the reading of the maps leaves behind was read of the new program, but only
 * of this process: the child of a vfork() leaves its parent's space.
 */
static void take_exec(AddressSpaces *spaces, const struct trace_event *event)
{
	guint32 old = current_space(spaces, event->tgid);

	for (guint i = 0; old && i < LAYERS && get_space(spaces, old)->readings[i]; i++) {
		Reading *reading = get_reading(spaces, get_space(spaces, old)->readings[i]);

		reading->is_void |=
			reading->tgid == event->tgid && is_early(reading, old, event->time_ns);
	}
	move_in(spaces, event->tgid, event->time_ns, new_space(spaces, event->time_ns));
}

static void take_event(AddressSpaces *spaces, const struct trace_event *event)
{
	ranges_keep(spaces->ranges);
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
static void take_early(AddressSpaces *spaces, guint32 *layer, char *line)
{
	Range range = { 0 };
	guint64 inode;

	if (!take_number(&line, 16, &range.start) || !take_number(&line, 16, &range.end) ||
	    !take_number(&line, 16, &range.offset) || !take_number(&line, 10, &inode) || !*line ||
	    range.start >= range.end)
		return;
	range.file = add_file(spaces, inode, line);
	*layer = ranges_cut(spaces->ranges, *layer, range.start, range.end, G_MAXUINT64);
	*layer = ranges_add(spaces->ranges, *layer, &range);
}

/* A layer of the space that a process has from before all events; NULL: it has no more. */
static guint32 *early_layer(AddressSpaces *spaces, guint32 tgid, guint64 read_ns)
{
	guint32 number = current_space(spaces, tgid);
	Space *space;
	guint layer;

	if (!number) {
		number = new_space(spaces, 0);
		move_in(spaces, tgid, 0, number);
	}
	space = get_space(spaces, number);
	layer = free_layer(space);
	if (layer == LAYERS)
		return NULL;
	space->readings[layer] = new_reading(spaces, tgid, read_ns, number);
	return &space->first.layers[layer];
}

/* "process tgid time_ns", then its code. */
static void take_process_maps(AddressSpaces *spaces, char *text)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(seed_number, NULL);
	static const char head[] = "process ";
	guint32 *layer = NULL;
	guint64 tgid;
	char *line;

	while ((line = tokenize_line(&text))) {
		if (!g_str_has_prefix(line, head)) {
			if (layer)
				take_early(spaces, layer, line);
			continue;
		}
		line += strlen(head);
		layer = NULL;
		if (!take_number(&line, 10, &tgid) || !tgid || tgid > G_MAXINT32 ||
		    !g_hash_table_add(seen, GUINT_TO_POINTER(tgid)))
			continue;
		layer = early_layer(spaces, tgid, g_ascii_strtoull(line, NULL, 10));
	}
}

/* For free(); NULL with 0 if none. A partial last line of a cut text is not returned. */
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
static int read_process_maps(AddressSpaces *spaces, struct trace_reader *reader, gboolean *found,
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

/* *@found: the trace has a text of address spaces. */
static int read_texts(AddressSpaces *spaces, struct trace_reader *reader, gboolean *found,
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
	/* A text that cannot be read is reported where all texts are read. */
	if (!ret && *found)
		read_lines(spaces, reader, "abi", KMEMTRACE_PHASE_START, take_abi, &abi, &unsaid);
	return ret;
}

/* ---- the whole ---- */

static void free_array(gpointer array)
{
	g_array_unref(array);
}

static AddressSpaces *spaces_new(void)
{
	AddressSpaces *spaces = g_new0(AddressSpaces, 1);

	spaces->spaces = g_array_new(FALSE, FALSE, sizeof(Space));
	g_array_set_clear_func(spaces->spaces, clear_space);
	spaces->readings = g_array_new(FALSE, FALSE, sizeof(Reading));
	spaces->ranges = ranges_new();
	spaces->processes = g_hash_table_new_full(seed_number, NULL, NULL, free_array);
	spaces->files = g_array_new(FALSE, TRUE, sizeof(SpaceFile));
	g_array_set_clear_func(spaces->files, clear_file);
	spaces->by_name = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	spaces->by_id = g_hash_table_new(seed_number, NULL);
	spaces->losses = losstimes_new();
	spaces->abi.page_shift = KERNEL_ABI_PAGE_SHIFT;
	return spaces;
}

void address_spaces_free(AddressSpaces *spaces)
{
	if (!spaces)
		return;
	g_array_unref(spaces->spaces);
	g_array_unref(spaces->readings);
	ranges_free(spaces->ranges);
	g_hash_table_unref(spaces->processes);
	g_array_unref(spaces->files);
	g_hash_table_unref(spaces->by_name);
	g_hash_table_unref(spaces->by_id);
	losstimes_free(spaces->losses);
	g_free(spaces);
}

/* Events of one CPU alone, before the others begin, are incomplete and of no help. */
static int read_events(AddressSpaces *spaces, struct trace_reader *reader, struct trace_error *err)
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
		if (trace_event_action(event->event) == TRACE_SPACE &&
		    (!beginning.late || event->time_ns >= beginning.time_ns))
			take_event(spaces, event);
	}
	if (!ret)
		losstimes_add_merge(spaces->losses, merge);
	trace_merge_close(merge);
	losstimes_sort(spaces->losses);
	return ret;
}

AddressSpaces *address_spaces_read(struct trace_reader *reader, struct trace_error *err)
{
	AddressSpaces *spaces = spaces_new();
	gboolean found = FALSE;
	int ret;

	err->text[0] = '\0';
	ret = read_texts(spaces, reader, &found, err);
	if (!ret && found)
		ret = read_events(spaces, reader, err);
	if (!ret)
		err->text[0] = '\0';
	if (!ret && found)
		return spaces;
	address_spaces_free(spaces);
	return NULL;
}

/* ---- questions ---- */

/* How many later versions there are at a time. */
static guint count_until(const Space *space, guint64 time_ns)
{
	return space->later ? SORTED_COUNT(space->later, Version, from_ns, time_ns) : 0;
}

SpaceMoment address_spaces_moment(const AddressSpaces *spaces, guint32 tgid, guint64 time_ns)
{
	const GArray *tenures = tenures_of(spaces, tgid);
	SpaceMoment moment = { 0 };
	guint count = tenures ? SORTED_COUNT(tenures, Tenure, from_ns, time_ns) : 0;

	if (!count)
		return moment;
	moment.space = g_array_index(tenures, Tenure, count - 1).space;
	moment.epoch = count_until(get_space(spaces, moment.space), time_ns) +
		       losstimes_edges(spaces->losses, time_ns);
	return moment;
}

/* Whether what is known since @known_ns, or was read then, holds at a time. */
static gboolean is_sure(const AddressSpaces *spaces, guint64 known_ns, guint64 time_ns)
{
	return !losstimes_any(spaces->losses, MIN(known_ns, time_ns), MAX(known_ns, time_ns));
}

/* NULL: @addr is not in the reading. */
static const Range *find_read(const AddressSpaces *spaces, const Reading *reading, guint32 layer,
			      guint64 addr)
{
	if (reading->is_void || ranges_find(spaces->ranges, reading->holes, addr))
		return NULL;
	return ranges_find(spaces->ranges, layer, addr);
}

/* *@known_ns: since when, or when it was read. */
static const Range *find_range(const AddressSpaces *spaces, const Space *space,
			       const Version *version, guint64 addr, guint64 *known_ns)
{
	const Range *range;

	for (guint i = LAYERS; i-- > 0;) {
		const Reading *reading;

		if (!space->readings[i])
			continue;
		reading = get_reading(spaces, space->readings[i]);
		range = find_read(spaces, reading, version->layers[i], addr);
		if (range) {
			*known_ns = MAX(range->from_ns, reading->read_ns);
			return range;
		}
	}
	range = ranges_find(spaces->ranges, version->events, addr);
	if (range)
		*known_ns = range->from_ns;
	return range;
}

guint32 address_spaces_find(const AddressSpaces *spaces, SpaceMoment moment, guint64 time_ns,
			    guint64 addr, guint64 *offset)
{
	const Version *version;
	const Range *range;
	const Space *space;
	guint64 known_ns;
	guint later;

	if (!moment.space)
		return 0;
	space = get_space(spaces, moment.space);
	later = count_until(space, time_ns);
	version = later ? &g_array_index(space->later, Version, later - 1) : &space->first;
	range = find_range(spaces, space, version, addr, &known_ns);
	if (!range || !is_sure(spaces, known_ns, time_ns))
		return 0;
	*offset = range->offset + (addr - range->start);
	return range->file;
}

guint32 address_spaces_files(const AddressSpaces *spaces)
{
	return spaces->files->len;
}

const SpaceFile *address_spaces_file(const AddressSpaces *spaces, guint32 file)
{
	return &g_array_index(spaces->files, SpaceFile, file - 1);
}
