// SPDX-License-Identifier: GPL-2.0-only
#include <linux/seq_file.h>

#include "sources.h"

void kmt_path_show(struct seq_file *seq, const struct kmt_path *path)
{
	if (path->unseen)
		seq_printf(seq, "%s unseen: %s\n", path->name, path->unseen);
	else
		seq_printf(seq, "%s %s\n", path->name, path->on ? "on" : "off");
}
