// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/tracing.h"

#include <string.h>

#include "base/message.h"
#include "base/units.h"
#include "capture/source/source.h"
#include "capture/tracer/memory_check.h"
#include "cmd/common/cachefilter.h"
#include "trace/event/event.h"

#define SUBBUFS_MAX 65536

static struct {
	char *source, *buffer, *subbuf_size, *stack_bytes, *min_size;
	char **events, **pids;
	char *cgroup, *cache;
	int subbufs, depth, sample;
	gboolean allow_missing;
} given = { .subbufs = -1, .depth = -1, .sample = -1 };

const GOptionEntry tracing_entries[] = {
	{ "source", 0, 0, G_OPTION_ARG_STRING, &given.source,
	  "Use the module, or BPF programs: module, bpf, or auto (the module if it is loaded; default)",
	  "SOURCE" },
	{ "event", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &given.events,
	  "Event groups: slab, page, percpu, vmalloc, frag, buddy (default slab,page)",
	  "GROUP[,GROUP…]" },
	{ "pid", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &given.pids,
	  "Trace only these processes, with their threads and new children", "PID[,PID…]" },
	{ "cgroup", 'G', 0, G_OPTION_ARG_FILENAME, &given.cgroup,
	  "Trace only processes in this cgroup (v2) and below", "PATH" },
	{ "cache", 0, 0, G_OPTION_ARG_STRING, &given.cache, "Trace only slab objects of this cache",
	  "NAME" },
	{ "allow-missing", 0, 0, G_OPTION_ARG_NONE, &given.allow_missing,
	  "Accept a --cache that does not exist yet", NULL },
	{ "min-size", 0, 0, G_OPTION_ARG_STRING, &given.min_size,
	  "Skip smaller allocations (bytes, or with K, M, G)", "SIZE" },
	{ "buffer", 'm', 0, G_OPTION_ARG_STRING, &given.buffer,
	  "Buffer size per CPU (bytes, or with K, M, G; default: the tracer's setting, initially 4M)",
	  "SIZE" },
	{ "subbufs", 0, 0, G_OPTION_ARG_INT, &given.subbufs,
	  "Sub-buffers per CPU (default: the tracer's setting, initially 32)", "N" },
	{ "subbuf-size", 0, 0, G_OPTION_ARG_STRING, &given.subbuf_size,
	  "Size of a sub-buffer (default: the tracer's setting, initially 128K)", "SIZE" },
	{ "stack-depth", 0, 0, G_OPTION_ARG_INT, &given.depth,
	  "Return addresses per stack, 0 to 128 (default: the tracer's setting, initially 64)",
	  "N" },
	{ "stack-bytes", 0, 0, G_OPTION_ARG_STRING, &given.stack_bytes,
	  "Size of the stack table (default: the tracer's setting, initially 8M)", "SIZE" },
	G_OPTION_ENTRY_NULL
};

const GOptionEntry tracing_sample_entries[] = { { "sample", 0, 0, G_OPTION_ARG_INT, &given.sample,
						  "Trace one address in N (a power of two)", "N" },
						G_OPTION_ENTRY_NULL };

const GOptionEntry tracing_source_entries[] = {
	{ "source", 0, 0, G_OPTION_ARG_STRING, &given.source,
	  "Use the module, or BPF programs: module, bpf, or auto (the one that was started; default)",
	  "SOURCE" },
	G_OPTION_ENTRY_NULL
};

static gboolean tracing_fail(GError *error)
{
	message("%s", error->message);
	g_error_free(error);
	return FALSE;
}

/* Returns the words of all @lists, which are separated by commas: "slab page". For g_free(). */
static char *join_words(char *const *lists)
{
	g_autofree char *all = g_strjoinv(",", (char **)lists);

	return g_strdelimit(g_steal_pointer(&all), ",", ' ');
}

