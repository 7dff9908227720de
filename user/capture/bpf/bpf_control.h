/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs as a source of events: on any kernel that has BTF, without a module. Its settings
 * and views live in this process, and tracing ends with it.
 */
#ifndef KMT_CAPTURE_BPF_BPF_CONTROL_H
#define KMT_CAPTURE_BPF_BPF_CONTROL_H

#include "capture/tracer/control.h"

/* Checks what can be known before tracing. NULL with an error that says what would help. */
Control *bpf_control_open(GError **error);

#endif
