// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a trace that was truncated or damaged anywhere: a file of some hundred known chunks is
 * truncated at random offsets, and bits are flipped at others. The reader then returns exactly the
 * contents of the complete chunks, or an error with the offset. It never returns anything that was
 * not written, never crashes, and always ends. The recovered copy has the events of all complete
 * chunks, also those after the damage.
 *
 * GLib prints the seed, and --seed=… sets it. KMT_SURVIVAL_CASES: the number of cases of each kind.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace-check.h"
#include "trace/file/chunk.h"
#include "trace/file/recover.h"

#ifdef __SANITIZE_ADDRESS__
#define CASES		2000	/* a sanitizer makes each several times slower */
#else
#define CASES		10000
#endif
#define CASE_SECONDS	300	/* more means a hang, not a busy machine */
#define EVENTS		3000
#define CPUS		4
#define TEXTS		40
#define OLD_TEXT	"another text"	/* a text that a later one of the same name replaces */
#define PIECE_LEN	20	/* bytes; longer texts come in pieces */
#define FLIP_WINDOW	8	/* bytes that one flip's bits lie in */

/* A chunk of the file. */
struct part {
	size_t start;		/* of its header */
	size_t filled;		/* where its payload ends and fill begins */
	size_t end;		/* where the next chunk starts */
	unsigned int type;	/* of the chunk in it, if it is packed */
	size_t head;		/* where its payload begins, or that of the packed chunk */
	size_t len;		/* bytes of that payload, unpacked */
	bool is_old;		/* a text that is replaced: nothing reads it */
};

/* A text, or a piece of one. */
struct piece {
	guint text;		/* its number */
	guint part;		/* the part that contains it */
	char *so_far;		/* the text that is read up to this piece */
};

/* A file, and everything that was written to it. */
struct known {
	struct builder_options options;
	bool is_packed;
	guint packed;			/* number of packed chunks */
	GByteArray *bytes;
	GArray *parts;				/* of struct part, in order of the file */
	struct trace_event events[EVENTS];	/* in order of time */
	guint event_part[EVENTS];		/* the part that contains each */
	GArray *pieces;				/* of struct piece, in order of the file */
	guint stacks;				/* in all */
	GArray *part_stacks;			/* how many are complete up to each part */
	int fd;					/* the file that is read, in memory */
	char *path;
	char what[128];				/* the current case */
};

/* The expected result of a case. */
struct expected {
	guint parts;		/* the number of leading parts that are read */
	bool is_cut;		/* the file counts as cut */
	size_t end;		/* where it is cut */
	bool may_fail;		/* an error is allowed, with an offset from @low to @high */
	bool must_fail;		/* an error is required */
	bool may_skip;		/* the first chunks may seem not to be there */
	size_t low, high;
};

static struct known *running;	/* only for the alarm */

static void tell_hang(int signal)
{
	static const char text[] = "Bail out! the reader does not end: ";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0 &&
	    write(STDERR_FILENO, running->what, strlen(running->what)) > 0)
		_exit(1);
	_exit(1);
}

/* ---- writing ---- */

static uint64_t mix(uint64_t n)
{
	n = (n ^ n >> 31) * 0x9e3779b97f4a7c15;
	return n ^ n >> 29;
}

/* No two have a field in common. */
static struct trace_event event_of(unsigned int n)
{
	static const uint8_t types[] = { KMEMTRACE_EVENT_KMALLOC, KMEMTRACE_EVENT_PAGE_ALLOC,
					 KMEMTRACE_EVENT_CACHE_FREE, KMEMTRACE_EVENT_TASK };
	struct trace_event event = {
		.event = types[n % G_N_ELEMENTS(types)],
		.time_ns = 1000 + 10 * n,
		.tid = n + 1,
		.cpu = n / 3 % CPUS,
	};

	if (event.event == KMEMTRACE_EVENT_TASK) {
		event.tgid = ~n;
		g_snprintf(event.comm, sizeof(event.comm), "task-%u", n);
		return event;
	}
	event.addr = mix(n);
	event.call_site = mix(n + EVENTS);
	event.bytes_req = n;
	event.bytes_alloc = 2 * n;
	event.gfp = ~n;
	event.context = n % KMEMTRACE_CONTEXT_NR;
	if (trace_event_has_order(event.event))
		event.order = n % 11;
	else
		event.cache = n;
	return event;
}

