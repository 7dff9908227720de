/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracer that runs or holds events without a recorder: left by a killed recorder, by `start`, or
 * by the kernel's command line.
 */
#ifndef KMT_CAPTURE_TRACER_ADOPT_H
#define KMT_CAPTURE_TRACER_ADOPT_H

#include "capture/tracer/control.h"

/* Fails if the tracer holds events, which another user may need, and lists the options. */
gboolean adopt_refuse(const Control *control, GError **error);

/* Switches the tracer off, to be emptied, and prints one line about what is lost by that. */
gboolean adopt_discard(const Control *control, GError **error);

/* Fails if there is nothing to continue. */
gboolean adopt_check(const Control *control, GError **error);

/* The same, and with an error if an oops of the kernel stopped the tracer: it can't continue. */
gboolean adopt_check_alive(const Control *control, GError **error);

/*
 * Fails if @path exists and may have the first events of the tracer, since an earlier reader took
 * them: a file that the user has not named must not replace it. A tracer that overwrites events
 * counts them like those that were read, so with such a one it doesn't fail.
 */
gboolean adopt_check_file(const Control *control, const char *path, GError **error);

/* Makes the tracer run with its events, so that it can be drained. */
gboolean adopt_keep(const Control *control, GError **error);

#endif
