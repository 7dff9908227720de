/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filters of all commands that read a trace or a database: the same options with the same
 * values everywhere.
 */
#ifndef KMT_CMD_COMMON_FILTER_OPTIONS_H
#define KMT_CMD_COMMON_FILTER_OPTIONS_H

#include <glib.h>

#include "report/print/selection.h"

/* Zero-initialized. */
typedef struct {
	Selection selection; /* its texts live as long as this */
	char *text[SELECT_FILTERS];
	char *from, *to; /* values of --from and --to */
	guint without;   /* bits of filters that the command lacks */
} FilterOptions;

void filter_options_clear(FilterOptions *filters);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FilterOptions, filter_options_clear)

/*
 * Parses the options of a command as options_parse_groups(), followed by those of the filters
 * except @filters->without, and fills @filters->selection. Returns FALSE, after a message, if they
 * are invalid.
 */
gboolean filter_options_parse(FilterOptions *filters, const GOptionEntry *const *groups,
			      const char *usage, const char *summary, int *argc, char ***argv);

/*
 * Notes that the command applies the filters @own, as bits, itself; with SELECT_TIMES also --from
 * and --to, which are then removed from the selection.
 */
void filter_options_own(FilterOptions *filters, guint own);

/*
 * Returns the value of --site, which the command then applies itself; "" without it. It lives as
 * long as @filters.
 */
const char *filter_options_site(FilterOptions *filters);

/* Returns the name of an option in @bits that was given; NULL: none. */
const char *filter_options_given(const FilterOptions *filters, guint bits);

/* Returns FALSE, after a message "--FILTER WHY", if an option in @bits was given. */
gboolean filter_options_refuse(const FilterOptions *filters, guint bits, const char *why);

#endif
