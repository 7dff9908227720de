// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options.h"

#include <string.h>

#include "base/message.h"

gboolean options_parse_with(const GOptionEntry *const *groups, gpointer data, const char *usage,
			    const char *summary, int *argc, char ***argv)
{
	g_autofree char *name = g_strconcat("kmemtrace-user ", (*argv)[0], NULL);
	g_autoptr(GOptionContext) context = g_option_context_new(usage);
	GOptionGroup *main_group = g_option_group_new("main", "", "", data, NULL);
	g_autoptr(GError) error = NULL;

	g_set_prgname(name);
	g_option_context_set_summary(context, summary);
	for (; *groups; groups++)
		g_option_group_add_entries(main_group, *groups);
	g_option_context_set_main_group(context, main_group);
	g_option_context_set_strict_posix(context, FALSE);
	if (g_option_context_parse(context, argc, argv, &error))
		return TRUE;
	message("%s (%s --help tells more)", error->message, name);
	return FALSE;
}

gboolean options_parse_groups(const GOptionEntry *const *groups, const char *usage,
			      const char *summary, int *argc, char ***argv)
{
	return options_parse_with(groups, NULL, usage, summary, argc, argv);
}

gboolean options_parse(const GOptionEntry *entries, const char *usage, const char *summary,
		       int *argc, char ***argv)
{
	const GOptionEntry *const groups[] = { entries, NULL };

	return options_parse_groups(groups, usage, summary, argc, argv);
}

gboolean options_no_argument(int argc, char **argv)
{
	if (argc > 1)
		message("'%s' is too much: %s takes options alone", argv[1], g_get_prgname());
	return argc <= 1;
}

const char *options_one_file(int argc, char **argv, const char *fallback)
{
	if (argc > 2) {
		message("one file at a time: '%s' is too many", argv[2]);
		return NULL;
	}
	return argc == 2 ? argv[1] : fallback;
}

gboolean options_take_between(int *argc, char ***argv, const char **from, const char **to)
{
	char **args = *argv;
	int kept = 0, i;

	for (i = 0; i < *argc && strcmp(args[i], "--"); i++) {
		if (strcmp(args[i], "--between")) {
			args[kept++] = args[i];
			continue;
		}
		if (*from || i + 2 >= *argc) {
			message("--between %s: expected --between MARK MARK",
				*from ? "twice is too much" : "takes two");
			return FALSE;
		}
		*from = args[++i];
		*to = args[++i];
	}
	while (i < *argc)
		args[kept++] = args[i++];
	args[kept] = NULL;
	*argc = kept;
	return TRUE;
}

gboolean options_refuse_between(const char *name, const char *value, gpointer data, GError **error)
{
	(void)name;
	(void)value;
	(void)data;
	g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--between takes two: --between MARK MARK");
	return FALSE;
}
