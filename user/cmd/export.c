// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user export: call trees for others' tools.
 */
#include <stdio.h>
#include <unistd.h>

#include "cmd/callargs.h"
#include "cmd/cmd.h"
#include "cmd/newfile.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "cmd/srcline.h"
#include "report/exports.h"
#include "report/trust.h"

typedef struct {
	CallArgs args;
	char *format, *output;
	const ExportFormat *found;
	CallsOptions options;
	Between between;
	Srcline srcline;
} Wanted;

static void wanted_clear(Wanted *wanted)
{
	callargs_clear(&wanted->args);
	g_clear_pointer(&wanted->format, g_free);
	g_clear_pointer(&wanted->output, g_free);
	srcline_clear(&wanted->srcline);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Wanted, wanted_clear)

static gboolean check(Wanted *wanted)
{
	g_autofree char *names = export_names();

	if (!wanted->format) {
		message("--format is missing (expected %s)", names);
		return FALSE;
	}
	wanted->found = export_find(wanted->format);
	if (!wanted->found) {
		message("invalid --format '%s' (expected %s)", wanted->format, names);
		return FALSE;
	}
	if (!callargs_read(&wanted->args, &wanted->between, TRUE, &wanted->options))
		return FALSE;
	wanted->srcline.wanted |= wanted->options.view.by_subsystem;
	if (wanted->found->whole && wanted->options.from_ns >= 0) {
		message("--format %s covers the whole trace: it takes no --from and --to",
			wanted->format);
		return FALSE;
	}
	if (!g_strcmp0(wanted->output, "-"))
		g_clear_pointer(&wanted->output, g_free);
	if (wanted->found->binary && !wanted->output && isatty(STDOUT_FILENO)) {
		message("refusing to write binary data (%s) to a terminal (use -o FILE)", wanted->format);
		return FALSE;
	}
	return TRUE;
}

static gboolean parse(int *argc, char ***argv, Wanted *wanted)
{
	g_autofree GOptionEntry *choice = callargs_choice(&wanted->args);
	const GOptionEntry entries[] = {
		{ "format", 'f', 0, G_OPTION_ARG_STRING, &wanted->format,
		  "Format: folded, speedscope, pprof, dhat, perfetto or csv", "FORMAT" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &wanted->output,
		  "Write to FILE (default: standard output)", "FILE" },
		SRCLINE_ENTRIES(wanted->srcline),
		OPTIONS_BETWEEN,
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, choice, NULL };

	return options_take_between(argc, argv, &wanted->between.from, &wanted->between.to) &&
	       options_parse_groups(groups, "--format FORMAT [FILE]",
				    "Write the call trees of a trace for other tools. " CMD_FILE_HELP,
				    argc, argv) &&
	       check(wanted);
}

typedef struct {
	const ExportFormat *format;
	Export *export;
} Printing;

static gboolean print(gpointer data, FILE *out, GError **error)
{
	const Printing *printing = data;

	printing->export->out = out;
	return printing->format->print(printing->export, error);
}

/* What a file says of itself. For g_free(). */
static char *describe(const Trust *trust, const Between *between)
{
	g_autofree char *summary = trust_summary(trust), *interval = between_describe(between);
	GString *text = g_string_new(summary ? summary : "complete; no event was lost");

	if (trust->sample > 1)
		g_string_append_printf(text, "; 1 in %" G_GINT64_FORMAT " SAMPLED: figures are scaled",
				       trust->sample);
	if (interval)
		g_string_append_printf(text, "; %s", interval);
	return g_string_free(text, FALSE);
}

int cmd_export(int argc, char **argv)
{
	g_auto(Wanted) wanted = { 0 };
	g_autoptr(StoreDb) db = NULL;
	g_auto(Trust) trust = { 0 };
	g_autofree char *description = NULL, *cut = NULL;
	Export export = { .options = &wanted.options, .cut = &cut };
	Printing printing = { .export = &export };
	GError *error = NULL;

	if (!parse(&argc, &argv, &wanted))
		return EXIT_USAGE;
	export.name = options_one_file(argc, argv, source_default(NULL));
	if (!export.name)
		return EXIT_USAGE;
	export.db = db = source_open(export.name, &error);
	if (!db || !trust_read(db, &trust, &error) || !srcline_open(&wanted.srcline, db, &error) ||
	    !between_restrict(db, &wanted.between, &error))
		return message_failed(error);
	export.trust = description = describe(&trust, &wanted.between);
	printing.format = wanted.found;
	if (!newfile_write(wanted.output, wanted.found->name, print, &printing, &error))
		return message_failed(error);
	if (cut)
		message("%s", cut);
	if (trust_is_incomplete(&trust))
		message("%s", export.trust);
	return trust_is_incomplete(&trust) ? EXIT_INCOMPLETE : EXIT_FINE;
}
