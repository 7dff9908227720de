// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/pauses.h"

void bpf_pauses_begin(BpfPauses *pauses, guint64 ns)
{
	if (!pauses->off_ns)
		pauses->off_ns = ns;
}

void bpf_pauses_end(BpfPauses *pauses, guint64 ns)
{
	guint place = pauses->count % BPF_PAUSES_KEPT;

	if (!pauses->off_ns)
		return;
	pauses->kept[place].off_ns = pauses->off_ns;
	pauses->kept[place].on_ns = ns;
	pauses->total_ns += ns - pauses->off_ns;
	pauses->count++;
	pauses->off_ns = 0;
}

void bpf_pauses_append(const BpfPauses *pauses, GString *text)
{
	if (pauses->count)
		g_string_append_printf(text, "pauses %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
				       pauses->count, pauses->total_ns);
	for (guint64 i = pauses->count - MIN(pauses->count, BPF_PAUSES_KEPT); i < pauses->count;
	     i++)
		g_string_append_printf(text, "pause %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
				       pauses->kept[i % BPF_PAUSES_KEPT].off_ns,
				       pauses->kept[i % BPF_PAUSES_KEPT].on_ns);
}
