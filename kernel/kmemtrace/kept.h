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

/*
 * The same for keys that have KMT_KEPT_BITS_MASK clear, for each of these bits by itself: adds
 * @bits, and takes @bits out. The latter returns whether one of them was kept, or may have been.
 */
#define KMT_KEPT_BITS_MASK	0xffffULL

void kmt_kept_add_bits(u64 key, u64 bits);
bool kmt_kept_take_bits(u64 key, u64 bits);

#endif /* KMEMTRACE_KEPT_H */
