// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The builder of synthetic traces, see trace-builder.h. Everything is built in the host's byte
 * order and swapped at the end, field by field, by tables that are independent of the reader:
 * reader and builder would have to be wrong in the same way for a test to miss an error.
 */
#include "trace-builder.h"

#include <glib.h>
#include <string.h>
#include <zlib.h>

#define FILLER	0xa5	/* bytes that a reader must ignore */

/* One CPU. */
struct stream {
	struct kmemtrace_subbuf_header header;	/* of the sub-buffer being filled */
	GByteArray *subbuf;			/* header and records; empty: none is open */
	size_t records;				/* in it */
	uint64_t seq;				/* of the next sub-buffer */
	uint64_t written, ignored;
	uint64_t lost[KMEMTRACE_LOSS_MAX];
};

struct builder {
	struct builder_options options;
	char *path;
	struct trace_writer *writer;
	GHashTable *streams;		/* CPU to struct stream */
	GArray *cpus;			/* the same, in order of appearance */
	GByteArray *table;		/* the stack table */
	size_t table_written;		/* bytes of it that are in the file */
	uint64_t latest_ns;
	bool has_stats;			/* the text "stats" of the end */
};

/* ---- the other byte order ---- */

/*
 * The widths of a structure's fields; 0 ends it, negative widths are bytes that are never swapped.
 */
static const int file_header_fields[] = { -8, 4, 2, 2, 0 };
static const int chunk_fields[] = { 4, 2, 2, 4, 4, 4, 4, 0 };
static const int snapshot_fields[] = { 8, 2, 2, 4, 0 };
static const int stacks_fields[] = { 8, 0 };
static const int subbuf_fields[] = {4, 2, 2, 2, -2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0};
static const int event_fields[] = { 8, 8, 8, 4, 4, 4, 4, 4, 2, -2, 0 };
static const int page_fields[] = { 8, 8, 8, 4, 4, 4, 4, 4, -4, 0 };
static const int task_fields[] = { 8, -16, 4, 4, 4, 4, 4, -4, 0 };
static const int mark_fields[] = { 8, -32, 4, -4, 0 };
static const int table_fields[] = { 4, 2, 2, 8, 0 };
static const int stack_fields[] = { 4, 2, 2, 0 };

static void swap_fields(void *bytes, const int *fields)
{
	uint8_t *at = bytes;

	for (; *fields; fields++) {
		for (int i = 0; i < *fields / 2; i++) {
			uint8_t byte = at[i];

			at[i] = at[*fields - 1 - i];
			at[*fields - 1 - i] = byte;
		}
		at += ABS(*fields);
	}
}

/* Not taken from the reader: the two must not be wrong in the same way. */
static bool has_order(unsigned int event)
{
	switch (event) {
	case KMEMTRACE_EVENT_PAGE_ALLOC:
	case KMEMTRACE_EVENT_PAGE_FREE:
	case KMEMTRACE_EVENT_EXTFRAG:
	case KMEMTRACE_EVENT_ZONE_LOCKED:
	case KMEMTRACE_EVENT_PCPU_DRAIN:
	case KMEMTRACE_EVENT_PAGE_MOVE:
	case KMEMTRACE_EVENT_COMPACT:
		return true;
	}
	return false;
}

static const int *record_fields(unsigned int event)
{
	if (event == KMEMTRACE_EVENT_TASK)
		return task_fields;
	if (event == KMEMTRACE_EVENT_MARK)
		return mark_fields;
	if (has_order(event))
		return page_fields;
	return event_fields;
}

static void swap_chunk(uint8_t *chunk, const struct kmemtrace_chunk_header *old)
{
	struct kmemtrace_chunk_header *header = (void *)chunk;
	uint8_t *payload = chunk + sizeof(*header);

	if (old->type == KMEMTRACE_CHUNK_SNAPSHOT)
		swap_fields(payload, snapshot_fields);
	else if (old->type == KMEMTRACE_CHUNK_STACKS)
		swap_fields(payload, stacks_fields);
	header->payload_crc = crc32_z(0, payload, old->len);
	swap_fields(header, chunk_fields);
	header->header_crc = GUINT32_SWAP_LE_BE(
		(uint32_t)crc32_z(0, chunk, offsetof(struct kmemtrace_chunk_header, header_crc)));
}

