/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for libbpf's headers, for tests that compile the BPF programs. Include it before their
 * headers. A test defines the maps and the kernel memory that it uses.
 */
#ifndef KMT_TESTS_BPF_HELPERS_H
#define KMT_TESTS_BPF_HELPERS_H

#define __BPF_HELPERS__ /* in place of bpf_helpers.h and bpf_core_read.h */
#define __BPF_CORE_READ_H__
#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value) *name
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#ifndef __noinline
#define __noinline __attribute__((noinline))
#endif

#define bpf_loop(count, body, context, flags)                                                      \
	for (guint32 turn = 0; turn < (count) && !body(turn, context); turn++)

#endif
