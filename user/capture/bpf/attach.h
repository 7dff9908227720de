/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches programs that may have been attached before: the kernel detaches links that were pinned
 * a little later than they are removed.
 */
#ifndef KMT_CAPTURE_BPF_ATTACH_H
#define KMT_CAPTURE_BPF_ATTACH_H

#include <glib.h>

/*
 * Waits a little and returns TRUE, if what failed with @code may succeed later. @since_us: when it
 * was tried first, as of g_get_monotonic_time().
 */
gboolean attach_again(int code, gint64 since_us);

/* Returns a link; −1 with an errno. @was_pinned: an earlier link may have been. */
int attach_to_tracepoint(const char *tracepoint, int program, gboolean was_pinned);

#endif
