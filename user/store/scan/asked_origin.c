// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/scan/asked_origin.h"

#include "store/scan/table_function.h"

GArray *asked_origin_read(const GArray *argument)
{
	GArray *origins = g_array_new(FALSE, TRUE, sizeof(AskedOrigin));
	const gint64 *numbers = (const gint64 *)argument->data;

	for (guint i = 0; i + 2 < argument->len; i += 3) {
		if (numbers[i] < 0 || numbers[i] >= TABLE_ORIGINS_MAX)
			continue;
		if (origins->len <= numbers[i])
			g_array_set_size(origins, numbers[i] + 1);
		g_array_index(origins, AskedOrigin, numbers[i]) =
			(AskedOrigin){ TRUE, { numbers[i + 1], numbers[i + 2] } };
	}
	return origins;
}
