// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "paths.h"

void kmt_path_show(struct seq_file *seq, const struct kmt_path *path)
{
	if (path->unseen)
		seq_printf(seq, "%s unseen: %s\n", path->name, path->unseen);
	else
		seq_printf(seq, "%s %s\n", path->name, path->on ? "on" : "off");
}

unsigned long kmt_function_size(unsigned long start)
{
	char text[KSYM_SYMBOL_LEN], *slash;
	unsigned long size = 0;

	sprint_symbol(text, start);	/* "name+0x0/0x1c0" */
	slash = strrchr(text, '/');
	if (!slash || sscanf(slash, "/0x%lx", &size) != 1)
		return 0;
	return size;
}
