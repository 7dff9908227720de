/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses and formats sizes, counts and times.
 */
#ifndef KMT_BASE_UNITS_H
#define KMT_BASE_UNITS_H

#include <glib.h>

/*
 * Upper limit of times in a trace, in nanoseconds since boot: 146 years, so that sums and
 * differences of two times fit a gint64.
 */
#define UNITS_TIME_END (G_GUINT64_CONSTANT(1) << 62)

/*
 * Parses "4096", "64K", "8M", "1G" (powers of 1024, either case) as bytes. FALSE with an error
 * otherwise.
 */
gboolean units_parse_size(const char *text, guint64 *bytes, GError **error);

/* Parses "2", "1.5", "30s", "200ms", "5m", "1h" as nanoseconds; a bare number is seconds. */
gboolean units_parse_time(const char *text, guint64 *ns, GError **error);

/* Parses "42", "-7", as numbers are printed. FALSE for other texts: "007" and "-0" may be names. */
gboolean units_parse_integer(const char *text, gint64 *number);

/*
 * Formats bytes as "512", "1.5K", "12.0M", "3.2G"; at most six characters below a TiB. The caller
 * frees.
 */
char *units_format_size(gint64 bytes);

/*
 * Formats nanoseconds as "850ns", "12.3us", "4.5ms", "7.89s", "12m05s", "3h07m". The caller frees.
 */
char *units_format_time(gint64 ns);

/*
 * Formats a duration as for an option, exact, in the largest unit that fits: "1h", "90m", "50ms";
 * if none fits, as units_format_time(). For g_free().
 */
char *units_format_age(guint64 ns);

/* Formats a count with thousands separators: "1,234,567". The caller frees. */
char *units_format_count(gint64 count);

#endif
