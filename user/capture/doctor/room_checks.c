// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/statvfs.h>

#include "base/units.h"
#include "capture/doctor/checks.h"
#include "capture/tracer/memory_check.h"

/* Memory that record uses by default, and the BPF programs in addition. */
#define BUFFER_BYTES (G_GUINT64_CONSTANT(4) << 20) /* for each CPU */
#define TABLE_BYTES  (G_GUINT64_CONSTANT(32) << 20)

#define DISK_BYTES (G_GUINT64_CONSTANT(1) << 30)

void check_memory(GArray *findings, const Machine *machine)
{
	MemoryCheck room = memory_check_read();
	guint64 needed = room.cpus * BUFFER_BYTES + TABLE_BYTES;
	g_autofree char *available = units_format_size(room.available);
	g_autofree char *takes = units_format_size(needed);
	gboolean is_enough = !room.available || room.available >= needed;

	(void)machine;
	findings_add(findings, "memory", is_enough ? FINDING_FINE : FINDING_NOTE,
		     g_strdup_printf("%s available; a recording takes %s or less on %u CPUs",
				     room.available ? available : "?", takes, room.cpus),
		     is_enough ? NULL : g_strdup("kmemtrace-user record -m 512K --stack-bytes 1M"));
}

void check_disk(GArray *findings, const Machine *machine)
{
	struct statvfs fs;
	g_autofree char *size = NULL;
	guint64 bytes;

	(void)machine;
	if (statvfs(".", &fs)) {
		findings_add(findings, "disk", FINDING_NOTE,
			     g_strdup("the room in the current folder is not known"), NULL);
		return;
	}
	bytes = (guint64)fs.f_bavail * fs.f_frsize;
	size = units_format_size(bytes);
	if (bytes >= DISK_BYTES)
		findings_add(findings, "disk", FINDING_FINE,
			     g_strdup_printf("%s free in the current folder", size), NULL);
	else
		findings_add(
			findings, "disk", FINDING_NOTE,
			g_strdup_printf("%s free in the current folder; an event takes 48 bytes",
					size),
			g_strdup("kmemtrace-user record -o FILE, with FILE elsewhere"));
}