static char *text_of(unsigned int n)
{
	g_autofree char *fill = g_strnfill(n * 7 % 60, 'a' + n % 26);

	return g_strdup_printf("%u %s\n", n, fill);
}

static uint64_t stack_addr(unsigned int n, unsigned int frame)
{
	return 0xffffffff81000000 + 0x100 * n + frame;
}

static void write_stack(struct known *known, struct builder *b)
{
	uint64_t addrs[8];
	unsigned int n = known->stacks++, depth = 1 + n % G_N_ELEMENTS(addrs);

	for (unsigned int i = 0; i < depth; i++)
		addrs[i] = stack_addr(n, i);
	builder_stack(b, addrs, depth);
}

static enum kmemtrace_phase phase_of(unsigned int n)
{
	return n % 2 ? KMEMTRACE_PHASE_END : KMEMTRACE_PHASE_START;
}

/* The piece of text @n that ends at byte @to of @text. */
static void write_piece(struct known *known, struct builder *b, unsigned int n, const char *text,
			size_t from, size_t to)
{
	g_autofree char *name = g_strdup_printf("text%u", n);
	struct piece piece = { .text = n, .so_far = g_strndup(text, to) };
	struct trace_error err = { "" };

	if (trace_writer_piece(builder_writer(b), name, phase_of(n), 1, from, text + from,
			       to - from, &err))
		g_error("%s", err.text);
	g_array_append_val(known->pieces, piece);
}

/* In pieces, and some after another text with the same name. */
static void write_text(struct known *known, struct builder *b, unsigned int n)
{
	g_autofree char *text = text_of(n);
	size_t len = strlen(text), from = 0;

	if (n % 4 == 0)
		write_piece(known, b, n, OLD_TEXT, 0, strlen(OLD_TEXT));
	while (from < len) {
		write_piece(known, b, n, text, from, MIN(len, from + PIECE_LEN));
		from = MIN(len, from + PIECE_LEN);
	}
}

/* Sub-buffers of different lengths, and between them stacks and texts. */
static void write_all(struct known *known, const char *path)
{
	struct builder *b = builder_new_with(path, &known->options);

	if (known->is_packed)
		trace_writer_pack(builder_writer(b), 3);
	for (unsigned int n = 0; n < EVENTS; n++) {
		known->events[n] = event_of(n);
		builder_event(b, known->events[n].cpu, known->events[n]);
		if (n % 61 == 0)
			builder_flush(b, n / 61 % CPUS);
		if (n % 5 == 0)
			write_stack(known, b);
		if (n % 20 == 0)
			builder_flush_stacks(b);
		if (n % (EVENTS / TEXTS) == 0)
			write_text(known, b, n * TEXTS / EVENTS);
	}
	builder_finish_uncounted(b);
}

/* ---- positions in the file ---- */

static uint64_t number_at(const struct known *known, size_t at, size_t size, bool swap)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++) {
		size_t byte = swap == (G_BYTE_ORDER == G_LITTLE_ENDIAN) ? i : size - 1 - i;

		value = value << 8 | known->bytes->data[at + byte];
	}
	return value;
}

#define HEAD_FIELD(known, at, type, field)                                                  \
	number_at(known, (at) + offsetof(struct type, field), sizeof(((struct type *)0)->field), \
		  (known)->options.swap_file)
#define SUBBUF_FIELD(known, at, field)                                            \
	number_at(known, (at) + offsetof(struct kmemtrace_subbuf_header, field),  \
		  sizeof(((struct kmemtrace_subbuf_header *)0)->field),           \
		  (known)->options.swap_data)

/* The next events of a CPU are in the sub-buffer at @at. */
static void find_events(struct known *known, const struct part *part, guint *next_event)
{
	uint32_t cpu = SUBBUF_FIELD(known, part->head, cpu);
	size_t count = (part->len - SUBBUF_FIELD(known, part->head, header_len)) /
		       SUBBUF_FIELD(known, part->head, record_len);

	g_assert_cmpuint(cpu, <, CPUS);
	for (; count; next_event[cpu]++) {
		if (known->events[next_event[cpu]].cpu != cpu)
			continue;
		known->event_part[next_event[cpu]] = known->parts->len;
		count--;
	}
}

