// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/stats.h"

#include <string.h>

#include "base/columns.h"
#include "trace/event/event.h"

static CaptureStats *stats_of(GArray *cpus, guint cpu)
{
	CaptureStats *last = cpus->len ? &g_array_index(cpus, CaptureStats, cpus->len - 1) : NULL;

	if (!last || last->cpu != cpu) {
		CaptureStats stats = { .cpu = cpu };

		g_array_append_val(cpus, stats);
		last = &g_array_index(cpus, CaptureStats, cpus->len - 1);
	}
	return last;
}

static void add_value(guint64 cpu, const char *column, guint64 value, gpointer data)
{
	CaptureStats *stats = stats_of(data, cpu);

	if (strcmp(column, "written") == 0)
		stats->written = value;
	else if (strcmp(column, "ignored") == 0)
		stats->ignored = value;
	else if (strcmp(column, "overwritten") == 0)
		stats->overwritten = value;
	else if (strcmp(column, "consumed") == 0)
		stats->consumed = value;
	for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++) {
		if (strcmp(column, trace_loss_name(reason)) == 0)
			stats->lost[reason] = value;
	}
}

/* A CPU whose buffer is full has records: losses without records mean that it has no buffer. */
static void find_unbuffered(GArray *cpus)
{
	for (guint i = 0; i < cpus->len; i++) {
		CaptureStats *stats = &g_array_index(cpus, CaptureStats, i);

		if (!stats->written)
			stats->unbuffered = stats->lost[KMEMTRACE_LOSS_BUFFER_FULL];
	}
}

static GArray *parse_cpus(const char *text)
{
	GArray *cpus = g_array_new(FALSE, TRUE, sizeof(CaptureStats));

	columns_parse(text, add_value, cpus);
	find_unbuffered(cpus);
	return cpus;
}

GArray *stats_read_cpus(const Control *control, GError **error)
{
	g_autofree char *text = control_read(control, "stats", error);

	return text ? parse_cpus(text) : NULL;
}

/* Returns the number in the line "NAME NUMBER" of @text; 0: there is none. */
static guint64 number_in(const char *text, const char *name)
{
	g_autofree char *key = g_strdup_printf("\n%s ", name);
	const char *found = text ? strstr(text, key) : NULL;

	return found ? g_ascii_strtoull(found + strlen(key), NULL, 10) : 0;
}

static gboolean is_frozen(const char *text)
{
	return number_in(text, "frozen by_oops") != 0;
}

gboolean stats_are_frozen(const Control *control)
{
	g_autofree char *text = control_read(control, "stats", NULL);

	return is_frozen(text);
}

gboolean stats_read(const Control *control, CaptureStats *stats, GError **error)
{
	g_autofree char *text = control_read(control, "stats", error);
	g_autoptr(GArray) cpus = text ? parse_cpus(text) : NULL;

	memset(stats, 0, sizeof(*stats));
	stats->frozen = is_frozen(text);
	for (guint i = 0; cpus && i < cpus->len; i++) {
		const CaptureStats *cpu = &g_array_index(cpus, CaptureStats, i);

		stats->written += cpu->written;
		stats->ignored += cpu->ignored;
		stats->overwritten += cpu->overwritten;
		stats->consumed += cpu->consumed;
		stats->unbuffered += cpu->unbuffered;
		for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
			stats->lost[reason] += cpu->lost[reason];
	}
	return cpus != NULL;
}

guint64 stats_lost_records(const CaptureStats *stats)
{
	return stats->lost[KMEMTRACE_LOSS_BUFFER_FULL] + stats->lost[KMEMTRACE_LOSS_NMI] +
	       stats->lost[KMEMTRACE_LOSS_RECURSION];
}

gboolean stats_lack_records(const CaptureStats *stats)
{
	return stats->frozen || stats_lost_records(stats);
}

static void clear_memory(gpointer data)
{
	StatsMemory *memory = data;

	g_free(memory->name);
}

/* Lines "memory NAME BYTES". */
GArray *stats_read_memories(const Control *control, GError **error)
{
	g_autofree char *text = control_read(control, "stats", error);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	GArray *memories;

	if (!text)
		return NULL;
	memories = g_array_new(FALSE, FALSE, sizeof(StatsMemory));
	g_array_set_clear_func(memories, clear_memory);
	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
		StatsMemory memory;

		if (g_strv_length(words) != 3 || strcmp(words[0], "memory") != 0)
			continue;
		memory.name = g_strdup(words[1]);
		memory.bytes = g_ascii_strtoull(words[2], NULL, 10);
		g_array_append_val(memories, memory);
	}
	return memories;
}

guint64 stats_read_refused(const Control *control)
{
	g_autofree char *text = control_read(control, "stats", NULL);

	return number_in(text, "files refused");
}

gboolean stats_read_memory(const Control *control, const char *name, guint64 *bytes, GError **error)
{
	g_autoptr(GArray) memories = stats_read_memories(control, error);

	*bytes = 0;
	for (guint i = 0; memories && i < memories->len; i++) {
		const StatsMemory *memory = &g_array_index(memories, StatsMemory, i);

		if (strcmp(memory->name, name) == 0)
			*bytes = memory->bytes;
	}
	return memories != NULL;
}
