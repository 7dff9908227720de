// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/units.h"

#include <errno.h>
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define NS_PER_SECOND G_GINT64_CONSTANT(1000000000)

static gboolean units_fail(GError **error, const char *what, const char *text, const char *expected)
{
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "invalid %s '%s' (expected %s)",
		    what, text, expected);
	return FALSE;
}

gboolean units_parse_size(const char *text, guint64 *bytes, GError **error)
{
	static const char expected[] = "a number of bytes, or with the suffix K, M or G";
	static const char suffixes[] = "KMG";
	unsigned int shift = 0;
	const char *suffix;
	guint64 number;
	char *end;

	errno = 0;
	number = g_ascii_strtoull(text, &end, 10);
	if (!g_ascii_isdigit(text[0]) || errno)
		return units_fail(error, "size", text, expected);
	if (*end) {
		suffix = strchr(suffixes, g_ascii_toupper(*end));
		if (!suffix || end[1])
			return units_fail(error, "size", text, expected);
		shift = 10 * (1 + (suffix - suffixes));
	}
	if (number > (guint64)G_MAXINT64 >> shift)
		return units_fail(error, "size", text, "a smaller number");
	*bytes = number << shift;
	return TRUE;
}

gboolean units_parse_time(const char *text, guint64 *ns, GError **error)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 },  { "ms", 1e6 },  { "us", 1e3 },
		      { "ns", 1 }, { "m", 60e9 }, { "h", 3600e9 } };
	double number;
	char *end;

	errno = 0;
	number = g_ascii_strtod(text, &end);
	if (g_ascii_isdigit(text[0]) && !strpbrk(text, "xX") && !errno) { /* no 0x10 */
		for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
			if (strcmp(end, units[i].suffix) != 0 || number * units[i].ns >= 9e18)
				continue;
			*ns = number * units[i].ns + 0.5; /* rounds, for 1.001s */
			return TRUE;
		}
	}
	return units_fail(error, "time", text,
			  "seconds, or a number with the suffix ns, us, ms, s, m or h");
}

gboolean units_parse_integer(const char *text, gint64 *number)
{
	const char *digits = text + (*text == '-');

	if (*digits == '0' && strcmp(text, "0") != 0)
		return FALSE;
	return g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, number, NULL);
}

char *units_format_size(gint64 bytes)
{
	static const char suffixes[] = "KMGT";
	double value = fabs((double)bytes);
	int i = -1;

	while (value >= 1023.95 && i < 3) {
		value /= 1024;
		i++;
	}
	if (i < 0)
		return g_strdup_printf("%" G_GINT64_FORMAT, bytes);
	return g_strdup_printf("%s%.1f%c", bytes < 0 ? "-" : "", value, suffixes[i]);
}

static char *format_long_time(gint64 seconds)
{
	if (seconds < 3600)
		return g_strdup_printf("%" G_GINT64_FORMAT "m%02ds", seconds / 60,
				       (int)(seconds % 60));
	return g_strdup_printf("%" G_GINT64_FORMAT "h%02dm", seconds / 3600,
			       (int)(seconds % 3600 / 60));
}

char *units_format_time(gint64 ns)
{
	g_autofree char *positive = NULL;
	double value = ns;

	if (ns < 0 && ns > G_MININT64) {
		positive = units_format_time(-ns);
		return g_strconcat("-", positive, NULL);
	}
	if (ns < 1000)
		return g_strdup_printf("%" G_GINT64_FORMAT "ns", ns);
	if (value < 999.95e3)
		return g_strdup_printf("%.1fus", value / 1e3);
	if (value < 999.95e6)
		return g_strdup_printf("%.1fms", value / 1e6);
	if (value < 600e9)
		return g_strdup_printf("%.2fs", value / 1e9);
	return format_long_time(ns / NS_PER_SECOND);
}

char *units_format_age(guint64 ns)
{
	static const struct {
		const char *suffix;
		guint64 ns;
	} units[] = { { "h", 3600 * NS_PER_SECOND },
		      { "m", 60 * NS_PER_SECOND },
		      { "s", NS_PER_SECOND },
		      { "ms", 1000000 },
		      { "us", 1000 } };

	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		if (ns && ns % units[i].ns == 0)
			return g_strdup_printf("%" G_GUINT64_FORMAT "%s", ns / units[i].ns,
					       units[i].suffix);
	}
	return units_format_time(ns);
}

char *units_format_count(gint64 count)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%" G_GINT64_FORMAT, count);
	for (gssize i = (gssize)text->len - 3; i > (count < 0); i -= 3)
		g_string_insert_c(text, i, ',');
	return g_string_free(text, FALSE);
}