/* The stacks that are complete if the table is present up to @table_end. */
static guint count_stacks(const struct known *known, size_t table_end)
{
	size_t at = sizeof(struct kmemtrace_stack_table);
	guint count = 0;

	while (count < known->stacks) {
		at += sizeof(struct kmemtrace_stack) + 8 * (1 + count % 8);
		if (at > table_end)
			break;
		count++;
	}
	return count;
}

static struct part find_part(struct known *known, size_t at)
{
	size_t len = HEAD_FIELD(known, at, kmemtrace_chunk_header, len);
	size_t payload = at + sizeof(struct kmemtrace_chunk_header);
	struct part part = {
		.start = at,
		.filled = payload + len,
		.end = payload + (len + 7) / 8 * 8,
		.type = HEAD_FIELD(known, at, kmemtrace_chunk_header, type),
		.head = payload,
		.len = len,
	};

	if (part.type == KMEMTRACE_CHUNK_ZSTD) {
		part.type = HEAD_FIELD(known, payload, kmemtrace_chunk_zstd, type);
		part.head += sizeof(struct kmemtrace_chunk_zstd);
		part.len = HEAD_FIELD(known, payload, kmemtrace_chunk_zstd, raw_len);
		known->packed++;
	}
	return part;
}

/* Returns whether the piece belongs to a replaced text. */
static bool find_piece(struct known *known, guint index)
{
	struct piece *piece = &g_array_index(known->pieces, struct piece, index);

	piece->part = known->parts->len;
	return strcmp(piece->so_far, OLD_TEXT) == 0;
}

static void find_parts(struct known *known)
{
	size_t at = sizeof(struct kmemtrace_file_header);
	guint next_event[CPUS] = { 0 }, stacks = 0, pieces = 0;

	while (at < known->bytes->len) {
		struct part part = find_part(known, at);

		if (part.type == KMEMTRACE_CHUNK_DATA)
			find_events(known, &part, next_event);
		else if (part.type == KMEMTRACE_CHUNK_SNAPSHOT)
			part.is_old = find_piece(known, pieces++);
		else if (part.type == KMEMTRACE_CHUNK_STACKS)
			stacks = count_stacks(known,
				HEAD_FIELD(known, part.head, kmemtrace_chunk_stacks, offset) +
				part.len - sizeof(struct kmemtrace_chunk_stacks));
		g_array_append_val(known->parts, part);
		g_array_append_val(known->part_stacks, stacks);
		at = part.end;
	}
	g_assert_cmpuint(at, ==, known->bytes->len);
	g_assert_cmpuint(known->parts->len, >, 300);
	g_assert_cmpuint(pieces, ==, known->pieces->len);
	g_assert_cmpuint(stacks, ==, known->stacks);
	g_assert_true(known->is_packed == (known->packed > 100));
}

static const struct part *part_of(const struct known *known, guint index)
{
	return &g_array_index(known->parts, struct part, index);
}

/* ---- reading ---- */

static bool is_same(const struct trace_event *got, const struct trace_event *event)
{
	return got->event == event->event && got->time_ns == event->time_ns &&
	       got->addr == event->addr && got->call_site == event->call_site &&
	       got->bytes_req == event->bytes_req && got->bytes_alloc == event->bytes_alloc &&
	       got->gfp == event->gfp && got->tid == event->tid && got->tgid == event->tgid &&
	       got->cpu == event->cpu && got->cache == event->cache &&
	       got->order == event->order && got->context == event->context &&
	       !got->stack_id && strcmp(got->comm, event->comm) == 0;
}

