/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the source of events of a recording.
 */
#ifndef KMT_CAPTURE_SOURCE_SOURCE_H
#define KMT_CAPTURE_SOURCE_SOURCE_H

#include "capture/tracer/control.h"

typedef enum {
	SOURCE_EXISTING = 0,
	SOURCE_NEW = 1 << 0,     /* it will be started */
	SOURCE_DISCARD = 1 << 1, /* remove pinned programs of another version */
} SourceFlags;

/* The words of --source, terminated by NULL. */
extern const char *const source_words[];

/*
 * Opens the source @name. NULL or "auto": the module if it is loaded, otherwise BPF programs if
 * this program was built with them. For control_close().
 */
Control *source_open(const char *name, GError **error);

/*
 * Opens the source @name, whose tracer has no recorder; tracer_claim() must lock it before it is
 * changed. NULL or "auto": the module if it is loaded, unless it is empty and BPF programs are
 * pinned. Without the module: BPF programs; if none are pinned, the tracer is off and empty.
 */
Control *source_open_kept(const char *name, SourceFlags flags, GError **error);

/*
 * Returns the text after "by BPF programs" if --source is @name: why they are used if it isn't
 * "bpf".
 */
const char *source_why_bpf(const char *name);

/* Returns whether the module is loaded, even if it can't trace: then "auto" means the module. */
gboolean source_is_module_loaded(void);

/* Returns whether BPF programs are pinned, by any user. */
gboolean source_is_pinned(void);

#endif
