// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the mapping of code to processes: the texts with processes' mappings and files, and the
 * events that change them, without a file. Each result must be a file that these name. If there are
 * only events, each result, also an empty one, is compared with the simplest model of memory: a
 * table of pages for each process.
 *
 * An input is a byte of settings; then, unless the settings ask for events alone, the texts
 * "process_maps" of the start and of the end, "files", "elf_files" and "abi", each up to a zero;
 * then EVENT_LEN bytes for each event.
 */
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "analysis/spaces/address_spaces.h"
#include "fuzz.h"
#include "trace/event/merge.h"

#define EVENT_LEN	7
#define EVENTS_MAX	120	/* all lookups are made after each of them */
#define PROCESSES	6	/* they have the numbers from 1 on */
#define MMS		7	/* the same; 0: unknown */
#define PAGES		48
#define PAGE_SIZE	4096	/* unless a text says otherwise */
#define BASE		G_GUINT64_CONSTANT(0x400000)

enum { EVENTS_ALONE = 1 };
enum { TEXTS = 5 };

static const char known_files[] = "1 10 /bin/a\n2 20 /lib/b\n3 10 /bin/a\n";

/* ---- a reader and its merge, of the input ---- */

struct trace_merge {
	struct trace_event events[EVENTS_MAX];
	guint count, next;
};

static struct trace_merge the_merge;
static char *texts[TEXTS];	/* NULL: there is no such text */

static const struct {
	const char *name;
	enum kmemtrace_phase phase;
} text_names[TEXTS] = {
	{ "process_maps", KMEMTRACE_PHASE_START },
	{ "process_maps", KMEMTRACE_PHASE_END },
	{ "files", KMEMTRACE_PHASE_END },
	{ "elf_files", KMEMTRACE_PHASE_END },
	{ "abi", KMEMTRACE_PHASE_START },
};

int trace_reader_snapshot(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
			  char **text, size_t *len, uint64_t *time_ns, struct trace_error *err)
{
	for (guint i = 0; i < TEXTS; i++) {
		if (!texts[i] || strcmp(name, text_names[i].name) || phase != text_names[i].phase)
			continue;
		*text = strdup(texts[i]);
		*len = strlen(texts[i]);
		return 0;
	}
	return trace_error_set(err, ENOENT, "no text");
}

int trace_reader_outer_snapshot(struct trace_reader *reader, const char *name,
				enum kmemtrace_phase phase, char **text, struct trace_error *err)
{
	size_t len;

	return trace_reader_snapshot(reader, name, phase, text, &len, NULL, err);
}

int trace_merge_open(struct trace_reader *reader, struct trace_merge **out, struct trace_error *err)
{
	the_merge.next = 0;
	*out = &the_merge;
	return 0;
}

void trace_merge_close(struct trace_merge *merge)
{
}

int trace_merge_look(struct trace_merge *merge, const struct trace_event **event,
		     struct trace_error *err)
{
	if (merge->next == merge->count)
		return 0;
	*event = &merge->events[merge->next++];
	return 1;
}

struct trace_beginning trace_merge_beginning(const struct trace_merge *merge)
{
	return (struct trace_beginning){ .late = false };
}

bool trace_reader_is_joined(const struct trace_reader *reader)
{
	return false;
}

bool trace_reader_lacks_parts(const struct trace_reader *reader)
{
	return false;
}

/* Reports no losses: here, events report them. */
size_t trace_merge_streams(const struct trace_merge *merge)
{
	return 0;
}

const struct trace_stream *trace_merge_stream(const struct trace_merge *merge, size_t index,
					      uint32_t *cpu)
{
	return NULL;
}

size_t trace_stream_losses(const struct trace_stream *stream,
			   const struct trace_loss_window **windows)
{
	return 0;
}

const struct trace_stream_stats *trace_stream_stats(const struct trace_stream *stream)
{
	return NULL;
}

/* ---- events out of bytes ---- */

static uint64_t addr_of(uint8_t place)
{
	static const uint64_t odd[] = { ~0ULL, ~0ULL - PAGE_SIZE + 1, 1ULL << 63, 1ULL << 47 };

	if (place >= 256 - G_N_ELEMENTS(odd))
		return odd[255 - place];
	return BASE + (uint64_t)(place % PAGES) * PAGE_SIZE;
}