/* The text of an error must have a right offset. */
static void assert_error(const struct known *known, const struct expected *expected,
			 const char *text)
{
	const char *offset = strstr(text, " offset ");
	size_t at = offset ? strtoull(offset + strlen(" offset "), NULL, 10) : 0;

	if (!expected->may_fail)
		g_error("%s: expected no error, got: %s", known->what, text);
	if (!strstr(text, known->path) || !offset || at < expected->low || at > expected->high)
		g_error("%s: expected an offset of %zu to %zu, got: %s", known->what,
			expected->low, expected->high, text);
}

/* Each event read was written, and is read once. */
struct seen {
	bool event[EVENTS];
	guint count, backward, last;
};

static void see_event(const struct known *known, const struct trace_event *got, struct seen *seen)
{
	guint n = got->tid - 1;

	if (n >= EVENTS || !is_same(got, &known->events[n]))
		g_error("%s: an event at %" PRIu64 " ns that was not written", known->what,
			got->time_ns);
	if (seen->event[n])
		g_error("%s: event %u comes twice", known->what, n);
	seen->event[n] = true;
	seen->count++;
	seen->backward += n < seen->last;
	seen->last = n;
}

static void assert_events(const struct known *known, const struct expected *expected,
			  const struct seen *seen)
{
	for (guint n = 0; n < EVENTS; n++) {
		if (seen->event[n] != (known->event_part[n] < expected->parts))
			g_error("%s: event %u is %s", known->what, n,
				seen->event[n] ? "of no whole chunk" : "missing, and no error");
	}
	if (seen->backward)
		g_error("%s: events are not in order of time", known->what);
}

/* Returns whether there was no error. */
static bool read_events(const struct known *known, const struct expected *expected,
			struct trace_reader *reader, struct seen *seen)
{
	struct trace_error err = { "" };
	struct trace_merge *merge;
	struct trace_event event;
	int ret = trace_merge_open(reader, &merge, &err);

	if (!ret) {
		while ((ret = trace_merge_next(merge, &event, &err)) > 0)
			see_event(known, &event, seen);
		trace_merge_close(merge);
	}
	if (ret)
		assert_error(known, expected, err.text);
	return !ret;
}

struct stack_check {
	const struct known *known;
	guint next;
};

static int see_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	struct stack_check *check = data;
	guint n = check->next++;

	if (n >= check->known->stacks || depth != 1 + n % 8)
		g_error("%s: stack %u has depth %u", check->known->what, n, depth);
	for (unsigned int i = 0; i < depth; i++) {
		if (addrs[i] != stack_addr(n, i))
			g_error("%s: stack %u is not what was written", check->known->what, n);
	}
	return 0;
}

static bool read_stacks(const struct known *known, const struct expected *expected,
			struct trace_reader *reader)
{
	struct stack_check check = { .known = known };
	struct trace_error err = { "" };
	guint whole = expected->parts ?
		g_array_index(known->part_stacks, guint, expected->parts - 1) : 0;

	if (trace_reader_stacks(reader, see_stack, &check, &err)) {
		assert_error(known, expected, err.text);
		return false;
	}
	if (check.next != whole)
		g_error("%s: %u stacks, expected %u", known->what, check.next, whole);
	return true;
}

/* NULL: none of it is read. */
static const char *expected_text(const struct known *known, const struct expected *expected,
				 guint n)
{
	const char *text = NULL;

	for (guint i = 0; i < known->pieces->len; i++) {
		const struct piece *piece = &g_array_index(known->pieces, struct piece, i);

		if (piece->text == n && piece->part < expected->parts)
			text = piece->so_far;
	}
	return text;
}

static bool read_text(const struct known *known, const struct expected *expected,
		      struct trace_reader *reader, guint n)
{
	g_autofree char *name = g_strdup_printf("text%u", n);
	const char *right = expected_text(known, expected, n);
	struct trace_error err = { "" };
	char *text = NULL;
	size_t len;
	int ret = trace_reader_snapshot(reader, name, phase_of(n), &text, &len, NULL, &err);

	if (ret && ret != -ENOENT) {
		assert_error(known, expected, err.text);
		return false;
	}
	if (g_strcmp0(text, right) != 0 && (text || !expected->may_skip))
		g_error("%s: %s is '%s', expected '%s'", known->what, name, text, right);
	free(text);
	return true;
}

