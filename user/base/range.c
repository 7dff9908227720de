// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/range.h"

#include <gio/gio.h>
#include <string.h>

#include "base/units.h"

#define DOTS ".."

static gboolean parse_number(const char *text, guint64 *number, GError **error)
{
	if (g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT64, number, NULL))
		return TRUE;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
		    "invalid number '%s' (expected N, N..M, N.. or ..M)", text);
	return FALSE;
}

/* @text: NULL or "" leaves *@value unchanged. */
static gboolean parse_end(const char *text, RangeUnit unit, gint64 *value, GError **error)
{
	guint64 number;

	if (!text || !*text)
		return TRUE;
	if (!(unit == RANGE_SIZE   ? units_parse_size(text, &number, error)
	      : unit == RANGE_TIME ? units_parse_time(text, &number, error)
				   : parse_number(text, &number, error)))
		return FALSE;
	*value = (gint64)MIN(number, G_MAXINT64);
	return TRUE;
}

gboolean range_parse(const char *text, RangeUnit unit, Range *range, GError **error)
{
	const char *dots = strstr(text, DOTS);
	const char *most = dots ? dots + strlen(DOTS) : text;
	g_autofree char *least = g_strndup(text, dots ? (gsize)(dots - text) : strlen(text));
	gboolean no_most = !dots && unit == RANGE_TIME;

	*range = (Range){ 0, G_MAXINT64 };
	if (!*least && !*most) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			    "invalid range '%s' (expected one end at least)", text);
		return FALSE;
	}
	if (!parse_end(least, unit, &range->least, error) ||
	    !parse_end(no_most ? NULL : most, unit, &range->most, error))
		return FALSE;
	if (range->least <= range->most)
		return TRUE;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
		    "invalid range '%s' (expected the smaller end first)", text);
	return FALSE;
}
