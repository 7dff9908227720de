// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/leaks_overview.h"

#include "base/compare.h"
#include "report/groups/group_rows.h"
#include "report/groups/tracer_memory.h"
#include "report/leaks/suspects.h"
#include "report/leaks/verdicts.h"
#include "report/print/interval.h"
#include "trace/event/kind.h"

#define LIVE_TITLE "Most live at the end, by call site (live is not leaked)"

static gint by_live_bytes(gconstpointer a, gconstpointer b)
{
	const LiveGroup *one = *(LiveGroup *const *)a, *other = *(LiveGroup *const *)b;

	return COMPARE(other->live_bytes, one->live_bytes) ?: COMPARE(one, other);
}

static gint64 live_bytes(const LiveGroup *group)
{
	return group->live_bytes;
}

static gint64 count_live(const LiveGroup *group)
{
	gint64 count = 0;

	for (guint i = 0; i < LIVE_GROUPS_AGES; i++)
		count += group->ages[i];
	return count;
}

/* Returns the first @limit groups of all kinds. */
static GPtrArray *find_most_live(const LiveGroups *live, guint limit)
{
	GPtrArray *most = g_ptr_array_new();

	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++)
		g_ptr_array_extend_and_steal(most, live_groups_top(live, kind, limit, live_bytes));
	g_ptr_array_sort(most, by_live_bytes);
	g_ptr_array_set_size(most, (gint)MIN(most->len, limit));
	return most;
}

static gboolean print_most_live(const Printer *printer, const LiveGroups *live, const char *site,
				guint limit, GError **error)
{
	g_autoptr(GPtrArray) most = find_most_live(live, limit);
	gint64 factor = live->groups.factor;
	g_auto(GroupRows) rows = { NULL };

	group_rows_init(&rows, "site", "live_bytes, live_count");
	for (guint i = 0; i < most->len; i++) {
		const LiveGroup *group = g_ptr_array_index(most, i);

		group_rows_add(&rows, &live->groups, group - live->all);
		TEMP_TABLE_ADD(rows.figures, group->live_bytes * factor,
			       count_live(group) * factor);
	}
	return group_rows_create(&rows, printer->db, error) &&
	       temp_view_create(printer->db, "report_sites", error) &&
	       printer_table(printer, NULL, LIVE_TITLE, "overview_sites", NULL, error) &&
	       (*site || tracer_memory_print(printer, TRACER_MEMORY_LEFT_OUT, "site", error));
}

gboolean leaks_overview_print(const Printer *printer, const char *site, guint limit,
			      guint suspects_limit, gboolean *any, GError **error)
{
	g_auto(LiveGroups) live = { 0 };
	g_auto(Suspects) suspects = { 0 };

	return live_groups_init(&live, printer->db, "site", site, error) &&
	       suspects_read(&suspects, printer, &live, interval_old_age(live.groups.span_ns),
			     error) &&
	       (!limit || print_most_live(printer, &live, site, limit, error)) &&
	       suspects_judge_whole(&suspects, error) &&
	       verdicts_print_short(&suspects, "site", suspects_limit, any, error);
}
