// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "kmemtrace_abi.h"

#define LONG_NAME	5000	/* bytes */
#define CHANGES_MAX	6	/* of one mutation */

/* ---- randomness ---- */

/* splitmix64: the same on every machine. */
static uint64_t draw(struct trace *trace)
{
	uint64_t x = trace->random += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static size_t below(struct trace *trace, size_t count)
{
	return count ? draw(trace) % count : 0;
}

/* ---- numbers ---- */

struct field {
	uint16_t at, size;
};

#define FIELD(type, name) { offsetof(struct type, name), sizeof(((struct type *)NULL)->name) }

static const struct field record_fields[] = {
	FIELD(kmemtrace_record, time_ns), FIELD(kmemtrace_record, addr),
	FIELD(kmemtrace_record, call_site), FIELD(kmemtrace_record, stack_id),
	FIELD(kmemtrace_record, bytes_req), FIELD(kmemtrace_record, bytes_alloc),
	FIELD(kmemtrace_record, gfp), FIELD(kmemtrace_record, tid),
	FIELD(kmemtrace_record, cache), FIELD(kmemtrace_record, page.order),
	FIELD(kmemtrace_record, page.migratetype), FIELD(kmemtrace_record, node),
	FIELD(kmemtrace_record, type), FIELD(kmemtrace_record_user, user_stack_id),
	FIELD(kmemtrace_record_user, tgid),
};

static const struct field subbuf_fields[] = {
	FIELD(kmemtrace_subbuf_header, magic), FIELD(kmemtrace_subbuf_header, abi_version),
	FIELD(kmemtrace_subbuf_header, header_len), FIELD(kmemtrace_subbuf_header, record_len),
	FIELD(kmemtrace_subbuf_header, byte_order), FIELD(kmemtrace_subbuf_header, word_size),
	FIELD(kmemtrace_subbuf_header, cpu), FIELD(kmemtrace_subbuf_header, seq),
	FIELD(kmemtrace_subbuf_header, time_ns), FIELD(kmemtrace_subbuf_header, session),
	FIELD(kmemtrace_subbuf_header, written), FIELD(kmemtrace_subbuf_header, ignored),
	FIELD(kmemtrace_subbuf_header, lost[0]), FIELD(kmemtrace_subbuf_header, lost[1]),
	FIELD(kmemtrace_subbuf_header, lost[3]), FIELD(kmemtrace_subbuf_header, lost[5]),
	FIELD(kmemtrace_subbuf_header, lost[7]),
};

static const struct field snapshot_fields[] = {
	FIELD(kmemtrace_chunk_snapshot, time_ns), FIELD(kmemtrace_chunk_snapshot, phase),
	FIELD(kmemtrace_chunk_snapshot, name_len), FIELD(kmemtrace_chunk_snapshot, text_at),
};

/* Then the table's header in the piece that has it, or the first entry. */
static const struct field stacks_fields[] = {
	FIELD(kmemtrace_chunk_stacks, offset), { 8, 4 }, { 12, 2 }, { 14, 2 }, { 16, 8 },
	{ 24, 4 }, { 28, 2 }, { 30, 2 }, { 32, 8 }, { 40, 8 },
};

/* A number that is likely to cause trouble; often close to @old. */
static uint64_t odd_number(struct trace *trace, uint64_t old)
{
	unsigned int bit = below(trace, 64);

	switch (below(trace, 10)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return UINT64_MAX - below(trace, 3);
	case 3:
		return old - 1;
	case 4:
		return old + 1;
	case 5:
		return UINT64_C(1) << bit;
	case 6:
		return (UINT64_C(1) << bit) - 1;
	case 7:
		return old ^ UINT64_C(1) << bit;
	case 8:
		return below(trace, 256);
	default:
		return draw(trace);
	}
}

static void change_field(struct trace *trace, GByteArray *bytes, size_t at,
			 const struct field *field, bool swap)
{
	uint8_t *place = bytes->data + at + field->at;

	if (at + field->at + field->size <= bytes->len)
		bytes_put(place, field->size, swap,
		    odd_number(trace, bytes_get(place, field->size, swap)));
}

#define CHANGE_ONE(trace, bytes, at, fields, swap)				\
	change_field(trace, bytes, at, &(fields)[below(trace, G_N_ELEMENTS(fields))], swap)

/* ---- which chunk ---- */

static struct chunk *chunk_at(const struct trace *trace, size_t index)
{
	return g_ptr_array_index(trace->chunks, index);
}

static struct chunk *any_chunk(struct trace *trace)
{
	return trace->chunks->len ? chunk_at(trace, below(trace, trace->chunks->len)) : NULL;
}

/* One of @type with a payload of @len bytes or more, or NULL. */
static struct chunk *chunk_of(struct trace *trace, uint16_t type, size_t len)
{
	size_t count = trace->chunks->len, first = below(trace, count);

	for (size_t i = 0; i < count; i++) {
		struct chunk *chunk = chunk_at(trace, (first + i) % count);

		if (chunk->type == type && chunk->payload->len >= len)
			return chunk;
	}
	return NULL;
}

static size_t text_from(const struct trace *trace, const struct chunk *snapshot)
{
	return sizeof(struct kmemtrace_chunk_snapshot) +
	       bytes_get(snapshot->payload->data + 10, 2, trace->swap);
}

static bool is_whole_snapshot(const struct trace *trace, const struct chunk *chunk)
{
	return chunk->type == KMEMTRACE_CHUNK_SNAPSHOT &&
	       chunk->payload->len >= sizeof(struct kmemtrace_chunk_snapshot) &&
	       chunk->payload->len >= text_from(trace, chunk);
}

static bool is_named(const struct trace *trace, const struct chunk *chunk, const char *name)
{
	size_t len = strlen(name), from = sizeof(struct kmemtrace_chunk_snapshot);

	return chunk->type == KMEMTRACE_CHUNK_SNAPSHOT && chunk->payload->len >= from + len &&
	       bytes_get(chunk->payload->data + 10, 2, trace->swap) == len &&
	       memcmp(chunk->payload->data + from, name, len) == 0;
}

/* A snapshot with a complete name; with @name, one of that name. */
static struct chunk *snapshot_of(struct trace *trace, const char *name)
{
	size_t count = trace->chunks->len, first = below(trace, count);

	for (size_t i = 0; i < count; i++) {
		struct chunk *chunk = chunk_at(trace, (first + i) % count);

		if (is_whole_snapshot(trace, chunk) && (!name || is_named(trace, chunk, name)))
			return chunk;
	}
	return NULL;
}

/* ---- sub-buffers ---- */

struct records {
	GByteArray *bytes;	/* the sub-buffer */
	bool swap;
	size_t from, len, count;	/* the first record, their distance, their number */
};

static bool find_records(const struct chunk *chunk, struct records *records)
{
	GByteArray *bytes = chunk->payload;

	if (chunk->type != KMEMTRACE_CHUNK_DATA ||
	    bytes->len < sizeof(struct kmemtrace_subbuf_header))
		return false;
	records->bytes = bytes;
	records->swap = bytes_get(bytes->data, 4, false) != KMEMTRACE_SUBBUF_MAGIC;
	records->from = bytes_get(bytes->data + 6, 2, records->swap);
	records->len = bytes_get(bytes->data + 8, 2, records->swap);
	if (records->from > bytes->len || records->len < sizeof(struct kmemtrace_record))
		return false;
	records->count = (bytes->len - records->from) / records->len;
	return records->count;
}

/* The records of a sub-buffer that isn't empty. */
static bool any_records(struct trace *trace, struct records *records)
{
	struct chunk *chunk = chunk_of(trace, KMEMTRACE_CHUNK_DATA,
				       sizeof(struct kmemtrace_subbuf_header));

	return chunk && find_records(chunk, records);
}

static uint8_t *record_at(const struct records *records, size_t index)
{
	return records->bytes->data + records->from + index * records->len;
}

static uint8_t *any_record(struct trace *trace, const struct records *records)
{
	return record_at(records, below(trace, records->count));
}

/* ---- changes: chunks ---- */

static void remove_chunk(struct trace *trace)
{
	if (trace->chunks->len)
		g_ptr_array_remove_index(trace->chunks, below(trace, trace->chunks->len));
}

/* All chunks of a type, or every second one. */
static void remove_chunks(struct trace *trace)
{
	const struct chunk *like = any_chunk(trace);
	uint16_t type = like ? like->type : 0;
	bool all = below(trace, 2);

	for (guint i = trace->chunks->len; i-- > 0;) {
		if (chunk_at(trace, i)->type == type && (all || below(trace, 2)))
			g_ptr_array_remove_index(trace->chunks, i);
	}
}

static void remove_cpu(struct trace *trace)
{
	const size_t at = offsetof(struct kmemtrace_subbuf_header, cpu);
	const struct chunk *like = chunk_of(trace, KMEMTRACE_CHUNK_DATA, at + 4);
	uint32_t cpu;

	if (!like)
		return;
	memcpy(&cpu, like->payload->data + at, sizeof(cpu));
	for (guint i = trace->chunks->len; i-- > 0;) {
		const struct chunk *chunk = chunk_at(trace, i);

		if (chunk->type == KMEMTRACE_CHUNK_DATA && chunk->payload->len >= at + 4 &&
		    memcmp(chunk->payload->data + at, &cpu, sizeof(cpu)) == 0)
			g_ptr_array_remove_index(trace->chunks, i);
	}
}

static void duplicate_chunk(struct trace *trace)
{
	const struct chunk *chunk = any_chunk(trace);

	if (chunk)
		g_ptr_array_insert(trace->chunks, below(trace, trace->chunks->len + 1),
				   chunks_copy(chunk));
}

static void move_chunk(struct trace *trace)
{
	if (trace->chunks->len) {
		gpointer chunk = g_ptr_array_steal_index(trace->chunks,
							 below(trace, trace->chunks->len));

		g_ptr_array_insert(trace->chunks, below(trace, trace->chunks->len + 1), chunk);
	}
}

static void swap_chunks(struct trace *trace)
{
	size_t count = trace->chunks->len, a = below(trace, count), b = below(trace, count);

	if (count) {
		gpointer chunk = trace->chunks->pdata[a];

		trace->chunks->pdata[a] = trace->chunks->pdata[b];
		trace->chunks->pdata[b] = chunk;
	}
}

static void cut_tail(struct trace *trace)
{
	if (below(trace, 2))
		g_ptr_array_set_size(trace->chunks, below(trace, trace->chunks->len + 1));
	else
		trace->cut = below(trace, 200);
}

static void change_chunk_header(struct trace *trace)
{
	struct chunk *chunk = any_chunk(trace);

	if (!chunk)
		return;
	switch (below(trace, 5)) {
	case 0:
		chunk->type = below(trace, 8);
		break;
	case 1:
		chunk->type = odd_number(trace, chunk->type);
		break;
	case 2:
		chunk->flags = odd_number(trace, chunk->flags);
		break;
	case 3:
		chunk->number = odd_number(trace, chunk->number);
		break;
	default:
		chunk->len = (uint32_t)odd_number(trace, chunk->payload->len);
	}
}

/* Avoids lengths that need gigabytes, as a limit catches these. */
static void change_packing(struct trace *trace)
{
	struct chunk *chunk = any_chunk(trace);

	if (!chunk || chunk->type == KMEMTRACE_CHUNK_END)
		return;
	if (below(trace, 2)) {
		chunk->packed = !chunk->packed;
		chunk->head_len = sizeof(struct kmemtrace_subbuf_header);
	} else if (below(trace, 2)) {
		chunk->head_len = odd_number(trace, chunk->head_len);
	} else {
		chunk->raw_len = chunk->payload->len + below(trace, 5) - 2;
	}
}

static void change_head(struct trace *trace)
{
	struct chunk *chunk = any_chunk(trace);
	struct records records;

	if (chunk && chunk->type == KMEMTRACE_CHUNK_SNAPSHOT)
		CHANGE_ONE(trace, chunk->payload, 0, snapshot_fields, trace->swap);
	else if (chunk && chunk->type == KMEMTRACE_CHUNK_STACKS)
		CHANGE_ONE(trace, chunk->payload, 0, stacks_fields, trace->swap);
	else if (chunk && find_records(chunk, &records))
		CHANGE_ONE(trace, chunk->payload, 0, subbuf_fields, records.swap);
}

static void change_file_header(struct trace *trace)
{
	static const struct field fields[] = { FIELD(kmemtrace_file_header, version),
					       FIELD(kmemtrace_file_header, header_len) };

	if (!below(trace, 4))
		CHANGE_ONE(trace, trace->head, 0, fields, trace->swap);
}

/* Splits a piece of the stack table or of a text in two. */
static void split_chunk(struct trace *trace)
{
	struct chunk *chunk = any_chunk(trace), *second;
	size_t from, at;

	if (!chunk || chunk->payload->len < 16 ||
	    (chunk->type != KMEMTRACE_CHUNK_STACKS && chunk->type != KMEMTRACE_CHUNK_SNAPSHOT))
		return;
	from = chunk->type == KMEMTRACE_CHUNK_STACKS ? 8 : text_from(trace, chunk);
	if (from >= chunk->payload->len)
		return;
	at = from + below(trace, chunk->payload->len - from);
	second = chunks_copy(chunk);
	bytes_splice(second->payload, from, at - from, NULL, 0);
	g_byte_array_set_size(chunk->payload, at);
	if (chunk->type == KMEMTRACE_CHUNK_STACKS)
		bytes_put(second->payload->data, 8, trace->swap,
		    bytes_get(chunk->payload->data, 8, trace->swap) + at - from);
	else
		bytes_put(second->payload->data + 12, 4, trace->swap,
		    bytes_get(chunk->payload->data + 12, 4, trace->swap) + at - from);
	g_ptr_array_insert(trace->chunks, below(trace, trace->chunks->len + 1), second);
}

static void change_stack(struct trace *trace)
{
	struct chunk *chunk = chunk_of(trace, KMEMTRACE_CHUNK_STACKS, 40);

	if (chunk) {
		const struct field word = { 0, below(trace, 2) ? 8 : 4 };
		size_t at = below(trace, chunk->payload->len / word.size) * word.size;

		change_field(trace, chunk->payload, at, &word, trace->swap);
	}
}

/* ---- changes: records ---- */

static void change_record(struct trace *trace)
{
	struct records records;

	if (any_records(trace, &records))
		CHANGE_ONE(trace, records.bytes, any_record(trace, &records) - records.bytes->data,
			   record_fields, records.swap);
}

/* The value of another record. */
static void copy_field(struct trace *trace)
{
	const struct field *field = &record_fields[below(trace, G_N_ELEMENTS(record_fields))];
	struct records to, from;

	if (any_records(trace, &to) && any_records(trace, &from) &&
	    (size_t)field->at + field->size <= MIN(to.len, from.len))
		memmove(any_record(trace, &to) + field->at, any_record(trace, &from) + field->at,
		       field->size);
}

static void copy_record(struct trace *trace)
{
	struct records to, from;

	if (any_records(trace, &to) && any_records(trace, &from))
		memmove(any_record(trace, &to), any_record(trace, &from), MIN(to.len, from.len));
}

static void swap_records(struct trace *trace)
{
	struct records records;
	uint8_t *a, *b;

	if (!any_records(trace, &records))
		return;
	a = any_record(trace, &records);
	b = any_record(trace, &records);
	for (size_t i = 0; i < records.len; i++) {
		uint8_t byte = a[i];

		a[i] = b[i];
		b[i] = byte;
	}
}

/* Shifts some records of a CPU in time, or makes them go backwards, or beyond 2^63. */
static void move_times(struct trace *trace)
{
	uint64_t by = odd_number(trace, draw(trace) % 1000000000);
	bool mirror = below(trace, 3) == 0;
	struct records records;

	if (!any_records(trace, &records))
		return;
	for (size_t i = below(trace, records.count); i < records.count; i++) {
		uint8_t *time = record_at(&records, i);
		uint64_t old = bytes_get(time, 8, records.swap);

		bytes_put(time, 8, records.swap, mirror ? by - old : by + old);
	}
}

static void remove_records(struct trace *trace)
{
	struct records records;
	size_t at, count;

	if (!any_records(trace, &records))
		return;
	at = below(trace, records.count);
	count = 1 + below(trace, records.count - at);
	bytes_splice(records.bytes, records.from + at * records.len, count * records.len, NULL, 0);
}

static void change_type(struct trace *trace)
{
	struct records records;

	if (any_records(trace, &records))
		any_record(trace, &records)[offsetof(struct kmemtrace_record, type)] =
			below(trace, KMEMTRACE_CONTEXT_NR) << KMEMTRACE_TYPE_CONTEXT_SHIFT |
			below(trace, KMEMTRACE_EVENT_NR);
}

/* ---- changes: names ---- */

#define NAME(text) { text, sizeof(text) - 1 }

static const struct {
	const char *bytes;
	size_t len;
} names[] = {
	NAME("\x1b[31m"), NAME("\x1b]0;t\x07"), NAME("\x1bP"), NAME("\r"), NAME("a\rb"), NAME("\x7f"),
	NAME("a\0b"), NAME("\b\b"), NAME("\xc2\x9b" "31m"), NAME("\xc2\x85"), NAME("\x9b" "31m"),
	NAME("\xe2\x80\xae" "gnp"), NAME("\xe2\x81\xa6" "a"), NAME("\xe2\x80\x8f"), NAME("\xd8\x9c"),
	NAME("\xe2\x80\xa8"), NAME("\xff\xfe"), NAME("\xc3"), NAME("\xed\xa0\x80"),
	NAME("\xf4\x90\x80\x80"), NAME("\xc0\x80"), NAME("\xef\xbf\xbf"), NAME(""),
	NAME("=cmd|' /C calc'!A0"), NAME("+1"), NAME("-1"), NAME("@SUM(1)"), NAME("$(id>x)"), NAME("`id`"),
	NAME("'"), NAME("\""), NAME("';--"), NAME("a,b"), NAME("a;b"), NAME("a\nb"), NAME("a\tb"), NAME(" "),
	NAME("</script><b>"), NAME("&lt;"), NAME("\\"), NAME("\\u001b"), NAME("%s%n"), NAME("[x]"), NAME("]"),
	NAME("../../x"), NAME("/"), NAME("?"), NAME("*"), NAME("{\"a\":"), NAME("0x"),
};

static GByteArray *hostile_name(struct trace *trace)
{
	size_t i = below(trace, G_N_ELEMENTS(names) + 1);
	GByteArray *name;

	if (i < G_N_ELEMENTS(names))
		return bytes_copy(names[i].bytes, names[i].len);
	name = bytes_copy("", 0);
	g_byte_array_set_size(name, below(trace, LONG_NAME));
	memset(name->data, 'A', name->len);
	return name;
}

static bool is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\n' || byte == '\t' || byte == '=';
}

