/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the loader learns before tracing starts. The kernel's memory has random addresses, and not
 * every kernel shows the addresses of its variables. So the loader reads words, and compares the
 * addresses of pages that it allocates with their page frame numbers.
 */
#ifndef KMEMTRACE_LEARN_H
#define KMEMTRACE_LEARN_H

#include "ring.h"

#include <bpf/bpf_tracing.h>

/* Run only by the loader. */
SEC("raw_tp")
int kmt_peek(void)
{
	state.learn.task = bpf_get_current_task();
	state.learn.tgid = bpf_get_current_pid_tgid() >> 32;
	state.learn.error = bpf_probe_read_kernel(&state.learn.value, sizeof(state.learn.value),
						  (const void *)state.learn.addr);
	return 0;
}

/* Memory that is read in one call. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, KMT_BPF_CHUNK);
} chunk SEC(".maps");

/* Run only by the loader. */
SEC("raw_tp")
int kmt_read_chunk(void)
{
	__u32 key = 0, len = state.learn.len;
	void *bytes = bpf_map_lookup_elem(&chunk, &key);

	if (bytes && len <= KMT_BPF_CHUNK)
		state.learn.error =
			bpf_probe_read_kernel(bytes, len, (const void *)state.learn.addr);
	return 0;
}

SEC("raw_tp/mm_page_alloc")
int BPF_PROG(kmt_learn_pages, __u64 page)
{
	__u32 at;

	if (bpf_get_current_pid_tgid() >> 32 != state.learn.tgid)
		return 0;
	at = __sync_fetch_and_add(&state.learn.pages, 1) % KMT_BPF_LEARNED;
	state.learn.page[at] = page;
	return 0;
}

#endif /* KMEMTRACE_LEARN_H */