/* Rewrites a file as a machine of the other byte order would have written it. */
static void swap_file(const char *path)
{
	g_autofree char *bytes = NULL;
	gsize len, at = sizeof(struct kmemtrace_file_header);

	g_assert_true(g_file_get_contents(path, &bytes, &len, NULL));
	swap_fields(bytes, file_header_fields);
	while (at < len) {
		struct kmemtrace_chunk_header header;

		memcpy(&header, bytes + at, sizeof(header));
		swap_chunk((uint8_t *)bytes + at, &header);
		at += sizeof(header) + (header.len + 7) / 8 * 8;
	}
	g_assert_true(g_file_set_contents(path, bytes, len, NULL));
}

/* ---- life ---- */

static void stream_free(gpointer data)
{
	struct stream *stream = data;

	g_byte_array_unref(stream->subbuf);
	g_free(stream);
}

static void start_table(struct builder *b)
{
	struct kmemtrace_stack_table table = {
		.magic = KMEMTRACE_STACK_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = b->options.stack_header_len,
		.session = b->options.session,
	};

	if (b->options.swap_data)
		swap_fields(&table, table_fields);
	b->table = g_byte_array_new();
	g_byte_array_append(b->table, (void *)&table, sizeof(table));
	while (b->table->len < b->options.stack_header_len)
		g_byte_array_append(b->table, (const guint8[]){ FILLER }, 1);
}

struct builder *builder_new_with(const char *path, const struct builder_options *options)
{
	struct builder *b = g_new0(struct builder, 1);
	struct trace_error err = { "" };

	b->options = *options;
	b->options.session = options->session ?: 1;
	b->options.subbuf_records = options->subbuf_records ?: 100;
	b->options.record_len = options->record_len ?: sizeof(struct kmemtrace_record);
	b->options.subbuf_header_len =
		options->subbuf_header_len ?: sizeof(struct kmemtrace_subbuf_header);
	b->options.stack_header_len =
		options->stack_header_len ?: sizeof(struct kmemtrace_stack_table);
	b->path = g_strdup(path);
	b->streams = g_hash_table_new_full(NULL, NULL, NULL, stream_free);
	b->cpus = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	start_table(b);
	if (trace_writer_create(path, &b->writer, &err))
		g_error("%s", err.text);
	return b;
}

struct builder *builder_new(const char *path)
{
	return builder_new_with(path, &(struct builder_options){ 0 });
}

static void flush_all(struct builder *b)
{
	for (guint i = 0; i < b->cpus->len; i++)
		builder_flush(b, g_array_index(b->cpus, uint32_t, i));
}

static void finish(struct builder *b, int complete)
{
	struct trace_error err = { "" };

	flush_all(b);
	builder_flush_stacks(b);
	if (trace_writer_close(b->writer, complete, &err))
		g_error("%s", err.text);
	if (b->options.swap_file)
		swap_file(b->path);
	g_hash_table_unref(b->streams);
	g_array_unref(b->cpus);
	g_byte_array_unref(b->table);
	g_free(b->path);
	g_free(b);
}

void builder_finish(struct builder *b)
{
	flush_all(b);
	if (!b->has_stats)
		builder_stats(b);
	finish(b, 1);
}

void builder_finish_uncounted(struct builder *b)
{
	finish(b, 1);
}

void builder_finish_cut(struct builder *b)
{
	finish(b, 0);
}

struct trace_writer *builder_writer(struct builder *b)
{
	return b->writer;
}

/* ---- sub-buffers ---- */

static struct stream *find_stream(struct builder *b, uint32_t cpu)
{
	struct stream *stream = g_hash_table_lookup(b->streams, GUINT_TO_POINTER(cpu));

	if (stream)
		return stream;
	stream = g_new0(struct stream, 1);
	stream->subbuf = g_byte_array_new();
	g_hash_table_insert(b->streams, GUINT_TO_POINTER(cpu), stream);
	g_array_append_val(b->cpus, cpu);
	return stream;
}

