/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds how the kernel's unwinder steps from an address, for the table of frames.
 */
#ifndef KMEMTRACE_UNWIND_PROBE_H
#define KMEMTRACE_UNWIND_PROBE_H

#include <linux/types.h>

#include "frames.h"

int kmt_unwind_probe_init(void); /* 0 or -ENOMEM; may sleep */
void kmt_unwind_probe_exit(void);
u64 kmt_unwind_probe_bytes(void); /* memory held */

/*
 * Returns how the unwinder steps from @ip, on any stack. @interrupted: an exception interrupted at
 * @ip, which is otherwise a return address. The kind is KMT_FRAME_UNKNOWN if a walk can't take such
 * a step. Interrupts must be off.
 */
struct kmt_frame kmt_unwind_probe(unsigned long ip, bool interrupted);

#endif /* KMEMTRACE_UNWIND_PROBE_H */
