// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/srcline.h"

void srcline_clear(Srcline *srcline)
{
	g_clear_pointer(&srcline->vmlinux, g_free);
	g_clear_pointer(&srcline->symfs, g_free);
}

gboolean srcline_is_wanted(const Srcline *srcline)
{
	return srcline->wanted || srcline->vmlinux || srcline->symfs;
}

DebugPlaces srcline_places(const Srcline *srcline)
{
	return (DebugPlaces){ .vmlinux = srcline->vmlinux, .symfs = srcline->symfs };
}

gboolean srcline_open(const Srcline *srcline, StoreDb *db, GError **error)
{
	DebugPlaces places = srcline_places(srcline);

	return !srcline_is_wanted(srcline) || store_open_lines(db, &places, TRUE, error);
}
