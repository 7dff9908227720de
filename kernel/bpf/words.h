/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads words of kernel memory. A word that can't be read is 0.
 */
#ifndef KMEMTRACE_WORDS_H
#define KMEMTRACE_WORDS_H

#include "common.h"
#include "kernel_types.h"

#include <bpf/bpf_core_read.h>

#ifdef KMT_DIRECT_LOADS
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym; /* since 6.2 */

static __always_inline __u64 kmt_word(__u64 addr)
{
	return ((const struct pt_regs *)bpf_rdonly_cast((const void *)addr,
							bpf_core_type_id_kernel(struct pt_regs)))
		->r15;
}
#else
static __always_inline __u64 kmt_word(__u64 addr)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)addr);
	return word;
}
#endif

#endif /* KMEMTRACE_WORDS_H */