/* Reads all of the file as it is now. */
static void check_case(const struct known *known, const struct expected *expected)
{
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	struct seen seen = { 0 };
	const char *path;
	bool fine = true;
	uint64_t end;

	alarm(CASE_SECONDS);
	if (trace_reader_open(known->path, &reader, &err)) {
		assert_error(known, expected, err.text);
		return;
	}
	if (trace_reader_cut(reader, &path, &end) != expected->is_cut)
		g_error("%s: counts as %s", known->what, expected->is_cut ? "whole" : "cut");
	if (expected->is_cut && end != expected->end)
		g_error("%s: cut at %" PRIu64 ", expected %zu", known->what, end, expected->end);
	for (guint n = 0; n < TEXTS; n++)
		fine &= read_text(known, expected, reader, n);
	fine &= read_stacks(known, expected, reader);
	fine &= read_events(known, expected, reader, &seen);
	if (fine && expected->must_fail)
		g_error("%s: nothing is said of the damage (%u events)", known->what, seen.count);
	if (fine)
		assert_events(known, expected, &seen);
}

/* ---- the file ---- */

static void write_file(const struct known *known, size_t from, const void *bytes, size_t len)
{
	g_assert_cmpint(pwrite(known->fd, bytes, len, from), ==, len);
}

static void clear_piece(gpointer data)
{
	g_free(((struct piece *)data)->so_far);
}

static struct known *known_new(const struct builder_options *options, bool is_packed)
{
	struct known *known = g_new0(struct known, 1);
	g_auto(check_file) file = check_file_make();

	known->options = *options;
	known->is_packed = is_packed;
	known->pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
	g_array_set_clear_func(known->pieces, clear_piece);
	known->parts = g_array_new(FALSE, FALSE, sizeof(struct part));
	known->part_stacks = g_array_new(FALSE, FALSE, sizeof(guint));
	write_all(known, file.path);
	known->bytes = check_read(&file);
	find_parts(known);
	known->fd = memfd_create("survival", MFD_CLOEXEC);
	g_assert_cmpint(known->fd, >=, 0);
	known->path = g_strdup_printf("/proc/self/fd/%d", known->fd);
	write_file(known, 0, known->bytes->data, known->bytes->len);
	running = known;
	signal(SIGALRM, tell_hang);
	g_strlcpy(known->what, "the whole file", sizeof(known->what));
	check_case(known, &(struct expected){ .parts = known->parts->len });
	return known;
}

static void known_free(struct known *known)
{
	alarm(0);
	close(known->fd);
	g_byte_array_unref(known->bytes);
	g_array_unref(known->parts);
	g_array_unref(known->part_stacks);
	g_array_unref(known->pieces);
	g_free(known->path);
	g_free(known);
}

static guint cases(void)
{
	const char *told = g_getenv("KMT_SURVIVAL_CASES");

	return told ? g_ascii_strtoull(told, NULL, 10) : CASES;
}

/*
 * Some of the cases use a file of this machine, some one of the other byte order, some a packed
 * one.
 */
static void run_cases(guint count, void (*run_case)(struct known *known))
{
	static const struct {
		struct builder_options options;
		bool is_packed;
	} shapes[] = {
		{ { .subbuf_records = 15 }, false },
		{ { .subbuf_records = 15, .swap_file = true, .swap_data = true }, false },
		{ { .subbuf_records = 15 }, true },
	};

	for (guint shape = 0; shape < G_N_ELEMENTS(shapes); shape++) {
		struct known *known = known_new(&shapes[shape].options, shapes[shape].is_packed);

		for (guint i = 0; i <= count / G_N_ELEMENTS(shapes); i++)
			run_case(known);
		known_free(known);
	}
	g_test_message("%u cases", count);
}

/* ---- cuts ---- */

static void cut_somewhere(struct known *known)
{
	size_t at = g_test_rand_int_range(0, known->bytes->len);
	struct expected expected = {
		.is_cut = true,
		.may_fail = at < sizeof(struct kmemtrace_file_header),
		.must_fail = at < sizeof(struct kmemtrace_file_header),
		.low = at,
		.high = at,
		.end = sizeof(struct kmemtrace_file_header),
	};

	g_snprintf(known->what, sizeof(known->what), "cut at %zu", at);
	for (; part_of(known, expected.parts)->filled <= at; expected.parts++)
		expected.end = MIN(at, part_of(known, expected.parts)->end);
	g_assert_cmpint(ftruncate(known->fd, at), ==, 0);
	check_case(known, &expected);
	write_file(known, at, known->bytes->data + at, known->bytes->len - at);
}

