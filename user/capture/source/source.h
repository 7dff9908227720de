/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the source of events of a recording.
 */
#ifndef KMT_CAPTURE_SOURCE_SOURCE_H
#define KMT_CAPTURE_SOURCE_SOURCE_H

#include "capture/tracer/control.h"

typedef enum {
	SOURCE_EXISTING = 0,
	SOURCE_NEW = 1 << 0,     /* it is to be started */
	SOURCE_DISCARD = 1 << 1, /* pinned programs of another version are removed */
} SourceFlags;

/* The words of --source, NULL behind the last. */
extern const char *const source_words[];

/*
 * Opens the source @name. NULL or "auto": the module if it is loaded, else BPF programs if this
 * program was built with them. For control_close().
 */
Control *source_open(const char *name, GError **error);

/*
 * Opens the tracer without a recorder of the source @name, to be taken by tracer_claim() before it
 * is changed. NULL or "auto": the module if it is loaded, unless it is empty and BPF programs are
 * pinned; without it, BPF programs, which must be pinned unless @flags have SOURCE_NEW.
 */
Control *source_open_kept(const char *name, SourceFlags flags, GError **error);

/* What follows "by BPF programs" where --source is @name: why they are used if it isn't "bpf". */
const char *source_why_bpf(const char *name);

/* Whether the module is loaded, whatever may keep it from tracing: then it is what "auto" means. */
gboolean source_is_module_loaded(void);

/* Whether BPF programs are pinned, whoever may use them. */
gboolean source_is_pinned(void);

#endif
