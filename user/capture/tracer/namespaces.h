/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Namespaces of a container, in which times and process ids differ from those of the tracer. */
#ifndef KMT_CAPTURE_TRACER_NAMESPACES_H
#define KMT_CAPTURE_TRACER_NAMESPACES_H

#include <glib.h>

/*
 * Returns FALSE with an error if times here differ from the tracer's, in a time namespace. Must be
 * called before the first thread is created: until it executes a program, a process that has just
 * got a time namespace can't create threads.
 */
gboolean namespaces_check_clock(GError **error);

/*
 * Returns FALSE with an error if process ids here differ from the tracer's; then @what, such as "a
 * filter by process", is not possible.
 */
gboolean namespaces_check_pids(const char *what, GError **error);

#endif
