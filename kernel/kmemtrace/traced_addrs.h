/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses of recorded allocations that are still live, while filters are in force.
 */
#ifndef KMEMTRACE_TRACED_ADDRS_H
#define KMEMTRACE_TRACED_ADDRS_H

#include <linux/types.h>

int kmt_traced_addrs_init(void); /* it may sleep */
void kmt_traced_addrs_exit(void);
u64 kmt_traced_addrs_bytes(void); /* memory held */

/* Any key but 0. If there is no room for it, all keys of its kind are taken to be kept. */
void kmt_traced_addrs_add(u64 key);

/* Whether @key is kept, or may be. With @forget it's not any more. */
bool kmt_traced_addrs_has(u64 key, bool forget);

/*
 * The same for keys that have KMT_TRACED_ADDRS_BITS_MASK clear, for each of these bits by itself:
 * adds @bits, and takes @bits out. The latter returns whether one of them was kept, or may have
 * been.
 */
#define KMT_TRACED_ADDRS_BITS_MASK 0xffffULL

void kmt_traced_addrs_add_bits(u64 key, u64 bits);
bool kmt_traced_addrs_take_bits(u64 key, u64 bits);

#endif /* KMEMTRACE_TRACED_ADDRS_H */
