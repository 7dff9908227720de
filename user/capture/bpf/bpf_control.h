/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs as a source of events, on any kernel that has BTF, without a module. Settings, views
 * and tracing end with this process, unless they are pinned.
 */
#ifndef KMT_CAPTURE_BPF_BPF_CONTROL_H
#define KMT_CAPTURE_BPF_BPF_CONTROL_H

#include "capture/tracer/control.h"

/* Checks what can be checked before tracing. NULL with an error that says what would help. */
Control *bpf_control_open(GError **error);

/*
 * Opens the pinned programs, which exist only after tracing was enabled. A caller that changes them
 * must hold the lock. @discards: removes pins that can't be used, instead of failing.
 */
Control *bpf_control_open_pinned(gboolean discards, GError **error);

/* Returns whether anything is pinned, no matter who may use it. */
gboolean bpf_control_is_pinned(void);

#endif
