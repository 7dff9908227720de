/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_CAPTURE_BPF_GRACE_H
#define KMT_CAPTURE_BPF_GRACE_H

/* Waits until no BPF program runs any more that does now, on any CPU. */
void grace_wait(void);

#endif
