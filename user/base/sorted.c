// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sorted.h"

#include "base/compare.h"

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
	return COMPARE(*(const guint64 *)a, *(const guint64 *)b);
}

void sorted_make(GArray *numbers)
{
	guint64 *all = (guint64 *)(gpointer)numbers->data;
	guint kept = 0;

	g_array_sort(numbers, compare_numbers);
	for (guint i = 0; i < numbers->len; i++) {
		if (!kept || all[kept - 1] != all[i])
			all[kept++] = all[i];
	}
	g_array_set_size(numbers, kept);
}

guint sorted_count(gconstpointer elements, guint count, gsize size, gsize offset, guint64 limit)
{
	guint low = 0, high = count;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		gconstpointer number = (const char *)elements + middle * size + offset;

		if (*(const guint64 *)number <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
