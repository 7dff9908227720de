// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the merge and the pairing: bytes become the events of some CPUs, without a file. The
 * output of the merge is compared with the simplest possible merge. From the pairing, each
 * allocation must come out once, as it went in, except for the address of moved pages. Where simple
 * rules define its end (for pages a table of frames, otherwise the next event of its address), it
 * must end that way. The rules ignore differences between clocks, so they only apply if all events
 * are far apart.
 *
 * An input is a byte of settings, then EVENT_LEN bytes for each event.
 */
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "analysis/pairing/pair.h"
#include "fuzz.h"
#include "trace/file/index.h"
#include "trace/event/merge.h"

#define EVENT_LEN	5
#define EVENTS_MAX	600	/* more only take longer to run */
#define CPUS		4
#define FRAMES		8192	/* higher ones are invalid, except LAST_FRAME */
#define LAST_FRAME	((1ULL << 52) - 1)
#define LINEAR_BASE	G_GUINT64_CONSTANT(0xffff888000000000)
#define AREA_BASE	G_GUINT64_CONSTANT(0xffffc90000000000)
#define ACCOUNT		0x400000U	/* __GFP_ACCOUNT */
#define NULL_END	17	/* NULL and ZERO_SIZE_PTR are lower */

enum { WITH_LINEAR_BASE = 1, BIG_PAGES = 2, SKEWED = 4 };

/* ---- events out of bytes ---- */

static const uint8_t types[] = {
	KMEMTRACE_EVENT_KMALLOC, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_CACHE_ALLOC,
	KMEMTRACE_EVENT_CACHE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, KMEMTRACE_EVENT_PAGE_FREE,
	KMEMTRACE_EVENT_KFREE_RCU, KMEMTRACE_EVENT_PERCPU_ALLOC, KMEMTRACE_EVENT_PERCPU_FREE,
	KMEMTRACE_EVENT_VMAP_ALLOC, KMEMTRACE_EVENT_VMAP_FREE, KMEMTRACE_EVENT_TASK,
	KMEMTRACE_EVENT_EXTFRAG, KMEMTRACE_EVENT_PAGE_ALLOC, KMEMTRACE_EVENT_RESIZE,
	KMEMTRACE_EVENT_PAGE_MOVE, KMEMTRACE_EVENT_PAGE_FREE,
	KMEMTRACE_EVENT_NONE,	/* an error of the stream */
};

static const uint64_t odd_addrs[] = {
	0, 1, 16, 17, ~0ULL, LINEAR_BASE - 1, LAST_FRAME + 1, LAST_FRAME,
};

static gboolean is_page(unsigned int type)
{
	return type == KMEMTRACE_EVENT_PAGE_ALLOC || type == KMEMTRACE_EVENT_PAGE_FREE;
}

static gboolean has_order(unsigned int type)
{
	return is_page(type) || type == KMEMTRACE_EVENT_PAGE_MOVE;
}

static uint64_t addr_of(unsigned int type, uint8_t place, uint8_t settings)
{
	if (place >= 256 - G_N_ELEMENTS(odd_addrs))
		return odd_addrs[255 - place];
	if (has_order(type))
		return settings & BIG_PAGES ? place * 23 : 1 + place % 64;
	if (type == KMEMTRACE_EVENT_VMAP_ALLOC || type == KMEMTRACE_EVENT_VMAP_FREE || place >= 224)
		return AREA_BASE + place % 32 * 4096;
	return LINEAR_BASE + place * 512;
}

static struct trace_event event_of(const uint8_t *bytes, uint8_t settings, uint64_t before_ns)
{
	unsigned int type = types[bytes[0] % 16];
	struct trace_event event = {
		.event = type,
		.cpu = bytes[0] >> 4 & (CPUS - 1),
		.context = bytes[0] >> 6 & 1,
		.time_ns = before_ns + (int8_t)bytes[1],
		.addr = addr_of(type, bytes[2], settings),
		.order = bytes[3] % (settings & BIG_PAGES ? 12 : 5),
		.bytes_alloc = 32U << bytes[3] % 11,
		.tid = bytes[4] % 4,
		.gfp = bytes[4] & 4 ? ACCOUNT : 0,
	};

