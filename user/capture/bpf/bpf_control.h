/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs as a source of events: on any kernel that has BTF, without a module. Its settings
 * and views live in this process, and tracing ends with it, or they are pinned and stay.
 */
#ifndef KMT_CAPTURE_BPF_BPF_CONTROL_H
#define KMT_CAPTURE_BPF_BPF_CONTROL_H

#include "capture/tracer/control.h"

/* Checks what can be known before tracing. NULL with an error that says what would help. */
Control *bpf_control_open(GError **error);

/*
 * The pinned ones, of which there are none before they are enabled. Whoever changes them must have
 * the lock. @discards: what is there and can't be used is removed then, instead of an error.
 */
Control *bpf_control_open_pinned(gboolean discards, GError **error);

/* Whether something is pinned, whoever may use it. */
gboolean bpf_control_is_pinned(void);

#endif
