// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/memory_check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

#define BUFFER_MAX (G_GUINT64_CONSTANT(1) << 30) /* bytes for a CPU, as in the tracer */
#define STACKS_MAX (G_GUINT64_CONSTANT(1) << 30) /* bytes, the same */

/* Returns the bytes of a line "Name:   N kB" of @meminfo; 0: none. */
static guint64 find_bytes(const char *meminfo, const char *name)
{
	const char *line = strstr(meminfo, name);

	return line ? 1024 * g_ascii_strtoull(line + strlen(name), NULL, 10) : 0;
}

MemoryCheck memory_check_read(void)
{
	g_autofree char *meminfo = NULL;
	MemoryCheck room = { .cpus = MAX(sysconf(_SC_NPROCESSORS_ONLN), 1) };

	if (g_file_get_contents("/proc/meminfo", &meminfo, NULL, NULL)) {
		room.total = find_bytes(meminfo, "MemTotal:");
		room.available = find_bytes(meminfo, "MemAvailable:");
	}
	return room;
}

static char *format_room(const MemoryCheck *room)
{
	g_autofree char *total = units_format_size(room->total);
	g_autofree char *available = units_format_size(room->available);

	return g_strdup_printf("%s of this machine's %s of memory are free", available, total);
}

static char *refuse_size(const MemoryCheck *room, const char *what, guint64 bytes, guint64 max)
{
	g_autofree char *size = units_format_size(bytes);
	g_autofree char *limit = units_format_size(max);
	g_autofree char *memory = format_room(room);

	return g_strdup_printf("%s is too large: %s, the limit is %s; %s", what, size, limit,
			       memory);
}

static char *refuse_sum(const MemoryCheck *room, guint64 buffer, guint64 stacks)
{
	g_autofree char *sum = units_format_size(buffer * room->cpus + stacks);
	g_autofree char *each = units_format_size(buffer);
	g_autofree char *memory = format_room(room);

	return g_strdup_printf(
		"not enough memory for %s (buffers of %s for each of %u CPUs, and stacks): %s", sum,
		each, room->cpus, memory);
}

char *memory_check_refusal(const MemoryCheck *room, const Settings *settings)
{
	guint64 buffer = settings->buffer_bytes, stacks = settings->stack_bytes;

	if (!buffer && settings->subbufs)
		buffer = settings->subbufs * MIN(settings->subbuf_size, BUFFER_MAX);
	if (buffer > BUFFER_MAX)
		return refuse_size(room, "a buffer for each CPU", buffer, BUFFER_MAX);
	if (stacks > STACKS_MAX)
		return refuse_size(room, "a table of stacks", stacks, STACKS_MAX);
	if (room->available && buffer * room->cpus + stacks > room->available)
		return refuse_sum(room, buffer, stacks);
	return NULL;
}
