/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings in sysfs, and who may use them.
 */
#ifndef KMEMTRACE_CONTROL_H
#define KMEMTRACE_CONTROL_H

/*
 * Checks whether the caller may enable tracing and read its data: 0, or -EPERM without CAP_PERFMON
 * and CAP_SYS_ADMIN, and when lockdown forbids tracefs, where the same could be read.
 */
int kmt_check_access(void);

int kmt_control_init(void);
void kmt_control_exit(void); /* waits for users of settings; caller doesn't hold kmt_mutex */

#endif /* KMEMTRACE_CONTROL_H */