	if (bytes[3] == 255)
		event.order = 200;
	if (type == KMEMTRACE_EVENT_PAGE_MOVE) {
		uint64_t target = addr_of(type, bytes[4], settings);

		event.bytes_req = target;
		event.bytes_alloc = target >> 32;
		event.gfp = bytes[3] >> 5 & 3;
	}
	return event;
}

/* ---- streams without a file ---- */

struct trace_stream {
	GArray *events;		/* of struct trace_event */
	guint next;
};

static struct trace_stream streams[CPUS];
static const uint32_t cpus[CPUS] = { 0, 1, 2, 3 };

size_t trace_reader_cpus(const struct trace_reader *reader, const uint32_t **out)
{
	*out = cpus;
	return CPUS;
}

const char *trace_reader_path(const struct trace_reader *reader)
{
	return "none";
}

bool trace_reader_has_earlier(const struct trace_reader *reader, uint32_t cpu, uint64_t *records)
{
	return false;
}

int trace_stream_open(struct trace_reader *reader, uint32_t cpu, struct trace_stream **out,
		      struct trace_error *err)
{
	*out = &streams[cpu];
	(*out)->next = 0;
	return 0;
}

void trace_stream_close(struct trace_stream *stream)
{
}

int trace_stream_next(struct trace_stream *stream, struct trace_event *event,
		      struct trace_error *err)
{
	if (stream->next == stream->events->len)
		return 0;
	*event = g_array_index(stream->events, struct trace_event, stream->next++);
	return event->event ? 1 : trace_error_set(err, EBADMSG, "a damaged chunk");
}

/* Nothing is lost, and nothing begins late. */
const struct trace_stream_stats *trace_stream_stats(const struct trace_stream *stream)
{
	static const struct trace_stream_stats none;

	return &none;
}

static void fill_streams(const uint8_t *data, size_t size, uint8_t settings)
{
	uint64_t now[CPUS] = { 1000, 1000, 1000, 1000 };

	for (guint cpu = 0; cpu < CPUS; cpu++)
		streams[cpu].events = g_array_new(FALSE, FALSE, sizeof(struct trace_event));
	for (guint i = 0; i < EVENTS_MAX && size >= EVENT_LEN; i++) {
		uint32_t cpu = data[0] >> 4 & (CPUS - 1);
		struct trace_event event = event_of(data, settings, now[cpu]);

		now[cpu] = event.time_ns;
		g_array_append_val(streams[cpu].events, event);
		data += EVENT_LEN;
		size -= EVENT_LEN;
	}
}

/* ---- the simplest merge ---- */

/* The stream with the earliest event, the first one among equals; −1: all are at their end. */
static int earliest(const guint *next)
{
	uint64_t best_ns = 0;
	int best = -1;

	for (guint cpu = 0; cpu < CPUS; cpu++) {
		const struct trace_event *event;

		if (next[cpu] == streams[cpu].events->len)
			continue;
		event = &g_array_index(streams[cpu].events, struct trace_event, next[cpu]);
		if (!event->event)	/* already requested when the previous event was returned */
			return -1;
		if (best < 0 || event->time_ns < best_ns) {
			best = cpu;
			best_ns = event->time_ns;
		}
	}
	return best;
}

static gboolean is_same(const struct trace_event *a, const struct trace_event *b)
{
	return a->event == b->event && a->time_ns == b->time_ns && a->addr == b->addr &&
	       a->order == b->order && a->cpu == b->cpu && a->bytes_alloc == b->bytes_alloc;
}