static gboolean is_event(const char *word)
{
	static const char *const known[] = { "slab", "page",  "percpu", "vmalloc",
					     "frag", "buddy", NULL };

	return g_strv_contains(known, word);
}

static gboolean is_pid(const char *word)
{
	return g_ascii_string_to_unsigned(word, 10, 1, G_MAXINT, NULL, NULL);
}

/* Checks each word with @is_one; an empty list has one empty word. */
static gboolean check_words(const char *text, gboolean (*is_one)(const char *word),
			    const char *format)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	const char *wrong = *text ? NULL : text;

	for (guint i = 0; words[i] && !wrong; i++)
		wrong = is_one(words[i]) ? NULL : words[i];
	if (wrong)
		message(format, wrong);
	return !wrong;
}

static gboolean check_numbers(void)
{
	if (given.depth < -1 || given.depth > KMEMTRACE_STACK_DEPTH_MAX) {
		message("--stack-depth must be between 0 and %d, not %d", KMEMTRACE_STACK_DEPTH_MAX,
			given.depth);
		return FALSE;
	}
	if (given.subbufs != -1 && (given.subbufs < 2 || given.subbufs > SUBBUFS_MAX)) {
		message("--subbufs must be between 2 and %d, not %d", SUBBUFS_MAX, given.subbufs);
		return FALSE;
	}
	if (given.sample != -1 && (given.sample < 1 || given.sample & (given.sample - 1))) {
		message("--sample must be a power of two, not %d", given.sample);
		return FALSE;
	}
	if (given.buffer && (given.subbufs != -1 || given.subbuf_size)) {
		message("-m, or --subbufs and --subbuf-size, not both");
		return FALSE;
	}
	if (given.cache && (!*given.cache || strchr(given.cache, '\n'))) {
		message("--cache needs a cache name");
		return FALSE;
	}
	if (given.allow_missing && !given.cache) {
		message("--allow-missing needs --cache");
		return FALSE;
	}
	return TRUE;
}

static gboolean parse_size(const char *text, guint64 *bytes)
{
	GError *error = NULL;

	return !text || units_parse_size(text, bytes, &error) || tracing_fail(error);
}

/* Parses the size of @option; 0 would mean that it was not given. */
static gboolean parse_room(const char *option, const char *text, guint64 *bytes)
{
	if (!parse_size(text, bytes))
		return FALSE;
	if (text && !*bytes)
		message("%s must not be 0", option);
	return !text || *bytes;
}

static gboolean check_room(const Settings *settings)
{
	MemoryCheck room = memory_check_read();
	g_autofree char *refusal = memory_check_refusal(&room, settings);

	if (refusal)
		message("%s", refusal);
	return !refusal;
}

static gboolean find_cache(Settings *settings)
{
	if (!given.cache)
		return TRUE;
	settings->cache = cachefilter_find(given.cache, given.allow_missing);
	return settings->cache != NULL;
}

static gboolean check_source(void)
{
	g_autofree char *words = NULL;

	if (!given.source || g_strv_contains(source_words, given.source))
		return TRUE;
	words = g_strjoinv(", ", (char **)source_words);
	message("invalid --source '%s' (expected %s)", given.source, words);
	return FALSE;
}

gboolean tracing_source(const char **source)
{
	*source = given.source;
	return check_source();
}

gboolean tracing_settings(Settings *settings)
{
	if (!check_source())
		return FALSE;
	settings->source = g_strdup(given.source);
	settings->stack_depth = given.depth;
	settings->subbufs = MAX(given.subbufs, 0);
	settings->sample = MAX(given.sample, 0);
	if (!check_numbers() || !parse_room("--buffer", given.buffer, &settings->buffer_bytes) ||
	    !parse_room("--subbuf-size", given.subbuf_size, &settings->subbuf_size) ||
	    !parse_room("--stack-bytes", given.stack_bytes, &settings->stack_bytes) ||
	    !parse_size(given.min_size, &settings->min_size) || !check_room(settings))
		return FALSE;
	settings->cgroup = g_strdup(given.cgroup);
	if (given.events)
		settings->events = join_words(given.events);
	if (given.pids)
		settings->pids = join_words(given.pids);
	return (!settings->events ||
		check_words(
			settings->events, is_event,
			"invalid event group '%s' (expected slab, page, percpu, vmalloc, frag or buddy)")) &&
	       (!settings->pids || check_words(settings->pids, is_pid,
					       "invalid process id '%s' (expected a number)")) &&
	       find_cache(settings);
}

