// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/condition_options.h"

#include "base/message.h"
#include "cmd/common/options.h"

void condition_options_clear(ConditionOptions *args)
{
	conditions_clear(&args->conditions);
	g_clear_pointer(&args->texts, g_strfreev);
}

GOptionEntry *condition_options_entries(ConditionOptions *args)
{
	const GOptionEntry entries[] = { { "fail-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &args->texts,
					   "Fail if CONDITION is true (repeatable)", "CONDITION" },
					 { "allow-incomplete", 0, 0, G_OPTION_ARG_NONE,
					   &args->allow_incomplete,
					   "Judge an incomplete trace like a complete one", NULL },
					 { "list", 0, 0, G_OPTION_ARG_NONE, &args->list,
					   "List the figures that conditions can use", NULL },
					 G_OPTION_ENTRY_NULL };

	return g_memdup2(entries, sizeof(entries));
}

gboolean condition_options_read(ConditionOptions *args, const ExprName *names, guint count)
{
	g_autoptr(GError) error = NULL;

	if (conditions_parse(&args->conditions, (const char *const *)args->texts, names, count,
			     &error))
		return TRUE;
	message("%s", error->message);
	return FALSE;
}

int condition_options_exit(const ConditionOptions *args, const ConditionResult *result,
			   const char *what)
{
	if (!message_wrote_stdout(what))
		return EXIT_FAILED;
	if (result->incomplete && !args->allow_incomplete) {
		message("the trace is incomplete: --allow-incomplete judges it nevertheless");
		return EXIT_INCOMPLETE;
	}
	return result->failed ? EXIT_CONDITION : EXIT_FINE;
}