static struct kmemtrace_subbuf_header make_header(struct builder *b, struct stream *stream,
						  uint32_t cpu, uint64_t time_ns)
{
	bool is_little = (G_BYTE_ORDER == G_LITTLE_ENDIAN) != b->options.swap_data;
	struct kmemtrace_subbuf_header header = {
		.magic = KMEMTRACE_SUBBUF_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = b->options.subbuf_header_len,
		.record_len = b->options.record_len,
		.byte_order = is_little ? KMEMTRACE_BYTE_ORDER_LITTLE : KMEMTRACE_BYTE_ORDER_BIG,
		.word_size = 8,
		.cpu = cpu,
		.seq = stream->seq++,
		.time_ns = time_ns,
		.session = b->options.session,
		.written = stream->written,
		.ignored = stream->ignored,
	};

	memcpy(header.lost, stream->lost, sizeof(header.lost));
	return header;
}

static void append_filled(GByteArray *to, const void *bytes, size_t len, size_t whole_len)
{
	g_byte_array_append(to, bytes, len);
	for (; len < whole_len; len++)
		g_byte_array_append(to, (const guint8[]){ FILLER }, 1);
}

static void open_subbuf(struct builder *b, struct stream *stream, uint32_t cpu, uint64_t time_ns)
{
	struct kmemtrace_subbuf_header header = make_header(b, stream, cpu, time_ns);

	if (b->options.swap_data)
		swap_fields(&header, subbuf_fields);
	append_filled(stream->subbuf, &header, sizeof(header), b->options.subbuf_header_len);
}

void builder_open(struct builder *b, uint32_t cpu, uint64_t time_ns)
{
	builder_flush(b, cpu);
	open_subbuf(b, find_stream(b, cpu), cpu, time_ns);
}

void builder_flush(struct builder *b, uint32_t cpu)
{
	struct stream *stream = find_stream(b, cpu);
	struct trace_error err = { "" };

	if (!stream->subbuf->len)
		return;
	if (trace_writer_data(b->writer, stream->subbuf->data, stream->subbuf->len, &err))
		g_error("%s", err.text);
	g_byte_array_set_size(stream->subbuf, 0);
	stream->records = 0;
}

void builder_skip_subbufs(struct builder *b, uint32_t cpu, uint64_t count)
{
	builder_flush(b, cpu);
	find_stream(b, cpu)->seq += count;
}

void builder_overwrite(struct builder *b, uint32_t cpu, uint64_t count, uint64_t records)
{
	builder_skip_subbufs(b, cpu, count);
	find_stream(b, cpu)->written += records;
}

static void restart_stream(struct stream *stream)
{
	stream->seq = stream->written = stream->ignored = 0;
	memset(stream->lost, 0, sizeof(stream->lost));
}

void builder_new_session(struct builder *b, uint64_t session)
{
	flush_all(b);
	for (guint i = 0; i < b->cpus->len; i++)
		restart_stream(find_stream(b, g_array_index(b->cpus, uint32_t, i)));
	b->options.session = session;
}

uint32_t builder_text_stack(struct builder *b, const unsigned int *offsets)
{
	uint64_t addrs[16];
	unsigned int depth = 0;

	for (; offsets[depth]; depth++) {
		g_assert_cmpuint(depth, <, G_N_ELEMENTS(addrs));
		addrs[depth] = offsets[depth] == TRACE_STACK_CUT ? TRACE_STACK_CUT :
								   TEXT + offsets[depth];
	}
	return builder_stack(b, addrs, depth);
}

void builder_lose(struct builder *b, uint32_t cpu, enum kmemtrace_loss reason, uint64_t count)
{
	find_stream(b, cpu)->lost[reason] += count;
}

void builder_ignore(struct builder *b, uint32_t cpu, uint64_t count)
{
	find_stream(b, cpu)->ignored += count;
}

/* ---- records ---- */

static void swap_record(struct kmemtrace_record_user *copy)
{
	static const int user_fields[] = { 4, 4, 0 };

	swap_fields(&copy->record,
		    record_fields(copy->record.type & KMEMTRACE_TYPE_EVENT_MASK));
	swap_fields(&copy->user_stack_id, user_fields);
}

