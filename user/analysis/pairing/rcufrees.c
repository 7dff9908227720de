// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pairing/rcufrees.h"

struct RcuFrees {
	GArray *places; /* of RcuFree; index 0 is unused */
	GArray *unused; /* of guint32: free places */
};

RcuFrees *rcufrees_new(void)
{
	RcuFrees *frees = g_new0(RcuFrees, 1);

	frees->places = g_array_new(FALSE, TRUE, sizeof(RcuFree));
	g_array_set_size(frees->places, 1);
	frees->unused = g_array_new(FALSE, FALSE, sizeof(guint32));
	return frees;
}

void rcufrees_free(RcuFrees *frees)
{
	g_array_unref(frees->places);
	g_array_unref(frees->unused);
	g_free(frees);
}

guint32 rcufrees_add(RcuFrees *frees, const RcuFree *free)
{
	guint32 place = frees->places->len;

	if (!frees->unused->len) {
		g_array_append_val(frees->places, *free);
		return place;
	}
	place = g_array_index(frees->unused, guint32, frees->unused->len - 1);
	g_array_set_size(frees->unused, frees->unused->len - 1);
	g_array_index(frees->places, RcuFree, place) = *free;
	return place;
}

RcuFree rcufrees_take(RcuFrees *frees, guint32 place)
{
	g_array_append_val(frees->unused, place);
	return g_array_index(frees->places, RcuFree, place);
}
