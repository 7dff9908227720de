/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the source of events of a recording.
 */
#ifndef KMT_CAPTURE_SOURCE_SOURCE_H
#define KMT_CAPTURE_SOURCE_SOURCE_H

#include "capture/tracer/control.h"

/* The words of --source, NULL behind the last. */
extern const char *const source_words[];

/*
 * Opens the source @name. NULL or "auto": the module if it is loaded, else BPF programs if this
 * program was built with them. For control_close().
 */
Control *source_open(const char *name, GError **error);

#endif
