// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/recorder_pids.h"

#include <unistd.h>

#define INITIAL_NAMESPACE "pid:[4026531836]" /* PROC_PID_INIT_INO of the kernel, fixed since 3.8 */

char *recorder_pids(const Lookup *lookup)
{
	g_autofree char *space = g_file_read_link("/proc/self/ns/pid", NULL);
	GString *text;
	guint count;
	const pid_t *children = lookup_children(lookup, &count);

	if (g_strcmp0(space, INITIAL_NAMESPACE) != 0)
		return g_strdup("none");
	text = g_string_new(NULL);
	g_string_append_printf(text, "%d", getpid());
	for (guint i = 0; i < count; i++)
		g_string_append_printf(text, ",%d", children[i]);
	return g_string_free(text, FALSE);
}