/* Finds the first word of a text from @at on, up to @end. Returns its length. */
static size_t find_word(const GByteArray *bytes, size_t *at, size_t end)
{
	size_t len = 0;

	while (*at < end && is_space(bytes->data[*at]))
		++*at;
	while (*at + len < end && !is_space(bytes->data[*at + len]))
		len++;
	return len;
}

/* A word of a text, or a part of it. */
static void change_name(struct trace *trace)
{
	struct chunk *chunk = snapshot_of(trace, NULL);
	size_t from = chunk ? text_from(trace, chunk) : 0, len;
	GByteArray *name;

	if (!chunk || from >= chunk->payload->len)
		return;
	name = hostile_name(trace);
	from += below(trace, chunk->payload->len - from);
	if (below(trace, 4))
		while (from > text_from(trace, chunk) && !is_space(chunk->payload->data[from - 1]))
			from--;
	len = find_word(chunk->payload, &from, chunk->payload->len);
	if (!below(trace, 4))
		len = below(trace, len);
	bytes_splice(chunk->payload, from, len, name->data, name->len);
	g_byte_array_unref(name);
}

/* The name of a thread, or the text of a mark: its whole field. */
static void change_record_name(struct trace *trace)
{
	GByteArray *name = hostile_name(trace);
	struct records records;

	for (int tries = 0; tries < 50 && any_records(trace, &records); tries++) {
		uint8_t *record = any_record(trace, &records);
		unsigned int event = record[offsetof(struct kmemtrace_record, type)] &
				     KMEMTRACE_TYPE_EVENT_MASK;
		size_t room = event == KMEMTRACE_EVENT_TASK ? 16 : KMEMTRACE_MARK_TEXT;

		if (event != KMEMTRACE_EVENT_TASK && event != KMEMTRACE_EVENT_MARK)
			continue;
		memset(record + 8, 0, room);
		memcpy(record + 8, name->data, MIN(name->len, room));
		break;
	}
	g_byte_array_unref(name);
}