/* Only the kernel's event about lost events has no process. */
static struct trace_event event_of(const uint8_t *bytes, uint64_t before_ns, gboolean alone)
{
	static const uint8_t types[] = {
		KMEMTRACE_EVENT_MAP, KMEMTRACE_EVENT_MAP, KMEMTRACE_EVENT_FORK,
		KMEMTRACE_EVENT_EXEC, KMEMTRACE_EVENT_MAP, KMEMTRACE_EVENT_MAP,
		KMEMTRACE_EVENT_FORK, KMEMTRACE_EVENT_DUP_MM,
	};
	struct trace_event event = {
		.event = types[bytes[0] / 64 % 2 * 4 + bytes[0] % 4],
		.time_ns = before_ns + bytes[1] + alone,
		.tgid = 1 + bytes[2] % PROCESSES,
		.mm = bytes[0] / 8 % (MMS + 1),
	};

	if (event.event == KMEMTRACE_EVENT_EXEC && !alone && bytes[0] & 4)
		event.tgid = 0;
	if (event.event == KMEMTRACE_EVENT_FORK) {
		event.bytes_req = 1 + bytes[3] % PROCESSES;
		event.bytes_alloc = bytes[4] & 1;
	} else if (event.event == KMEMTRACE_EVENT_DUP_MM) {
		event.bytes_alloc = bytes[3] % (MMS + 1);
	} else if (event.event == KMEMTRACE_EVENT_MAP) {
		event.addr = addr_of(bytes[3]);
		event.bytes_req = bytes[4] == 255 ? G_MAXUINT32 : bytes[4] % 16;
		event.bytes_alloc = bytes[5] % 5;	/* 0 and 4 are unknown */
		event.call_site = (uint64_t)bytes[6] * PAGE_SIZE;
	}
	return event;
}

static void take_events(const uint8_t *data, size_t size, gboolean alone)
{
	uint64_t now_ns = 1000;

	the_merge.count = 0;
	while (size >= EVENT_LEN && the_merge.count < EVENTS_MAX) {
		struct trace_event event = event_of(data, now_ns, alone);

		now_ns = event.time_ns;
		the_merge.events[the_merge.count++] = event;
		data += EVENT_LEN;
		size -= EVENT_LEN;
	}
}

/* ---- the simplest memory ---- */

typedef struct {
	struct {
		guint32 file;	/* the tracer's number; 0: none */
		guint64 offset;
	} pages[PAGES];
	guint32 mm;	/* 0: unknown */
} Memory;

typedef struct {
	GPtrArray *all;		/* of Memory */
	Memory *of[PROCESSES + 1];	/* by tgid; NULL: unknown */
	Memory *of_mm[MMS + 1];		/* the same; [0]: none */
} Model;

static Memory *new_memory(Model *model, const Memory *like)
{
	Memory *memory = like ? g_memdup2(like, sizeof(*like)) : g_new0(Memory, 1);

	memory->mm = 0;
	g_ptr_array_add(model->all, memory);
	return memory;
}

static Memory *memory_of_mm(Model *model, guint32 mm, Memory *memory)
{
	if (mm) {
		model->of_mm[mm] = memory;
		memory->mm = mm;
	}
	return memory;
}

/* The memory with @mm, else that of the process, unless it has another mm. */
static Memory *known_memory(Model *model, guint32 mm, guint32 tgid)
{
	Memory *memory = model->of_mm[mm];

	if (memory)
		return memory;
	memory = model->of[tgid];
	if (memory && mm && memory->mm && memory->mm != mm)
		return NULL;
	return memory ? memory_of_mm(model, mm, memory) : NULL;
}

static void model_map(Model *model, const struct trace_event *event)
{
	gboolean known = event->bytes_alloc >= 1 && event->bytes_alloc <= 3;
	Memory *memory = known_memory(model, event->mm, event->tgid);

	if (!memory && !known)
		return;
	if (!memory)
		memory = memory_of_mm(model, event->mm, new_memory(model, NULL));
	if (known)
		model->of[event->tgid] = memory;
	for (guint i = 0; i < PAGES; i++) {
		guint64 addr = BASE + (guint64)i * PAGE_SIZE;

		if (addr < event->addr || (addr - event->addr) / PAGE_SIZE >= event->bytes_req)
			continue;
		memory->pages[i].file = known ? event->bytes_alloc : 0;
		memory->pages[i].offset = event->call_site + (addr - event->addr);
	}
}

static void model_fork(Model *model, const struct trace_event *event)
{
	Memory *parent = model->of[event->bytes_req];
	Memory *child = event->bytes_alloc ? known_memory(model, event->mm, event->bytes_req)
					   : model->of_mm[event->mm];

	if (!child)
		child = memory_of_mm(model, event->mm,
				     new_memory(model, event->mm ? NULL : parent));
	model->of[event->tgid] = child;
}

