// SPDX-License-Identifier: GPL-2.0-only
#include <linux/seq_file.h>

#include "sources.h"

void kmt_source_show(struct seq_file *seq, const struct kmt_source *source)
{
	if (source->unseen)
		seq_printf(seq, "%s unseen: %s\n", source->name, source->unseen);
	else
		seq_printf(seq, "%s %s\n", source->name, source->on ? "on" : "off");
}