/* Renames a text. */
static void rename_snapshot(struct trace *trace)
{
	static const char *const known[] = {
		"host", "abi", "stats", "process_maps", "files", "elf_files", "caches",
		"cache_aliases", "tasks", "events", "filters", "cpu_nodes", "overwrite", "paths",
		"kallsyms", "bpf_programs", "modules", "module_times", "module_functions",
		"build_ids", "meminfo", "slabinfo", "buddyinfo", "vmstat", "buddyinfo_times",
		"recovered", "unknown",
	};
	const char *name = known[below(trace, G_N_ELEMENTS(known))];
	struct chunk *chunk = snapshot_of(trace, NULL);
	size_t from = sizeof(struct kmemtrace_chunk_snapshot);

	if (!chunk)
		return;
	bytes_splice(chunk->payload, from, text_from(trace, chunk) - from, name, strlen(name));
	bytes_put(chunk->payload->data + 10, 2, trace->swap, strlen(name));
}

/* ---- changes: numbers and lines of texts ---- */

/* A number in a text, more often one of the counters. */
static void change_counter(struct trace *trace)
{
	struct chunk *chunk = snapshot_of(trace, below(trace, 2) ? "stats" : NULL);
	size_t from = chunk ? text_from(trace, chunk) : 0, at, len;
	char text[32];

	if (!chunk || from >= chunk->payload->len)
		return;
	at = from + below(trace, chunk->payload->len - from);
	for (len = 0; at < chunk->payload->len; at += len) {
		len = find_word(chunk->payload, &at, chunk->payload->len);
		if (len && g_ascii_isxdigit(chunk->payload->data[at])) {
			g_autofree char *word = g_strndup((char *)chunk->payload->data + at, len);
			uint64_t value = odd_number(trace, g_ascii_strtoll(word, NULL, 10));

			g_snprintf(text, sizeof(text), below(trace, 4) ? "%" PRIu64 : "%" PRIx64, value);
			bytes_splice(chunk->payload, at, len, text, strlen(text));
			return;
		}
	}
}

