/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process may do, and what the kernel's lockdown forbids.
 */
#ifndef KMT_CAPTURE_TRACER_RIGHTS_H
#define KMT_CAPTURE_TRACER_RIGHTS_H

#include <glib.h>

#define RIGHTS_SYS_ADMIN (G_GUINT64_CONSTANT(1) << 21) /* linux/capability.h */
#define RIGHTS_PERFMON   (G_GUINT64_CONSTANT(1) << 38)
#define RIGHTS_BPF       (G_GUINT64_CONSTANT(1) << 39)

/* The target of /proc/self/ns/pid on the host: PROC_PID_INIT_INO of linux/proc_ns.h. */
#define RIGHTS_PID_OF_HOST "pid:[4026531836]"

/* Returns whether this process has one of the capabilities @wanted. TRUE if that is not known. */
gboolean rights_has(guint64 wanted);

/* Returns "integrity" or "confidentiality", for g_free(); NULL: no lockdown. */
char *rights_lockdown(void);

#endif
