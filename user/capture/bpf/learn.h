/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the kernel's memory. It is at a random address, which not every kernel shows in kallsyms.
 */
#ifndef KMT_CAPTURE_BPF_LEARN_H
#define KMT_CAPTURE_BPF_LEARN_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"
#include "capture/bpf/symbols.h"

struct bpf_program;

/*
 * Finds the start of the direct map, *@linear_base, and the first struct page, *@vmemmap. @peek
 * reads a word, @pages notes pages that this process allocates; both use @learn. @page_bytes: size
 * of struct page.
 */
gboolean learn_memory(const BpfSymbols *symbols, const struct bpf_program *peek,
		      const struct bpf_program *pages, struct kmt_bpf_learn *learn,
		      guint64 page_bytes, guint64 *linear_base, guint64 *vmemmap, GError **error);

#endif