/* From the line's first byte to the byte after its end. */
static size_t find_line(struct trace *trace, const struct chunk *chunk, size_t *at)
{
	const GByteArray *bytes = chunk->payload;
	size_t from = text_from(trace, chunk), end;

	*at = from + below(trace, bytes->len - from);
	while (*at > from && bytes->data[*at - 1] != '\n')
		--*at;
	for (end = *at; end < bytes->len && bytes->data[end] != '\n'; end++)
		;
	return MIN(end + 1, bytes->len) - *at;
}

/* Duplicates, moves or removes a line of a text. */
static void change_lines(struct trace *trace)
{
	struct chunk *chunk = snapshot_of(trace, NULL);
	GByteArray *line;
	size_t at, len;

	if (!chunk || text_from(trace, chunk) >= chunk->payload->len)
		return;
	len = find_line(trace, chunk, &at);
	line = bytes_copy(chunk->payload->data + at, len);
	if (below(trace, 2))
		bytes_splice(chunk->payload, at, len, NULL, 0);
	if (below(trace, 3) && text_from(trace, chunk) < chunk->payload->len) {
		find_line(trace, chunk, &at);
		bytes_splice(chunk->payload, at, 0, line->data, line->len);
	}
	g_byte_array_unref(line);
}

/* Pieces of a text belong together if each starts at the length of the text before it. */
static void mend_pieces(const struct trace *trace)
{
	for (guint i = 0; i < trace->chunks->len; i++) {
		const struct chunk *first = chunk_at(trace, i);
		size_t from, len;

		if (!is_whole_snapshot(trace, first))
			continue;
		from = text_from(trace, first);
		len = bytes_get(first->payload->data + 12, 4, trace->swap) +
		      first->payload->len - from;
		for (guint next = i + 1; next < trace->chunks->len; next++) {
			uint8_t *bytes = chunk_at(trace, next)->payload->data;

			if (chunk_at(trace, next)->type != KMEMTRACE_CHUNK_SNAPSHOT ||
			    chunk_at(trace, next)->payload->len < from ||
			    memcmp(bytes + 8, first->payload->data + 8, 4) != 0 ||
			    memcmp(bytes + 16, first->payload->data + 16, from - 16) != 0)
				continue;
			if (bytes_get(bytes + 12, 4, trace->swap))
				bytes_put(bytes + 12, 4, trace->swap, len);
			break;
		}
	}
}