static void model_take(Model *model, const struct trace_event *event)
{
	Memory *original = NULL;

	switch (event->event) {
	case KMEMTRACE_EVENT_MAP:
		model_map(model, event);
		break;
	case KMEMTRACE_EVENT_EXEC:
		model->of[event->tgid] =
			memory_of_mm(model, event->mm, new_memory(model, NULL));
		break;
	case KMEMTRACE_EVENT_FORK:
		model_fork(model, event);
		break;
	case KMEMTRACE_EVENT_DUP_MM:
		if (event->bytes_alloc)
			original = known_memory(model, event->bytes_alloc, event->tgid);
		memory_of_mm(model, event->mm, new_memory(model, original));
		break;
	}
}

/* ---- results ---- */

static guint32 ask(const AddressSpaces *spaces, guint32 tgid, guint64 time_ns, guint64 addr,
		   guint64 *offset)
{
	SpaceMoment moment = address_spaces_moment(spaces, tgid, time_ns);
	guint32 file = address_spaces_find(spaces, moment, time_ns, addr, offset);

	REQUIRE(file <= address_spaces_files(spaces));
	REQUIRE(!file || moment.space);
	return file;
}

/* Now, and therefore until the next event. */
static void compare(const AddressSpaces *spaces, const Model *model, guint64 time_ns)
{
	static const char *const paths[] = { NULL, "/bin/a", "/lib/b", "/bin/a" };

	for (guint32 tgid = 1; tgid <= PROCESSES; tgid++) {
		for (guint i = 0; i < PAGES; i++) {
			const Memory *memory = model->of[tgid];
			guint32 expected = memory ? memory->pages[i].file : 0, found;
			guint64 in_page = i * 85 % PAGE_SIZE, offset;

			found = ask(spaces, tgid, time_ns, BASE + i * PAGE_SIZE + in_page, &offset);
			REQUIRE(!found == !expected);
			if (!found)
				continue;
			REQUIRE(!strcmp(address_spaces_file(spaces, found)->path, paths[expected]));
			REQUIRE(offset == memory->pages[i].offset + in_page);
		}
	}
}

static void compare_all(const AddressSpaces *spaces)
{
	Model model = { .all = g_ptr_array_new_with_free_func(g_free) };

	for (guint i = 0; i < the_merge.count; i++) {
		model_take(&model, &the_merge.events[i]);
		compare(spaces, &model, the_merge.events[i].time_ns);
	}
	g_ptr_array_unref(model.all);
}

static void check_files(const AddressSpaces *spaces)
{
	for (guint32 i = 1; i <= address_spaces_files(spaces); i++) {
		const SpaceFile *file = address_spaces_file(spaces, i);

		REQUIRE(file->path && *file->path && !strchr(file->path, '\n'));
		REQUIRE(!file->build_id || (*file->build_id && !strchr(file->build_id, ' ')));
	}
}

/* The same question has the same answer. */
static void ask_all(const AddressSpaces *spaces)
{
	for (guint i = 0; i <= the_merge.count; i++) {
		guint64 time_ns = i ? the_merge.events[i - 1].time_ns : 500;

		for (guint32 tgid = 0; tgid <= PROCESSES; tgid++) {
			for (guint place = 0; place < 256; place += place < 252 ? 5 : 1) {
				guint64 addr = addr_of(place), offset, again;
				guint32 file = ask(spaces, tgid, time_ns, addr, &offset);

				REQUIRE(file == ask(spaces, tgid, time_ns, addr, &again));
				REQUIRE(!file || offset == again);
			}
		}
	}
}

/* Splits the texts off the front. */
static void take_texts(const uint8_t **data, size_t *size)
{
	for (guint i = 0; i < TEXTS; i++) {
		const uint8_t *end = memchr(*data, 0, *size);
		size_t len = end ? (size_t)(end - *data) : *size;

		texts[i] = len ? g_strndup((const char *)*data, len) : NULL;
		*data += end ? len + 1 : len;
		*size -= end ? len + 1 : len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_error err;
	gboolean alone;
	AddressSpaces *spaces;

	if (!size)
		return 0;
	alone = *data++ & EVENTS_ALONE;
	size--;
	if (alone)
		texts[2] = g_strdup(known_files);
	else
		take_texts(&data, &size);
	take_events(data, size, alone);
	spaces = address_spaces_read(NULL, &err);
	REQUIRE(!err.text[0]);
	if (spaces) {
		check_files(spaces);
		if (alone)
			compare_all(spaces);
		else
			ask_all(spaces);
	}
	address_spaces_free(spaces);
	for (guint i = 0; i < TEXTS; i++)
		g_clear_pointer(&texts[i], g_free);
	return 0;
}