/* Reads all events in order, and compares them with the simple merge. */
static GArray *merge(void)
{
	GArray *events = g_array_new(FALSE, FALSE, sizeof(struct trace_event));
	struct trace_error err = { "" };
	guint next[CPUS] = { 0 };
	struct trace_merge *merge;
	struct trace_event event;
	gboolean failed = FALSE;
	int cpu, ret;

	REQUIRE(trace_merge_open(NULL, &merge, &err) == 0);
	while ((ret = trace_merge_next(merge, &event, &err)) > 0) {
		cpu = earliest(next);
		REQUIRE(cpu >= 0);
		REQUIRE(is_same(&event, &g_array_index(streams[cpu].events, struct trace_event,
						       next[cpu]++)));
		g_array_append_val(events, event);
	}
	REQUIRE(earliest(next) < 0);
	for (cpu = 0; cpu < CPUS; cpu++)
		failed |= next[cpu] < streams[cpu].events->len;
	REQUIRE(failed == (ret < 0) && failed == (err.text[0] != 0));
	REQUIRE(trace_merge_next(merge, &event, &err) == ret);
	trace_merge_close(merge);
	return events;
}

/* ---- the pairing: an event's number goes in and comes out as its CPU ---- */

typedef struct {
	GArray *events;		/* of struct trace_event: the input */
	PairLifetime *lifetimes;	/* by number of the allocation's event; state as it came */
	PairEnd *ends;
	guint8 *closed;		/* whether it came out */
	guint64 *unowned;	/* unmatched pages of a free, by the number of its event */
	guint64 unmatched, undone, failed, count;
	guint64 charged;	/* of failed allocations: with __GFP_ACCOUNT */
	guint now;		/* number of the current event; after the last: the end */
	gboolean skewed;	/* a free may come before its allocation */
} Check;

static gboolean is_alloc(unsigned int type)
{
	return type == KMEMTRACE_EVENT_KMALLOC || type == KMEMTRACE_EVENT_CACHE_ALLOC ||
	       type == KMEMTRACE_EVENT_PAGE_ALLOC || type == KMEMTRACE_EVENT_PERCPU_ALLOC ||
	       type == KMEMTRACE_EVENT_VMAP_ALLOC;
}

static const struct trace_event *nth(const Check *check, guint n)
{
	return &g_array_index(check->events, struct trace_event, n);
}

/* For a large kmalloc with two events, the second call site is the caller's. */
static void check_origin(const Check *check, guint n, guint origin)
{
	const struct trace_event *event = nth(check, n), *other = nth(check, origin);

	if (origin == n)
		return;
	REQUIRE(origin > n && origin <= check->now && event->event == KMEMTRACE_EVENT_KMALLOC);
	REQUIRE(other->event == KMEMTRACE_EVENT_KMALLOC && other->addr == event->addr);
}

static void take_lifetime(gpointer data, const PairLifetime *lifetime)
{
	Check *check = data;
	guint n = lifetime->cpu;
	const struct trace_event *event;

	REQUIRE(n < check->events->len && n <= check->now && !check->closed[n]);
	event = nth(check, n);
	REQUIRE(is_alloc(event->event) && lifetime->event == event->event);
	REQUIRE(lifetime->time_ns == event->time_ns);
	REQUIRE(lifetime->addr == event->addr || is_page(event->event));
	REQUIRE(lifetime->context == event->context && lifetime->task == event->tid);
	REQUIRE(lifetime->state <= PAIR_FREEING);
	check_origin(check, n, lifetime->origin);
	REQUIRE((lifetime->state == PAIR_LIVE || lifetime->state == PAIR_FREEING) ==
			(check->now == check->events->len) ||
		(check->skewed && lifetime->end && lifetime->end->origin < n));
	REQUIRE(!lifetime->end ==
		(lifetime->state == PAIR_LIVE || lifetime->state == PAIR_FREE_UNSEEN));
	REQUIRE(lifetime->pages_freed < 1U << (is_page(event->event) ? event->order : 0));
	check->closed[n] = 1;
	check->count++;
	check->lifetimes[n] = *lifetime;
	if (lifetime->end) {
		REQUIRE(lifetime->end->origin == lifetime->end->cpu);
		REQUIRE(lifetime->end->origin > n || check->skewed);
		REQUIRE(lifetime->end->origin != n && lifetime->end->origin <= check->now);
		REQUIRE(!is_alloc(nth(check, lifetime->end->origin)->event));
		check->ends[n] = *lifetime->end;
	}
}

