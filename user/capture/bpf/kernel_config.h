/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of the programs that depends on the running kernel.
 */
#ifndef KMT_CAPTURE_BPF_KERNEL_CONFIG_H
#define KMT_CAPTURE_BPF_KERNEL_CONFIG_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"
#include "capture/bpf/symbols.h"

struct btf;

/* Fills in the fields of *@config that depend on the kernel only. @btf: the BTF of the kernel. */
void kernel_config_fill(struct kmt_bpf_config *config, const struct btf *btf,
			const BpfSymbols *symbols);

#endif