/* ---- mutations ---- */

static void (*const changes[])(struct trace *trace) = {
	remove_chunk,	   remove_chunks, remove_cpu,	 duplicate_chunk,   move_chunk,
	swap_chunks,	   cut_tail,	  change_packing, change_chunk_header, change_head,
	change_head,	   split_chunk,	  change_stack,	 change_file_header, change_record,
	change_record,	   copy_field,	  copy_field,	 copy_record,	    swap_records,
	move_times,	   remove_records, change_type,	 change_name,	    change_name,
	change_name,	   change_record_name, rename_snapshot, change_counter, change_counter,
	change_lines,
};

static bool begin(struct trace *trace, const uint8_t *data, size_t size, uint32_t seed)
{
	if (!chunks_parse(trace, data, size))
		return false;
	trace->random = seed;
	return true;
}

size_t mutate_trace(uint8_t *data, size_t size, size_t room, uint32_t seed)
{
	struct trace trace;
	size_t mutated;

	if (!begin(&trace, data, size, seed))
		return 0;
	for (size_t count = 1 + below(&trace, CHANGES_MAX); count; count--)
		changes[below(&trace, G_N_ELEMENTS(changes))](&trace);
	if (below(&trace, 8))
		mend_pieces(&trace);
	mutated = chunks_write(&trace, data, room);
	chunks_clear(&trace);
	return mutated;
}

