// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user mark: add a named mark to the trace. */
#include <string.h>

#include "capture/source/mark.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "kmemtrace_abi.h"

/* Joins the arguments to one text; NULL, after a message, if it is not a valid mark. */
static char *text_of(int argc, char **argv)
{
	g_autofree char *text = g_strjoinv(" ", argv + MIN(1, argc));
	gsize len = strlen(text);

	if (!len)
		message("a mark needs a text, as in: kmemtrace-user mark TEXT");
	else if (strchr(text, '\n'))
		message("a mark must not contain line breaks");
	else if (len > KMEMTRACE_MARK_MAX)
		message("the text has %" G_GSIZE_FORMAT " bytes: a mark has %u at most", len,
			KMEMTRACE_MARK_MAX);
	else
		return g_steal_pointer(&text);
	return NULL;
}

int cmd_mark(int argc, char **argv)
{
	const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
	g_autofree char *text = NULL;
	GError *error = NULL;

	if (!options_parse(
		    entries, "TEXT…",
		    "Add a named mark to the trace that is being recorded, at the current time. Commands "
		    "with --between report on the time between two marks; script and "
		    "timeline show them.",
		    &argc, &argv))
		return EXIT_USAGE;
	text = text_of(argc, argv);
	if (!text)
		return EXIT_USAGE;
	return source_mark(text, &error) ? EXIT_FINE : message_failed(error);
}
