/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requested events that this kernel cannot provide: paths that the tracer's view "paths" lists as
 * "name unseen: why".
 */
#ifndef KMT_CAPTURE_TRACER_UNAVAILABLE_H
#define KMT_CAPTURE_TRACER_UNAVAILABLE_H

#include "capture/tracer/control.h"

/*
 * Returns those of the groups @events ("slab page"), as "name, name", for g_free(). NULL: all are
 * traced, or an older tracer doesn't say. Functions are known only once tracing has begun.
 */
char *unavailable_names(const Control *control, const char *events);

/* The same with reasons, "name, name: why; name: why", for g_free(). */
char *unavailable_text(const Control *control, const char *events);

/* Returns FALSE with an error if this kernel has no source of any group of @events. */
gboolean unavailable_check(const Control *control, const char *events, GError **error);

#endif