size_t mutate_cross(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
		    size_t room, uint32_t seed)
{
	struct trace one, other = { 0 };
	size_t crossed = 0;

	if (begin(&one, a, a_size, seed) && begin(&other, b, b_size, seed) && other.chunks->len) {
		size_t from = below(&other, other.chunks->len);
		size_t count = 1 + below(&other, MIN(other.chunks->len - from, 8));
		size_t to = below(&one, one.chunks->len + 1);

		for (size_t i = 0; i < count; i++) {
			struct chunk *copy = chunks_copy(chunk_at(&other, from + i));

			g_ptr_array_insert(one.chunks, to + i, copy);
		}
		crossed = chunks_write(&one, out, room);
	}
	chunks_clear(&one);
	chunks_clear(&other);
	return crossed;
}

static uint64_t subbuf_field(const struct records *records, size_t at, size_t size)
{
	return bytes_get(records->bytes->data + at, size, records->swap);
}

/* A reader uses the first of several sub-buffers with the same number. */
static bool is_same(const struct records *a, const struct records *b)
{
	const struct field same[] = { FIELD(kmemtrace_subbuf_header, cpu),
				      FIELD(kmemtrace_subbuf_header, seq),
				      FIELD(kmemtrace_subbuf_header, session) };

	for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
		if (subbuf_field(a, same[i].at, same[i].size) !=
		    subbuf_field(b, same[i].at, same[i].size))
			return false;
	}
	return true;
}