static void append_record(struct builder *b, uint32_t cpu, const struct kmemtrace_record *record,
			  uint32_t user_stack_id, uint32_t tgid)
{
	struct stream *stream = find_stream(b, cpu);
	struct kmemtrace_record_user copy = { *record, { user_stack_id }, tgid };

	if (!stream->subbuf->len)
		open_subbuf(b, stream, cpu, record->time_ns);
	if (b->options.swap_data)
		swap_record(&copy);
	append_filled(stream->subbuf, &copy, MIN(sizeof(copy), b->options.record_len),
		      b->options.record_len);
	b->latest_ns = MAX(b->latest_ns, record->time_ns);
	stream->written++;
	if (++stream->records == b->options.subbuf_records)
		builder_flush(b, cpu);
}

void builder_record(struct builder *b, uint32_t cpu, const struct kmemtrace_record *record)
{
	append_record(b, cpu, record, 0, 0);
}

void builder_event(struct builder *b, uint32_t cpu, struct trace_event event)
{
	struct kmemtrace_record record = {
		.time_ns = event.time_ns,
		.addr = event.addr,
		.call_site = event.call_site,
		.stack_id = event.stack_id,
		.bytes_req = event.bytes_req,
		.bytes_alloc = event.bytes_alloc,
		.gfp = event.gfp,
		.tid = event.tid,
		.cache = event.cache,
		.node = event.node,
		.type = event.event | event.context << KMEMTRACE_TYPE_CONTEXT_SHIFT,
	};

	if (has_order(event.event)) {
		record.page.order = event.order;
		record.page.migratetype = event.migratetype;
	} else if (event.event == KMEMTRACE_EVENT_TASK) {
		memcpy(record.comm, event.comm, sizeof(record.comm));
		record.gfp = event.tgid;
	} else if ((event.event >= KMEMTRACE_EVENT_MAP && event.event <= KMEMTRACE_EVENT_FORK) ||
		   event.event == KMEMTRACE_EVENT_DUP_MM) {
		record.gfp = event.tgid;
		event.user_stack_id = event.mm;
	} else if (event.event == KMEMTRACE_EVENT_MARK) {
		memcpy(record.text, event.text, sizeof(record.text));
		record.mark.part = event.part;
		record.mark.parts = event.parts;
	}
	append_record(b, cpu, &record, event.user_stack_id, event.tgid);
}

void builder_kmalloc(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint64_t addr,
		     uint32_t bytes_req, uint32_t bytes_alloc, uint32_t stack_id)
{
	builder_event(b, cpu, (struct trace_event){
		.event = KMEMTRACE_EVENT_KMALLOC,
		.time_ns = time_ns,
		.tid = tid,
		.addr = addr,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes_alloc,
		.stack_id = stack_id,
		.node = KMEMTRACE_NODE_ANY,
	});
}

void builder_kfree(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint64_t addr)
{
	builder_event(b, cpu, (struct trace_event){
		.event = KMEMTRACE_EVENT_KFREE,
		.time_ns = time_ns,
		.tid = tid,
		.addr = addr,
		.node = KMEMTRACE_NODE_ANY,
	});
}

void builder_page_alloc(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid,
			uint64_t pfn, unsigned int order, uint32_t stack_id)
{
	builder_event(b, cpu, (struct trace_event){
		.event = KMEMTRACE_EVENT_PAGE_ALLOC,
		.time_ns = time_ns,
		.tid = tid,
		.addr = pfn,
		.bytes_req = 4096U << order,
		.bytes_alloc = 4096U << order,
		.order = order,
		.stack_id = stack_id,
	});
}

void builder_page_free(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid,
		       uint64_t pfn, unsigned int order)
{
	builder_event(b, cpu, (struct trace_event){
		.event = KMEMTRACE_EVENT_PAGE_FREE,
		.time_ns = time_ns,
		.tid = tid,
		.addr = pfn,
		.bytes_req = 4096U << order,
		.bytes_alloc = 4096U << order,
		.order = order,
		.migratetype = 0xff,
	});
}