static void take_unmatched(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	Check *check = data;

	REQUIRE(event->origin == check->now && !is_alloc(event->event->event));
	REQUIRE(class <= PAIR_UNSEEN);
	REQUIRE(pages <= (is_page(event->event->event) ? 1U << event->event->order : 0));
	check->unowned[check->now] = pages;
	check->unmatched++;
}

static void take_matched_late(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	Check *check = data;

	REQUIRE(check->unmatched && class <= PAIR_UNSEEN);
	REQUIRE(check->skewed || event->event->event == KMEMTRACE_EVENT_PAGE_FREE);
	check->undone += !check->skewed;
	REQUIRE(pages == check->unowned[event->event->cpu]);
	check->unmatched--;
}

static void take_failed(gpointer data, const PairEvent *event)
{
	Check *check = data;

	REQUIRE(event->origin == check->now || event->event->event == KMEMTRACE_EVENT_VMAP_ALLOC);
	REQUIRE(event->origin <= check->now && is_alloc(event->event->event));
	REQUIRE(!event->event->addr);
	check->failed++;
	check->charged += is_page(event->event->event) && event->event->gfp & ACCOUNT;
}

/* The origin returned here must be passed back later. */
static guint32 take_resized(gpointer data, guint32 origin, const PairEvent *event)
{
	const Check *check = data;

	REQUIRE(event->event->event == KMEMTRACE_EVENT_RESIZE && origin < check->now);
	REQUIRE(nth(check, origin)->addr == event->event->addr);
	return origin;
}

/* ---- the simple rules for pages ---- */

typedef struct {
	guint32 owner[FRAMES + 1];	/* number of the allocation's event + 1; 0: nobody. The last
					 * one is LAST_FRAME's */
	guint left[EVENTS_MAX];	/* pages of an allocation that are left */
	guint moves[EVENTS_MAX];	/* events that moved some of its pages */
	guint8 overlapped[EVENTS_MAX];
	uint64_t addr[EVENTS_MAX];	/* where its first page is */
	guint64 expected;	/* frees that only concern what moves left behind or brought */
} Frames;

#define EXPECTED	G_MAXUINT32	/* an owner: the free will come, and is no allocation's */

static gboolean is_sane(uint64_t addr, guint order)
{
	if (addr == LAST_FRAME)
		return order == 0;
	return order < 20 && addr < FRAMES && addr + (1U << order) <= FRAMES;
}

static guint32 *owner_of(Frames *frames, uint64_t addr)
{
	return &frames->owner[MIN(addr, FRAMES)];
}

static void expect_state(const Check *check, guint n, PairState state, guint end)
{
	const PairLifetime *lifetime = &check->lifetimes[n];

	REQUIRE(check->closed[n] && lifetime->state == state);
	if (state == PAIR_FREED)
		REQUIRE(check->ends[n].origin == end);
	if (state == PAIR_FREED || state == PAIR_FREE_UNSEEN)
		REQUIRE(lifetime->end_ns == nth(check, end)->time_ns);
}

/* The allocation @owner - 1 loses one page. */
static void lose_page(const Check *check, Frames *frames, guint32 owner, guint n, gboolean is_free)
{
	guint old = owner - 1;

	if (!owner || owner == EXPECTED)
		return;
	frames->overlapped[old] |= !is_free;
	if (--frames->left[old])
		return;
	expect_state(check, old,
		     is_free && !frames->overlapped[old] ? PAIR_FREED : PAIR_FREE_UNSEEN, n);
	REQUIRE(check->lifetimes[old].addr == frames->addr[old]);
	REQUIRE(check->lifetimes[old].moves == frames->moves[old]);
}

static void take_frames(const Check *check, Frames *frames, guint n)
{
	const struct trace_event *event = nth(check, n);
	gboolean is_free = event->event == KMEMTRACE_EVENT_PAGE_FREE, expected = is_free;

	for (guint i = 0; i < 1U << event->order; i++) {
		guint32 *owner = owner_of(frames, event->addr + i);

		expected &= *owner == EXPECTED;
		lose_page(check, frames, *owner, n, is_free);
		*owner = is_free ? 0 : n + 1;
	}
	frames->expected += expected;
	frames->left[n] = is_free ? 0 : 1U << event->order;
	frames->addr[n] = event->addr;
}