/* Removes @records from @trace, whichever chunks contain them. */
static void remove_same(struct trace *trace, const struct records *records)
{
	GByteArray *kept = g_byte_array_ref(records->bytes);
	struct records other;

	for (guint i = trace->chunks->len; i-- > 0;) {
		if (find_records(chunk_at(trace, i), &other) && is_same(&other, records))
			g_ptr_array_remove_index(trace->chunks, i);
	}
	g_byte_array_unref(kept);
}

/* Texts and stacks, and especially the counters, which would contradict the removal. */
static void remove_others(struct trace *trace)
{
	for (guint i = trace->chunks->len; i-- > 0;) {
		const struct chunk *chunk = chunk_at(trace, i);

		if (chunk->type != KMEMTRACE_CHUNK_SNAPSHOT &&
		    chunk->type != KMEMTRACE_CHUNK_STACKS)
			continue;
		if (!below(trace, is_named(trace, chunk, "stats") ? 2 : 6))
			g_ptr_array_remove_index(trace->chunks, i);
	}
}

size_t mutate_remove_records(uint8_t *data, size_t size, uint32_t seed)
{
	struct records records;
	struct trace trace;
	size_t left = 0, one_in;
	bool removed = false;

	if (!begin(&trace, data, size, seed))
		return 0;
	one_in = 1 + below(&trace, 4);
	for (guint i = 0; i < trace.chunks->len;) {
		if (!find_records(chunk_at(&trace, i), &records) || below(&trace, one_in)) {
			i++;
			continue;
		}
		remove_same(&trace, &records);
		removed = true;
		i = 0;
	}
	if (removed && below(&trace, 2))
		remove_others(&trace);
	if (removed)
		left = chunks_write(&trace, data, size);
	chunks_clear(&trace);
	return left;
}
