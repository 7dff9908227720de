/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Freezes buffers in overwrite mode at an oops or panic, so that the last seconds before it can be
 * extracted, or found in a crash dump.
 */
#ifndef KMEMTRACE_OOPS_H
#define KMEMTRACE_OOPS_H

int kmt_oops_init(void); /* 0 or -errno */
void kmt_oops_exit(void);

#endif /* KMEMTRACE_OOPS_H */
