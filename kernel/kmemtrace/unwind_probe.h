/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fills the table of frames.h from the kernel's unwinder.
 */
#ifndef KMEMTRACE_UNWIND_PROBE_H
#define KMEMTRACE_UNWIND_PROBE_H

#include <linux/types.h>

#include "frames.h"

int kmt_unwind_probe_init(void);
void kmt_unwind_probe_exit(void);
u64 kmt_unwind_probe_bytes(void); /* memory held */

/*
 * How the unwinder steps from @ip, on any stack. The kind is KMT_FRAME_UNKNOWN if it's no step that
 * a walk knows.
 */
struct kmt_frame kmt_unwind_probe(unsigned long ip, bool interrupted);

#endif /* KMEMTRACE_UNWIND_PROBE_H */
