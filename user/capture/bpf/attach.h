/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches programs that may have been attached before. The kernel detaches a pinned link a little
 * later than the pin is removed.
 */
#ifndef KMT_CAPTURE_BPF_ATTACH_H
#define KMT_CAPTURE_BPF_ATTACH_H

#include <glib.h>

/*
 * If a call that failed with @code may succeed later, waits a little and returns TRUE. @since_us:
 * the time of the first try, as of g_get_monotonic_time().
 */
gboolean attach_again(int code, gint64 since_us);

/* Returns a link; −1 with an errno. @was_pinned: an earlier link may have been pinned. */
int attach_to_tracepoint(const char *tracepoint, int program, gboolean was_pinned);

#endif