static void truncated_file_reads_up_to_the_cut(void)
{
	run_cases(cases(), cut_somewhere);
}

/* ---- flipped bits ---- */

/* Flips one to eight bits of a few bytes. Returns how many bytes from @at on are affected. */
static size_t flip_bits(const struct known *known, size_t at, uint8_t *window)
{
	size_t len = MIN(FLIP_WINDOW, known->bytes->len - at);
	uint8_t flips[FLIP_WINDOW] = { 0 };

	for (int left = g_test_rand_int_range(1, 9); left; left--)
		flips[g_test_rand_int_range(0, len)] |= 1 << g_test_rand_int_range(0, 8);
	for (size_t i = 0; i < len; i++)
		window[i] = known->bytes->data[at + i] ^ flips[i];
	return len;
}

/* The first and the last part with a flip that matters; FALSE if there is none. */
static bool find_damage(const struct known *known, size_t at, const uint8_t *window, size_t len,
			guint *first, guint *last)
{
	bool found = false;

	for (guint i = 0; i < known->parts->len; i++) {
		const struct part *part = part_of(known, i);
		bool hit = false;

		for (size_t byte = MAX(at, part->start); byte < MIN(at + len, part->filled); byte++)
			hit |= window[byte - at] != known->bytes->data[byte];
		if (hit && !found)
			*first = i;
		if (hit)
			*last = i;
		found |= hit;
	}
	return found;
}

/* The file's header has no CRC: each of its fields is checked by itself. */
static bool is_header_damaged(const struct known *known, size_t at, const uint8_t *window)
{
	size_t end = MIN(at + FLIP_WINDOW, sizeof(struct kmemtrace_file_header));

	return at < end && memcmp(window, known->bytes->data + at, end - at) != 0;
}

/*
 * Whether the header of @part now looks like the end of an incompletely written file: it is
 * damaged, and its chunk would end where the file ends.
 */
static bool looks_torn(const struct known *known, const struct part *part, size_t at,
		       const uint8_t *window, size_t len)
{
	size_t left = known->bytes->len - part->start;
	struct trace_chunk_header header;
	uint8_t bytes[TRACE_CHUNK_HEADER_LEN];

	memcpy(bytes, known->bytes->data + part->start, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++) {
		if (part->start + i >= at && part->start + i < at + len)
			bytes[i] = window[part->start + i - at];
	}
	return trace_chunk_header_parse(bytes, known->options.swap_file, &header, "", 0, NULL) &&
	       (left == sizeof(bytes) + header.len || left == trace_chunk_span(header.len));
}

static void flip_somewhere(struct known *known)
{
	size_t at = g_test_rand_int_range(0, known->bytes->len);
	struct expected expected = { .parts = known->parts->len };
	guint first, last, end_part = known->parts->len - 1;
	uint8_t window[FLIP_WINDOW];
	size_t len = flip_bits(known, at, window);

	g_snprintf(known->what, sizeof(known->what), "flips from %zu on: first byte %02x to %02x",
		   at, known->bytes->data[at], window[0]);
	if (find_damage(known, at, window, len, &first, &last)) {
		expected.is_cut = last == end_part ||
				  looks_torn(known, part_of(known, first), at, window, len);
		expected.may_fail = first != end_part;
		expected.must_fail = !expected.is_cut && !(part_of(known, first)->is_old &&
							   part_of(known, last)->is_old);
		expected.low = part_of(known, first)->start;
		expected.high = part_of(known, last)->filled;
		if (expected.is_cut) {	/* without END: the complete chunks before it */
			expected.parts = first;
			expected.end = part_of(known, first)->start;
		}
	}
	if (is_header_damaged(known, at, window)) {
		expected.may_fail = expected.must_fail = true;
		expected.low = 0;
		expected.high = known->bytes->len;	/* wherever the first chunk seems to be */
		expected.may_skip = true;
	}
	write_file(known, at, window, len);
	check_case(known, &expected);
	write_file(known, at, known->bytes->data + at, len);
}

