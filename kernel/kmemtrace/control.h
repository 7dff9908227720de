/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings in sysfs, and who may use them.
 */
#ifndef KMEMTRACE_CONTROL_H
#define KMEMTRACE_CONTROL_H

/*
 * Checks whether the current process may enable tracing and read its data. Returns 0; -EPERM if it
 * has neither CAP_PERFMON nor CAP_SYS_ADMIN, or if lockdown forbids tracefs, which has the same
 * data.
 */
int kmt_check_access(void);

int kmt_control_init(void);  /* 0 or -errno */
void kmt_control_exit(void); /* waits for users of the files; not under kmt_mutex; idempotent */

#endif /* KMEMTRACE_CONTROL_H */
