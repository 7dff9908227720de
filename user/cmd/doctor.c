// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user doctor: show what prevents tracing on this machine. */
#include <stdio.h>
#include <sys/utsname.h>

#include "base/escape.h"
#include "capture/doctor/doctor.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"

static const char *name_of(const DoctorSource *source)
{
	return g_str_equal(source->name, "bpf") ? "BPF programs" : "the module";
}

static void print_source(const DoctorSource *source)
{
	printf("%-6s  %-5s  ", source->name, source->works ? "works" : "fails");
	if (source->why)
		escape_print_line("", source->why, stdout);
	else if (source->unseen)
		escape_print_line("traces all events but: ", source->unseen, stdout);
	else
		printf("traces all events\n");
}

static void print_finding(const Finding *finding)
{
	printf("%-9s %-5s  ", finding->topic, finding_level_name(finding->level));
	escape_print_line("", finding->text, stdout);
	if (finding->command)
		escape_print_line("                 # ", finding->command, stdout);
}

static void print_text(const GArray *sources, const GArray *findings)
{
	const DoctorSource *chosen = doctor_chosen(sources);

	if (!chosen)
		printf("This machine can't be traced now.\n\n");
	else if (doctor_must_ask(chosen))
		printf("This machine can be traced: record --source %s\n\n", chosen->name);
	else
		printf("This machine can be traced: record uses %s.\n\n", name_of(chosen));
	for (guint i = 0; i < sources->len; i++)
		print_source(&g_array_index(sources, DoctorSource, i));
	printf("\n");
	for (guint i = 0; i < findings->len; i++)
		print_finding(&g_array_index(findings, Finding, i));
}

int cmd_doctor(int argc, char **argv)
{
	g_autoptr(GArray) sources = NULL;
	g_autoptr(GArray) findings = NULL;
	gboolean json = FALSE;
	GError *error = NULL;
	struct utsname uts;
	const GOptionEntry entries[] = { { "json", 0, 0, G_OPTION_ARG_NONE, &json,
					   "Print JSON: an object", NULL },
					 G_OPTION_ENTRY_NULL };

	if (!options_parse(
		    entries, "",
		    "Show whether this machine can be traced, by which source, what each source can't "
		    "see, and the command that mends what is missing.",
		    &argc, &argv) ||
	    !options_no_argument(argc, argv))
		return EXIT_USAGE;
	uname(&uts);
	findings = doctor_examine(&(Machine){ "", uts.release, uts.machine });
	sources = doctor_try_sources(&error);
	if (!sources)
		return message_failed(error);
	if (json) {
		g_autofree char *text = doctor_to_json(sources, findings);

		puts(text);
	} else {
		print_text(sources, findings);
	}
	if (!message_wrote_stdout("the findings"))
		return EXIT_FAILED;
	return doctor_chosen(sources) ? EXIT_FINE : EXIT_FAILED;
}
