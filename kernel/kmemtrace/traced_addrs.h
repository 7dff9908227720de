/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The set of addresses of recorded allocations that are still live, while filters are in force. Any
 * number of CPUs may use it at once, without a lock and in any context.
 */
#ifndef KMEMTRACE_TRACED_ADDRS_H
#define KMEMTRACE_TRACED_ADDRS_H

#include <linux/types.h>

/* Under kmt_mutex, without a probe. The first one returns 0 or -ENOMEM, and may sleep. */
int kmt_traced_addrs_init(void);
void kmt_traced_addrs_exit(void);
u64 kmt_traced_addrs_bytes(void); /* memory held */

/* Adds @key, which is not 0. If there is no room, all keys of its bucket count as members. */
void kmt_traced_addrs_add(u64 key);

/* Returns whether @key is, or may be, in the set; removes it with @forget. */
bool kmt_traced_addrs_has(u64 key, bool forget);

/*
 * The same for keys with a bitmap in KMT_TRACED_ADDRS_BITS_MASK, which is clear in @key: they add
 * and remove @bits. The latter returns whether one of them was, or may have been, in the set.
 */
#define KMT_TRACED_ADDRS_BITS_MASK 0xffffULL

void kmt_traced_addrs_add_bits(u64 key, u64 bits);
bool kmt_traced_addrs_take_bits(u64 key, u64 bits);

#endif /* KMEMTRACE_TRACED_ADDRS_H */
