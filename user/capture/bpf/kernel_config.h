/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of the programs that depends on the running kernel.
 */
#ifndef KMT_CAPTURE_BPF_KERNEL_CONFIG_H
#define KMT_CAPTURE_BPF_KERNEL_CONFIG_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"
#include "capture/bpf/symbols.h"

/* Fills in the fields of *@config that depend on the kernel only. */
void kernel_config_fill(struct kmt_bpf_config *config, const BpfSymbols *symbols);

#endif
