// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/options.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/closest.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/terminal.h"
#include "base/units.h"

/* ---- values without a space after a short option: -n1 ---- */

/* Returns the option with the short name @letter, if it takes a value. */
static const GOptionEntry *find_short(const GOptionEntry *const *groups, char letter)
{
	for (; *groups; groups++) {
		for (const GOptionEntry *entry = *groups; entry->long_name; entry++) {
			if (letter && entry->short_name == letter)
				return entry->arg == G_OPTION_ARG_NONE ? NULL : entry;
		}
	}
	return NULL;
}

/*
 * Replaces "-n1" by "--lines=1", which GOption accepts. Returns the owner of the new texts; the
 * caller unrefs it.
 */
static GPtrArray *spell_out(const GOptionEntry *const *groups, int argc, char **argv)
{
	GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const GOptionEntry *entry =
			argv[i][0] == '-' ? find_short(groups, argv[i][1]) : NULL;

		if (entry && argv[i][2]) {
			argv[i] = g_strdup_printf("--%s=%s", entry->long_name, argv[i] + 2);
			g_ptr_array_add(texts, argv[i]);
		} else if (entry) {
			i++; /* its value */
		}
	}
	return texts;
}

/* ---- options ---- */

/*
 * In the locale "C", as on small systems, GOption accepts only ASCII. Accepts UTF-8 arguments
 * unchanged; output follows the locale.
 */
static gboolean parse_texts(GOptionContext *context, int *argc, char ***argv, GError **error)
{
	gboolean ascii = strcmp(nl_langinfo(CODESET), "ANSI_X3.4-1968") == 0;
	g_autofree char *locale = g_strdup(setlocale(LC_CTYPE, NULL));
	gboolean fine;

	if (ascii)
		setlocale(LC_CTYPE, "C.UTF-8");
	fine = g_option_context_parse(context, argc, argv, error);
	if (ascii)
		setlocale(LC_CTYPE, locale);
	return fine;
}

/* ---- memory ---- */

static gboolean bounds_memory;
static char *max_memory;

static const GOptionEntry memory_entries[] = {
	{ "max-memory", 0, 0, G_OPTION_ARG_STRING, &max_memory,
	  "Fail rather than use more memory than SIZE, such as 500M, or none (default: half of the machine's or cgroup's)",
	  "SIZE" },
	G_OPTION_ENTRY_NULL
};

void options_bound_memory(void)
{
	bounds_memory = TRUE;
}

/* ---- terminal ---- */

/* Flags of output for programs. */
static const char *const data_options[] = { "json", "csv", "dot", NULL };

static gboolean prints;
static gboolean is_unpaged;
static char *color;
static TerminalOptions terminal;

static const GOptionEntry terminal_entries[] = {
	{ "color", 0, 0, G_OPTION_ARG_STRING, &color,
	  "Print colours auto (default: on a terminal), always or never", "WHEN" },
	{ "no-pager", 0, 0, G_OPTION_ARG_NONE, &is_unpaged, "Do not start a pager on a terminal",
	  NULL },
	{ "wide", 0, 0, G_OPTION_ARG_NONE, &terminal.wide,
	  "Do not shorten names or fold lines to the width of the terminal", NULL },
	G_OPTION_ENTRY_NULL
};

void options_print(gboolean unpaged)
{
	prints = TRUE;
	is_unpaged = unpaged;
}

/* Returns whether an option that was given requests output for programs. */
static gboolean is_data(const GOptionEntry *const *groups)
{
	for (; *groups; groups++) {
		for (const GOptionEntry *entry = *groups; entry->long_name; entry++) {
			if (g_strv_contains(data_options, entry->long_name) &&
			    *(const gboolean *)entry->arg_data)
				return TRUE;
		}
	}
	return FALSE;
}

static gboolean read_color(GError **error)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (color && strcmp(color, names[i]))
			continue;
		terminal.color = (TerminalColor)i;
		return TRUE;
	}
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "invalid --color '%s' (expected auto, always or never)", color);
	return FALSE;
}

/* Folds the help, which GOption prints at once. */
static void fold_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			terminal_begin(&(TerminalOptions){ .color = COLOR_NEVER });
	}
}

/* ---- parsing ---- */

/* GOption prints the help and exits with 0, even if the help could not be written. */
static gboolean may_print_help;

static void check_help(void)
{
	if (may_print_help && !message_wrote_stdout("the help"))
		_exit(EXIT_FAILED);
}

/* Removes "--", which GOption keeps before an argument that begins with "-". */
static void drop_dashes(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		memmove(argv + i, argv + i + 1, (*argc - i) * sizeof(*argv));
		(*argc)--;
		return;
	}
}

