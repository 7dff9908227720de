/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subordinate uids: ranges that a user may map in a user namespace. A program that is set-uid to
 * one of them runs with it outside of the namespace, too. The kernel doesn't know whose they are,
 * so the recorder tells it.
 */
#ifndef KMEMTRACE_SUBUIDS_H
#define KMEMTRACE_SUBUIDS_H

#include <linux/types.h>

/* Returns the user whose subordinate uid @uid is, or @uid. Any context, while there are buffers. */
u32 kmt_subuids_owner(u32 uid);

/*
 * Replaces the ranges by those of @text: lines "FIRST LAST OWNER". Returns 0; -EINVAL: a line is
 * not valid; -E2BIG: more than KMEMTRACE_SUBUIDS_MAX. Under kmt_mutex, without buffers; may sleep.
 */
int kmt_subuids_store(char *text);
ssize_t kmt_subuids_show(char *text, size_t size); /* under kmt_mutex */

#endif /* KMEMTRACE_SUBUIDS_H */
