/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether programs can be attached to a function of the running kernel.
 */
#ifndef KMT_CAPTURE_BPF_FUNCTION_CHECK_H
#define KMT_CAPTURE_BPF_FUNCTION_CHECK_H

#include <glib.h>

/*
 * Returns why not, even if the reason is gone by now; NULL: they can be. @id: of the function in
 * the kernel's BTF.
 */
const char *function_check(gint32 id);

/* Notes that it could not be traced when tracing began, unless a reason still holds. */
void function_check_late(gint32 id);

/* Notes that the process that held its program has ended: it was traced until then. */
void function_check_gone(gint32 id);

/*
 * Notes that the kernel was still busy with another program: the function can't be traced from now
 * on.
 */
void function_check_busy(gint32 id);

#endif