static void flipped_bits_are_detected(void)
{
	run_cases(cases(), flip_somewhere);
}

/* ---- recovery ---- */

/* Recovers the current file, and opens the copy, which must be clean. */
static struct trace_reader *recover(const struct known *known, const char *path)
{
	struct trace_recovery recovery;
	struct trace_error err = { "" };
	struct trace_reader *reader;
	const char *cut;
	uint64_t end;

	alarm(CASE_SECONDS);
	if (check_recover(known->path, path, &recovery, &err) ||
	    trace_reader_open(path, &reader, &err))
		g_error("%s: %s", known->what, err.text);
	if (trace_reader_cut(reader, &cut, &end))
		g_error("%s: what is recovered is cut at %" PRIu64, known->what, end);
	trace_recovery_clear(&recovery);
	return reader;
}

/* A text may end early where a piece is missing, or be the one that it replaced. */
static void check_recovered_text(const struct known *known, struct trace_reader *reader, guint n)
{
	g_autofree char *name = g_strdup_printf("text%u", n), *right = text_of(n);
	struct trace_error err = { "" };
	g_autofree char *text = NULL;
	size_t len;
	int ret = trace_reader_snapshot(reader, name, phase_of(n), &text, &len, NULL, &err);

	if (ret ? ret != -ENOENT : !g_str_has_prefix(right, text) && strcmp(text, OLD_TEXT) != 0)
		g_error("%s: %s is '%s' %s", known->what, name, text, err.text);
}

static void check_recovered(const struct known *known, const bool *is_lost)
{
	struct expected expected = { .parts = known->parts->len };
	struct stack_check check = { .known = known };
	struct seen seen = { 0 };
	struct trace_error err = { "" };
	int fd = memfd_create("recovered", MFD_CLOEXEC);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
	struct trace_reader *reader = recover(known, path);

	read_events(known, &expected, reader, &seen);
	for (guint n = 0; n < EVENTS; n++) {
		if (seen.event[n] == is_lost[known->event_part[n]])
			g_error("%s: event %u is %s", known->what, n,
				seen.event[n] ? "of a lost chunk" : "not recovered");
	}
	if (trace_reader_stacks(reader, see_stack, &check, &err))
		g_error("%s: %s", known->what, err.text);
	for (guint n = 0; n < TEXTS; n++)
		check_recovered_text(known, reader, n);
	trace_reader_close(reader);
	close(fd);
}

/* A truncated file with flipped bits before the cut. */
static void recover_somewhere(struct known *known)
{
	g_autofree bool *is_lost = g_new0(bool, known->parts->len);
	size_t cut = g_test_rand_int_range(known->bytes->len / 2, known->bytes->len + 1);
	size_t at = g_test_rand_int_range(0, cut), len;
	uint8_t window[FLIP_WINDOW];
	guint first, last;

	g_snprintf(known->what, sizeof(known->what), "cut at %zu, flips from %zu on", cut, at);
	len = flip_bits(known, at, window);
	if (find_damage(known, at, window, len, &first, &last)) {
		for (guint i = first; i <= last; i++)
			is_lost[i] = true;
	}
	for (guint i = 0; i < known->parts->len; i++)
		is_lost[i] |= part_of(known, i)->filled > cut;
	write_file(known, at, window, len);
	g_assert_cmpint(ftruncate(known->fd, cut), ==, 0);
	check_recovered(known, is_lost);
	write_file(known, 0, known->bytes->data, known->bytes->len);
}

static void recovery_has_all_whole_chunks(void)
{
	run_cases(cases() / 4, recover_somewhere);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/survival/truncated_file_reads_up_to_the_cut", truncated_file_reads_up_to_the_cut);
	g_test_add_func("/survival/flipped_bits_are_detected", flipped_bits_are_detected);
	g_test_add_func("/survival/recovery_has_all_whole_chunks", recovery_has_all_whole_chunks);
	return g_test_run();
}
