// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/slabinfo.h"

#define NUMBERS 5 /* active_objs num_objs objsize objperslab pagesperslab */

gsize slabinfo_name_len(const char *line)
{
	const char *end = g_strrstr(line, " : tunables");

	if (!end)
		return 0;
	for (guint i = 0; i < NUMBERS; i++) {
		const char *number;

		while (end > line && end[-1] == ' ')
			end--;
		number = end;
		while (end > line && g_ascii_isdigit(end[-1]))
			end--;
		if (end == number || end == line || end[-1] != ' ')
			return 0;
	}
	while (end > line && end[-1] == ' ')
		end--;
	return end - line;
}