/* Returns the closest option to an unknown one, for g_free(), or NULL. */
static char *closest_option(const GOptionEntry *const *groups, const GError *error)
{
	const char *unknown = strstr(error->message, "--");
	g_autofree char *asked = unknown ? g_strndup(unknown + 2, strcspn(unknown + 2, "=")) : NULL;
	Closest closest = CLOSEST(asked);

	if (!asked || !g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
		return NULL;
	for (; *groups; groups++) {
		for (const GOptionEntry *entry = *groups; entry->long_name; entry++)
			closest_look(&closest, entry->long_name);
	}
	return closest.name;
}

static gboolean parse(const GOptionEntry *const *groups, gpointer data, gboolean options_first,
		      const char *usage, const char *summary, int *argc, char ***argv)
{
	g_autoptr(GPtrArray) texts G_GNUC_UNUSED = spell_out(groups, *argc, *argv);
	g_autofree char *name = g_strconcat("kmemtrace-user ", (*argv)[0], NULL);
	g_autoptr(GOptionContext) context = g_option_context_new(usage);
	GOptionGroup *main_group = g_option_group_new("main", "", "", data, NULL);
	const GOptionEntry *const *group = groups;
	g_autofree char *closest = NULL;
	g_autoptr(GError) error = NULL;
	gboolean fine;

	g_set_prgname(name);
	g_option_context_set_summary(context, summary);
	for (; *group; group++)
		g_option_group_add_entries(main_group, *group);
	if (bounds_memory)
		g_option_group_add_entries(main_group, memory_entries);
	if (prints)
		g_option_group_add_entries(main_group, terminal_entries);
	g_option_context_set_main_group(context, main_group);
	g_option_context_set_strict_posix(context, options_first);
	fold_help(*argc, *argv);
	may_print_help = atexit(check_help) == 0;
	fine = parse_texts(context, argc, argv, &error) && read_color(&error);
	may_print_help = FALSE;
	if (fine && !options_first)
		drop_dashes(argc, *argv);
	if (fine && (!bounds_memory || memory_bound(max_memory, &error))) {
		terminal.data = is_data(groups);
		terminal.paged = !is_unpaged;
		if (prints)
			terminal_begin(&terminal);
		return TRUE;
	}
	closest = closest_option(groups, error);
	message("%s (%s%s%ssee %s --help)", error->message, closest ? "did you mean --" : "",
		closest ?: "", closest ? "? " : "", name);
	return FALSE;
}

gboolean options_parse_with(const GOptionEntry *const *groups, gpointer data, const char *usage,
			    const char *summary, int *argc, char ***argv)
{
	return parse(groups, data, FALSE, usage, summary, argc, argv);
}

gboolean options_parse_first(const GOptionEntry *const *groups, const char *usage,
			     const char *summary, int *argc, char ***argv)
{
	return parse(groups, NULL, TRUE, usage, summary, argc, argv);
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
		message("unexpected argument '%s': %s takes only options", argv[1],
			g_get_prgname());
	return argc <= 1;
}

gboolean options_check_rows(int limit)
{
	if (limit < 1)
		message("-n must be at least 1, not %d", limit);
	return limit >= 1;
}

/* Returns "night" for "night.7.kmt", for g_free(); NULL if it is not the name of a part. */
static char *recording_of_part(const char *path)
{
	g_autoptr(GRegex) part = g_regex_new("^(.+)\\.[0-9]+\\.kmt$", 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	return g_regex_match(part, path, 0, &match) ? g_match_info_fetch(match, 1) : NULL;
}

const char *options_one_file(int argc, char **argv)
{
	if (argc > 2) {
		g_autofree char *all = recording_of_part(argv[1]);

		if (all)
			message("unexpected argument '%s': one file at a time (kmemtrace-user load %s.*.kmt -o %s.db joins the parts of a recording)",
				argv[2], all, all);
		else
			message("unexpected argument '%s': one file at a time", argv[2]);
		return NULL;
	}
	return argv[1];
}

/* Splits "2s,3s" at the comma. Returns FALSE for other texts, such as marks. */
static gboolean split_times(char *text, const char **from, const char **to)
{
	char *comma = strchr(text, ',');
	guint64 ns;

	if (!comma || !units_parse_time(comma + 1, &ns, NULL))
		return FALSE;
	*comma = '\0';
	if (!units_parse_time(text, &ns, NULL)) {
		*comma = ',';
		return FALSE;
	}
	*from = text;
	*to = comma + 1;
	return TRUE;
}

gboolean options_take_interval(int *argc, char ***argv, const char **from, const char **to)
{
	char **args = *argv;
	int kept = 0, i;

	for (i = 0; i < *argc && strcmp(args[i], "--"); i++) {
		if (!*from && g_str_has_prefix(args[i], "--between=") &&
		    split_times(args[i] + strlen("--between="), from, to))
			continue;
		if (strcmp(args[i], "--between")) {
			args[kept++] = args[i];
			continue;
		}
		if (!*from && i + 1 < *argc && split_times(args[i + 1], from, to)) {
			i++;
			continue;
		}
		if (*from || i + 2 >= *argc) {
			message("--between %s: expected --between MARK MARK",
				*from ? "given twice" : "takes two");
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

gboolean options_refuse_interval(const char *name, const char *value, gpointer data, GError **error)
{
	(void)name;
	(void)value;
	(void)data;
	g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "--between needs two marks: --between MARK MARK");
	return FALSE;
}
