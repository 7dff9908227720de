// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/kernel_memory.h"

#include <bpf/bpf.h>
#include <string.h>

gboolean kernel_memory_read(const KernelMemory *memory, guint64 addr, void *bytes, gsize len)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	for (gsize done = 0; done < len; done += KMT_BPF_CHUNK) {
		memory->learn->addr = addr + done;
		memory->learn->len = MIN(len - done, KMT_BPF_CHUNK);
		memory->learn->error = -1;
		if (bpf_prog_test_run_opts(memory->program, &options) || memory->learn->error)
			return FALSE;
		memcpy((guint8 *)bytes + done, memory->chunk, memory->learn->len);
	}
	return TRUE;
}