/*
 * Moves the page of @owner from @from to @to; @moved: allocations that this event has already
 * moved.
 */
static void move_page(Frames *frames, guint32 owner, uint64_t from, uint64_t to, guint8 *moved)
{
	if (!owner || owner == EXPECTED)
		return;
	if (frames->addr[owner - 1] == from)
		frames->addr[owner - 1] = to;
	if (moved && !moved[owner - 1]) {
		moved[owner - 1] = 1;
		frames->moves[owner - 1]++;
	}
}

static void move_frames(const Check *check, Frames *frames, guint n)
{
	const struct trace_event *event = nth(check, n);
	uint64_t target = trace_event_target(event);
	guint8 moved[EVENTS_MAX] = { 0 };

	for (guint i = 0; i < 1U << event->order; i++) {
		guint32 *from = owner_of(frames, event->addr + i);
		guint32 *to = owner_of(frames, target + i);
		guint32 migrators = *to;

		*to = *from;
		*from = migrators ? migrators : EXPECTED;
		move_page(frames, *to, event->addr + i, target + i, moved);
		move_page(frames, *from, target + i, event->addr + i, NULL);
		if (event->gfp & KMEMTRACE_MOVE_FROM_OUTSIDE) {
			lose_page(check, frames, *from, n, FALSE);
			*from = 0;
			*to = *to ? *to : EXPECTED;
		}
		if (event->gfp & KMEMTRACE_MOVE_TO_OUTSIDE) {
			lose_page(check, frames, *to, n, FALSE);
			*to = 0;
		}
	}
}

static gboolean is_sane_move(const struct trace_event *event)
{
	uint64_t target = trace_event_target(event);

	if (event->event != KMEMTRACE_EVENT_PAGE_MOVE || !is_sane(event->addr, event->order) ||
	    !is_sane(target, event->order))
		return FALSE;
	return MAX(target, event->addr) - MIN(target, event->addr) >= 1U << event->order;
}

static void check_pages(const Check *check, const PairStats *stats)
{
	static Frames frames;

	memset(&frames, 0, sizeof(frames));
	for (guint n = 0; n < check->events->len; n++) {
		const struct trace_event *event = nth(check, n);

		if (is_sane_move(event))
			move_frames(check, &frames, n);
		if (!is_page(event->event) || !is_sane(event->addr, event->order) ||
		    (event->event == KMEMTRACE_EVENT_PAGE_ALLOC && !event->addr))
			continue;
		take_frames(check, &frames, n);
	}
	REQUIRE(frames.expected == stats->frees_moved);
	for (guint n = 0; n < check->events->len; n++) {
		if (!frames.left[n])
			continue;
		expect_state(check, n, PAIR_LIVE, 0);
		REQUIRE(check->lifetimes[n].addr == frames.addr[n]);
		REQUIRE(check->lifetimes[n].pages_freed ==
			(1U << nth(check, n)->order) - frames.left[n]);
	}
}

/* ---- the simple rules for everything else ---- */

/* The address space of an event: addresses in different spaces are unrelated; −1: none. */
static int space_of(unsigned int type)
{
	switch (type) {
	case KMEMTRACE_EVENT_KMALLOC:
	case KMEMTRACE_EVENT_KFREE:
	case KMEMTRACE_EVENT_CACHE_ALLOC:
	case KMEMTRACE_EVENT_CACHE_FREE:
		return 0;
	case KMEMTRACE_EVENT_PERCPU_ALLOC:
	case KMEMTRACE_EVENT_PERCPU_FREE:
		return 1;
	case KMEMTRACE_EVENT_VMAP_ALLOC:
	case KMEMTRACE_EVENT_VMAP_FREE:
		return 2;
	}
	return -1;
}

static void check_next_of_addr(const Check *check, guint n)
{
	const struct trace_event *event = nth(check, n);
	int space = space_of(event->event);

	for (guint i = n + 1; i < check->events->len; i++) {
		const struct trace_event *other = nth(check, i);

		if (other->addr != event->addr || space_of(other->event) != space)
			continue;
		expect_state(check, n, is_alloc(other->event) ? PAIR_FREE_UNSEEN : PAIR_FREED, i);
		return;
	}
	expect_state(check, n, PAIR_LIVE, 0);
}