const char *tracing_given(void)
{
	const struct {
		gboolean is_given;
		const char *name;
	} all[] = {
		{ given.events != NULL, "-e" },
		{ given.pids != NULL, "-p" },
		{ given.cgroup != NULL, "-G" },
		{ given.cache != NULL, "--cache" },
		{ given.min_size != NULL, "--min-size" },
		{ given.sample != -1, "--sample" },
		{ given.buffer != NULL, "-m" },
		{ given.subbufs != -1, "--subbufs" },
		{ given.subbuf_size != NULL, "--subbuf-size" },
		{ given.depth != -1, "--stack-depth" },
		{ given.stack_bytes != NULL, "--stack-bytes" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
		if (all[i].is_given)
			return all[i].name;
	}
	return NULL;
}

int tracing_failed(GError *error)
{
	gboolean is_machine = g_error_matches(error, CAPTURE_ERROR, CAPTURE_ERROR_NO_TRACER) ||
			      g_error_matches(error, CAPTURE_ERROR, CAPTURE_ERROR_NO_SYMBOLS);

	message("%s%s", error->message,
		is_machine ? "; kmemtrace-user doctor shows what can be done" : "");
	g_error_free(error);
	return EXIT_FAILED;
}

void tracing_say_missed(void)
{
	if (given.cache && given.allow_missing)
		cachefilter_say_missed(given.cache);
}

static void say_lost(enum kmemtrace_loss reason, guint64 lost, const char *what)
{
	g_autofree char *count = units_format_count(lost);

	message("LOST (%s): %s %s", trace_loss_name(reason), count, what);
}

void tracing_say_lost(const CaptureStats *stats)
{
	static const char *const remedies[KMEMTRACE_LOSS_NR] = {
		[KMEMTRACE_LOSS_BUFFER_FULL] =
			"events: the buffers were full; -m with a larger SIZE helps",
		[KMEMTRACE_LOSS_NMI] = "events came in an NMI, where nothing can be recorded",
		[KMEMTRACE_LOSS_RECURSION] =
			"events came while another one was being recorded, "
			"or belong to bulk calls and page ranges that no probe could see",
		[KMEMTRACE_LOSS_STACK_FULL] = "events have no stack: the stack table, or the share "
					      "of a user, was full; a larger --stack-bytes helps",
		[KMEMTRACE_LOSS_CACHE_FULL] = "events have no cache: the cache table was full",
		[KMEMTRACE_LOSS_NAME] =
			"thread names: the buffers were full, or a thread was being renamed; until it is named again, "
			"a thread has an older name, or none; no event was lost",
	};

	g_autofree char *overwritten = units_format_count(stats->overwritten);

	if (stats->frozen)
		message(TRACING_FROZEN);
	if (stats->overwritten)
		message("OVERWRITTEN: %s older events, by newer ones; a larger -m keeps more",
			overwritten);
	for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++) {
		guint64 lost = stats->lost[reason];

		if (reason == KMEMTRACE_LOSS_BUFFER_FULL)
			lost -= stats->unbuffered;
		if (lost)
			say_lost(reason, lost, remedies[reason]);
	}
	if (stats->unbuffered)
		say_lost(KMEMTRACE_LOSS_BUFFER_FULL, stats->unbuffered,
			 "events on CPUs that came online after the start: they have no buffers, "
			 "and a new recording has");
}
