// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters must not make a leak more likely: they may leave out the reclaimable memory that a
 * suspect grows with. So likely leaks of a selection are judged in the whole trace, too.
 */
#include "report/leaks/suspects.h"

#include <string.h>

#include "report/select/select.h"

static gboolean has_likely(const Suspects *suspects)
{
	for (guint i = 0; i < suspects->all->len; i++) {
		if (suspect_at(suspects, i)->judgement.verdict == LEAK_LIKELY)
			return TRUE;
	}
	return FALSE;
}

/* Also for filters that the command applies itself. */
static gboolean has_filters(const Selection *selection)
{
	for (guint i = 0; selection && i < SELECT_FILTERS; i++) {
		if (selection->filter[i])
			return TRUE;
	}
	return FALSE;
}

/* Returns the same group among @whole; NULL: it is no suspect there. */
static const Suspect *find_in(const Suspects *whole, const Suspects *suspects,
			      const Suspect *suspect)
{
	const Groups *groups = &suspects->live->groups, *all = &whole->live->groups;
	gsize group = suspect->group - suspects->live->all;
	const GroupOrigin *origin = groups_origin(all, groups_first(groups, group));
	guint32 task = groups->by_task ? groups_naming_task(groups, group) : 0, number;

	if (!origin)
		return NULL;
	number = whole->numbers[groups_of(all, origin, task)];
	return number == GROUPS_NONE ? NULL : suspect_at(whole, number);
}

static void take_leaders(Suspects *suspects, const Suspects *whole)
{
	for (guint i = 0; i < suspects->all->len; i++) {
		Suspect *suspect = suspect_at(suspects, i);
		const Suspect *same = suspect->judgement.verdict == LEAK_LIKELY
					      ? find_in(whole, suspects, suspect)
					      : NULL;

		if (!same || !same->facts.follows)
			continue;
		suspect->facts.follows = TRUE;
		suspect->leader = same->leader;
	}
}

/* Reads the whole trace, in the same interval, from @printer's database. */
static gboolean read_whole(Suspects *suspects, const Printer *printer, GError **error)
{
	g_auto(LiveGroups) live = { 0 };
	g_auto(Suspects) whole = { 0 };

	if (!live_groups_init(&live, printer->db, suspects->live->by, "", error) ||
	    !suspects_read(&whole, printer, &live, 0, error) || !suspects_judge(&whole, error))
		return FALSE;
	take_leaders(suspects, &whole);
	return TRUE;
}

static gboolean look_in_whole(Suspects *suspects, GError **error)
{
	g_autoptr(StoreDb) db = NULL;
	Printer printer = *suspects->printer;
	Selection interval;

	db = store_open_again(printer.db, error);
	if (!db)
		return FALSE;
	interval = *printer.selection;
	memset(interval.filter, 0, sizeof(interval.filter));
	printer.db = db;
	printer.selection = &interval;
	return select_restrict(db, &interval, error) && read_whole(suspects, &printer, error);
}

gboolean suspects_judge_whole(Suspects *suspects, GError **error)
{
	if (!suspects_judge(suspects, error))
		return FALSE;
	if (!has_filters(suspects->printer->selection) || !has_likely(suspects))
		return TRUE;
	if (!look_in_whole(suspects, error))
		return FALSE;
	suspects_judge_again(suspects, LEAK_LIKELY);
	return TRUE;
}