static gboolean is_given_to_rcu(const Check *check, uint64_t addr)
{
	for (guint n = 0; n < check->events->len; n++) {
		if (nth(check, n)->event == KMEMTRACE_EVENT_KFREE_RCU &&
		    nth(check, n)->addr == addr)
			return TRUE;
	}
	return FALSE;
}

static void check_others(const Check *check, gboolean has_linear_base)
{
	for (guint n = 0; n < check->events->len; n++) {
		const struct trace_event *event = nth(check, n);
		int space = space_of(event->event);

		if (space < 0 || !is_alloc(event->event) || !event->addr ||
		    (space == 0 && (has_linear_base || event->addr < NULL_END)) ||
		    (space != 1 && is_given_to_rcu(check, event->addr)))
			continue;
		check_next_of_addr(check, n);
	}
}

static void check_sums(const Check *check, const PairStats *stats)
{
	guint64 counted = stats->failed + stats->areas_retried + stats->duplicates +
			  stats->null_pointers + stats->absurd_pages + stats->allocs +
			  stats->matched + stats->unmatched + stats->undone + stats->moves +
			  stats->frees_moved;
	guint64 events = 0;

	for (guint n = 0; n < check->events->len; n++) {
		unsigned int type = nth(check, n)->event;

		events += has_order(type) || space_of(type) >= 0 ||
			  type == KMEMTRACE_EVENT_KFREE_RCU;
	}
	REQUIRE(check->count == stats->allocs && check->failed == stats->failed);
	REQUIRE(check->unmatched >= stats->unmatched && stats->peak_live <= stats->allocs + 1);
	REQUIRE(check->skewed || check->undone == stats->undone);
	REQUIRE(counted <= events && stats->undone <= check->charged);
}

/* Moves an event to a time that is further from all others than clocks may differ. */
static uint64_t nth_apart(GArray *events, guint n)
{
	struct trace_event *event = &g_array_index(events, struct trace_event, n);

	event->time_ns = (n + 1) * (uint64_t)(PAIR_SKEW_NS + 1);
	return event->time_ns;
}

static void pair(GArray *events, uint8_t settings)
{
	gboolean has_linear_base = settings & WITH_LINEAR_BASE;
	Check check = {
		.events = events,
		.lifetimes = g_new0(PairLifetime, events->len + 1),
		.ends = g_new0(PairEnd, events->len + 1),
		.closed = g_new0(guint8, events->len + 1),
		.unowned = g_new0(guint64, events->len + 1),
		.skewed = settings & SKEWED,
	};
	PairSink sink = { take_lifetime, take_unmatched, take_matched_late, take_failed, &check };
	Pair *pairing = pair_new(12, has_linear_base ? LINEAR_BASE : 0, &sink);

	pair_set_account(pairing, ACCOUNT);
	pair_set_resized(pairing, take_resized);
	for (; check.now < events->len; check.now++) {
		struct trace_event event = *nth(&check, check.now);

		if (!check.skewed)
			event.time_ns = nth_apart(events, check.now);
		event.cpu = check.now;
		pair_feed(pairing, &(PairEvent){ .event = &event, .origin = check.now,
						 .task = event.tid });
	}
	pair_finish(pairing);
	check_sums(&check, pair_stats(pairing));
	if (!check.skewed) {
		check_pages(&check, pair_stats(pairing));
		check_others(&check, has_linear_base);
	}
	pair_free(pairing);
	g_free(check.lifetimes);
	g_free(check.ends);
	g_free(check.closed);
	g_free(check.unowned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GArray *events;

	if (!size)
		return 0;
	fill_streams(data + 1, size - 1, data[0]);
	events = merge();
	pair(events, data[0]);
	g_array_unref(events);
	for (guint cpu = 0; cpu < CPUS; cpu++)
		g_array_unref(streams[cpu].events);
	return 0;
}
