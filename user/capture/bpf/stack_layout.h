/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The positions of the return addresses of a stack, relative to the context of the program that
 * unwound it.
 */
#ifndef KMT_CAPTURE_BPF_STACK_LAYOUT_H
#define KMT_CAPTURE_BPF_STACK_LAYOUT_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"
#include "capture/bpf/orc.h"

typedef struct {
	guint64 addr;
	struct kmt_bpf_step step; /* from the previous address to it; .next_at: its position */
} StackWord;

typedef struct {
	guint count;
	StackWord words[KMT_BPF_FRAMES_MAX];
	struct kmt_bpf_step end; /* STEP_REGS: the stack ends if an exception came from user mode */
} StackLayout;

/*
 * Finds the layout of the addresses of @miss, except the program's own. FALSE: @tables don't
 * determine it for certain.
 */
gboolean stack_layout_find(const OrcTables *tables, const struct kmt_bpf_miss *miss,
			   StackLayout *layout);

#endif