void builder_mark(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid, const char *text)
{
	unsigned int parts = (strlen(text) + KMEMTRACE_MARK_TEXT - 1) / KMEMTRACE_MARK_TEXT;

	for (unsigned int part = 0; part < parts; part++) {
		struct trace_event event = {
			.event = KMEMTRACE_EVENT_MARK,
			.time_ns = time_ns,
			.tid = tid,
			.part = part,
			.parts = parts,
		};

		strncpy(event.text, text + part * KMEMTRACE_MARK_TEXT, KMEMTRACE_MARK_TEXT);
		builder_event(b, cpu, event);
	}
}

void builder_task(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint32_t tgid,
		  const char *comm)
{
	struct trace_event event = {
		.event = KMEMTRACE_EVENT_TASK,
		.time_ns = time_ns,
		.tid = tid,
		.tgid = tgid,
	};

	g_strlcpy(event.comm, comm, sizeof(event.comm));
	builder_event(b, cpu, event);
}

/* ---- stacks ---- */

/* The offset in the table where these bytes are an entry; 0 if nowhere. */
static size_t find_entry(const struct builder *b, const uint8_t *entry, size_t len)
{
	size_t at = b->options.stack_header_len;

	while (at + len <= b->table->len) {
		uint16_t depth;

		if (memcmp(b->table->data + at, entry, len) == 0)
			return at;
		memcpy(&depth, b->table->data + at + offsetof(struct kmemtrace_stack, depth), 2);
		if (b->options.swap_data)
			depth = GUINT16_SWAP_LE_BE(depth);
		at += sizeof(struct kmemtrace_stack) + 8 * depth;
	}
	return 0;
}

uint32_t builder_stack(struct builder *b, const uint64_t *addrs, unsigned int depth)
{
	struct kmemtrace_stack head = { 0 };
	g_autoptr(GByteArray) entry = g_byte_array_new();
	size_t at;

	if (depth > 1 && addrs[depth - 1] == TRACE_STACK_CUT) {
		head.flags = KMEMTRACE_STACK_CUT;
		depth--;
	}
	head.depth = depth;
	head.hash = (uint32_t)crc32_z(0, (const void *)addrs, depth * sizeof(*addrs)) ?: 1;
	g_byte_array_append(entry, (void *)&head, sizeof(head));
	g_byte_array_append(entry, (const void *)addrs, depth * sizeof(*addrs));
	if (b->options.swap_data) {
		swap_fields(entry->data, stack_fields);
		for (unsigned int i = 0; i < depth; i++)
			swap_fields(entry->data + sizeof(head) + 8 * i, (const int[]){ 8, 0 });
	}
	at = find_entry(b, entry->data, entry->len);
	if (!at) {
		at = b->table->len;
		g_byte_array_append(b->table, entry->data, entry->len);
	}
	return at / 8;
}

void builder_flush_stacks(struct builder *b)
{
	struct trace_error err = { "" };

	if (b->table_written == b->table->len)
		return;
	if (trace_writer_stacks(b->writer, b->table_written, b->table->data + b->table_written,
				b->table->len - b->table_written, &err))
		g_error("%s", err.text);
	b->table_written = b->table->len;
}

/* ---- texts ---- */

void builder_snapshot(struct builder *b, const char *name, enum kmemtrace_phase phase,
		      const char *text)
{
	struct trace_error err = { "" };

	if (trace_writer_snapshot(b->writer, name, phase, b->latest_ns, text, strlen(text), &err))
		g_error("%s", err.text);
	b->has_stats |= strcmp(name, "stats") == 0 && phase == KMEMTRACE_PHASE_END;
}

void builder_stats(struct builder *b)
{
	g_autoptr(GString) text = g_string_new("cpu written ignored");

	for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
		g_string_append_printf(text, " %s", trace_loss_name(reason));
	g_string_append_c(text, '\n');
	for (guint i = 0; i < b->cpus->len; i++) {
		uint32_t cpu = g_array_index(b->cpus, uint32_t, i);
		const struct stream *stream = find_stream(b, cpu);

		g_string_append_printf(text, "%u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, cpu,
				       stream->written, stream->ignored);
		for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
			g_string_append_printf(text, " %" G_GUINT64_FORMAT, stream->lost[reason]);
		g_string_append_c(text, '\n');
	}
	builder_snapshot(b, "stats", KMEMTRACE_PHASE_END, text->str);
}
