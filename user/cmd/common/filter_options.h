/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filters of all commands that read a trace or a database: the same options with the same
 * values everywhere.
 */
#ifndef KMT_CMD_COMMON_FILTER_OPTIONS_H
#define KMT_CMD_COMMON_FILTER_OPTIONS_H

#include <glib.h>

#include "report/print/selection.h"

/* All zero at first. */
typedef struct {
	Selection selection; /* its texts live as long as this */
	char *text[SELECT_FILTERS];
	char *from, *to; /* of --from and --to */
	guint without;   /* bits of filters that the command has not */
} FilterOptions;

void filter_options_clear(FilterOptions *filters);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FilterOptions, filter_options_clear)

/*
 * Parses the options of a command as options_parse_groups(), with those of the filters behind them,
 * but for @filters->without, and makes @filters->selection of them. FALSE, after saying why, if
 * they are wrong.
 */
gboolean filter_options_parse(FilterOptions *filters, const GOptionEntry *const *groups,
			      const char *usage, const char *summary, int *argc, char ***argv);

/*
 * The command applies the filters @own, as bits, itself; with SELECT_TIMES also --from and --to,
 * which are not in the selection then.
 */
void filter_options_own(FilterOptions *filters, guint own);

/*
 * The value of --site, which the command applies itself from now on; "" without it. It lives as
 * long as @filters.
 */
const char *filter_options_site(FilterOptions *filters);

/* The name of an option in @filters, as bits, that was given; NULL: none was. */
const char *filter_options_given(const FilterOptions *filters, guint bits);

/* FALSE, with "COMMAND: --FILTER WHY", if an option in @bits was given. */
gboolean filter_options_refuse(const FilterOptions *filters, guint bits, const char *why);

#endif
