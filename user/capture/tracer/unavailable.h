/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requested events that this kernel cannot provide: paths that the tracer's view "paths" lists as
 * "name unseen: why".
 */
#ifndef KMT_CAPTURE_TRACER_UNAVAILABLE_H
#define KMT_CAPTURE_TRACER_UNAVAILABLE_H

#include "capture/tracer/control.h"

/*
 * Those of the groups @events ("slab page"), as "name, name", for g_free(). NULL: all are traced,
 * or an older tracer doesn't say. Functions are known when tracing has begun.
 */
char *unavailable_names(const Control *control, const char *events);

/*
 * The same with their reasons, "name, name: why; name: why", for g_free().
 */
char *unavailable_text(const Control *control, const char *events);

/* FALSE with an error if no source of any group of @events is in this kernel. */
gboolean unavailable_check(const Control *control, const char *events, GError **error);

#endif
