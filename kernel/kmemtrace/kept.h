/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses of what was written and is still live, while there are filters.
 */
#ifndef KMEMTRACE_KEPT_H
#define KMEMTRACE_KEPT_H

#include <linux/types.h>

int kmt_kept_init(void);		/* it may sleep */
void kmt_kept_exit(void);
u64 kmt_kept_bytes(void);		/* memory held */

/* Any key but 0. If there is no room for it, all keys of its kind are taken to be kept. */
void kmt_kept_add(u64 key);

/* Whether @key is kept, or may be. With @forget it's not any more. */
bool kmt_kept_has(u64 key, bool forget);

#endif /* KMEMTRACE_KEPT_H */
