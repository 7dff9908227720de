// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/cpunodes.h"

#include <string.h>

#define NODES "/sys/devices/system/node"

/* Returns the number in "cpu3" or "node3" after the prefix @word; -1 for another form. */
static gint64 number_behind(const char *name, const char *word)
{
	guint64 number;

	if (!g_str_has_prefix(name, word) ||
	    !g_ascii_string_to_unsigned(name + strlen(word), 10, 0, G_MAXUINT32, &number, NULL))
		return -1;
	return number;
}

/* Returns whether the CPU with a link in @node is offline. One that can't be has no such file. */
static gboolean is_offline(const char *node, const char *cpu)
{
	g_autofree char *path = g_build_filename(node, cpu, "online", NULL), *online = NULL;

	return g_file_get_contents(path, &online, NULL, NULL) && *online == '0';
}

static void append_node(GString *text, const char *name, gint64 node, gboolean all)
{
	g_autofree char *path = g_build_filename(NODES, name, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		gint64 cpu = number_behind(entry, "cpu");

		if (cpu >= 0 && (all || !is_offline(path, entry)))
			g_string_append_printf(text, "%d %d\n", (int)cpu, (int)node);
	}
}

char *cpunodes_text(gboolean all)
{
	g_autoptr(GDir) dir = g_dir_open(NODES, 0, NULL);
	GString *text = g_string_new(NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		gint64 node = number_behind(name, "node");

		if (node >= 0)
			append_node(text, name, node, all);
	}
	return g_string_free(text, FALSE);
}
