// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/numbers.h"

GPtrArray *numbers_list(const char *path, gsize most)
{
	GPtrArray *numbers = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;

	while (folder && numbers->len < most && (name = g_dir_read_name(folder))) {
		if (g_ascii_isdigit(*name))
			g_ptr_array_add(numbers, g_strdup(name));
	}
	return numbers;
}
