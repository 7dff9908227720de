// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/calltree/notes.h"

#include "report/calltree/truncated.h"

static void add(GString *notes, const char *note)
{
	if (note)
		g_string_append_printf(notes, "%s%s", notes->len ? "; " : "", note);
}

char *call_notes(const CallCosts *data, int kind, CallMetric metric, gboolean every)
{
	g_autoptr(GString) notes = g_string_new(NULL);
	g_autofree char *stacks = NULL, *too_large = call_costs_too_large(data);
	Truncated cut;

	truncated_find(data, &cut);
	stacks = truncated_describe(data, &cut, kind, metric);
	add(notes, stacks);
	add(notes, too_large);
	if (every || metric == CALL_TEMPORARY)
		add(notes, call_costs_temporaries_note(data));
	return notes->len ? g_strdup(notes->str) : NULL;
}
