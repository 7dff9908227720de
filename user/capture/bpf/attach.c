// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/attach.h"

#include <bpf/bpf.h>
#include <errno.h>

#define RETRY_US  10000
#define DETACH_US (5 * G_USEC_PER_SEC)

gboolean attach_again(int code, gint64 since_us)
{
	if ((code != EBUSY && code != EEXIST) || g_get_monotonic_time() - since_us > DETACH_US)
		return FALSE;
	g_usleep(RETRY_US);
	return TRUE;
}

int attach_to_tracepoint(const char *tracepoint, int program, gboolean was_pinned)
{
	gint64 since = g_get_monotonic_time();
	int link;

	do {
		link = bpf_raw_tracepoint_open(tracepoint, program);
	} while (link < 0 && was_pinned && attach_again(errno, since));
	return link;
}
