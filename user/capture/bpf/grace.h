/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_CAPTURE_BPF_GRACE_H
#define KMT_CAPTURE_BPF_GRACE_H

/* Waits until all BPF programs that are running now, on any CPU, have ended. */
void grace_wait(void);

#endif
