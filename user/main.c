// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user: the table of commands and nothing else.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/truncated.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
	gboolean reads;		/* a trace or a database */
} commands[] = {
	{ "record", cmd_record, "trace the kernel into a file", FALSE },
	{ "start", cmd_start, "let the tracer run without a recorder", FALSE },
	{ "stop", cmd_stop, "stop it; what it has seen stays in its buffers", FALSE },
	{ "status", cmd_status, "what the tracer does, is set to, and has seen and lost", FALSE },
	{ "top", cmd_top, "who holds memory now, and takes more: on the terminal", FALSE },
	{ "mark", cmd_mark, "give this point of time a name in the trace", FALSE },
	{ "extract", cmd_extract, "collect what it has seen into a file", FALSE },
	{ "receive", cmd_receive, "take the trace of a recorder on another machine", TRUE },
	{ "recover", cmd_recover, "make a clean copy of a damaged or cut trace", TRUE },
	{ "report", cmd_report, "who holds, takes and wastes memory; can the trace be trusted?", TRUE },
	{ "frag", cmd_frag, "what rounding, nearly empty slabs and scattered pages take", TRUE },
	{ "reconcile", cmd_reconcile, "compare the trace with the kernel's own accounts of memory", TRUE },
	{ "stat", cmd_stat, "count what was allocated and freed, without a database", TRUE },
	{ "leaks", cmd_leaks, "who holds what is live and old, and does it grow?", TRUE },
	{ "grow", cmd_grow, "who holds more at one time than at another", TRUE },
	{ "module", cmd_module, "what a module took and did not give back", TRUE },
	{ "lifetimes", cmd_lifetimes, "how long things live, and who frees what others allocated", TRUE },
	{ "churn", cmd_churn, "who allocates most often, and frees at once", TRUE },
	{ "peak", cmd_peak, "when most was live, and what", TRUE },
	{ "live", cmd_live, "what was live at a time", TRUE },
	{ "timeline", cmd_timeline, "live bytes over time", TRUE },
	{ "load", cmd_load, "make a trace into an SQLite database", TRUE },
	{ "query", cmd_query, "ask the database in SQL", TRUE },
	{ "export", cmd_export, "call trees for flame graphs, speedscope, pprof and others", TRUE },
	{ "diff", cmd_diff, "what changed from one trace to another", TRUE },
	{ "check", cmd_check, "do conditions hold? for automated tests", TRUE },
	{ "script", cmd_script, "print the events, one a line", TRUE },
	{ "help", cmd_help, "the manual page of a command, or its --help", FALSE },
};

static void print_help(FILE *out)
{
	fputs("Usage: kmemtrace-user COMMAND [OPTION…]\n"
	      "Traces the kernel's own memory allocations and says where they went.\n\nCommands:\n", out);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		fprintf(out, "  %-9s  %s\n", commands[i].name, commands[i].summary);
	fputs("\n'kmemtrace-user COMMAND --help' tells a command's options.\n"
	      "Exit codes: 0 fine, 1 failed, 2 usage, 3 done but the trace is incomplete,\n"
	      "4 a condition of check failed.\n", out);
}

/*
 * Whoever closed stdout or stderr shall not have messages in the trace that is opened next and gets
 * its number. What is written there still fails.
 */
static void fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	fill_standard_files();
	signal(SIGXFSZ, SIG_IGN);	/* what can't be written is an error as any other */
	truncated_watch();
	setlocale(LC_ALL, "");
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return message_wrote_stdout("the help") ? EXIT_FINE : EXIT_FAILED;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("kmemtrace-user " KMEMTRACE_VERSION);
		return message_wrote_stdout("the version") ? EXIT_FINE : EXIT_FAILED;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		if (commands[i].reads)
			options_bound_memory();
		return commands[i].run(argc - 1, argv + 1);
	}
	message("there is no command '%s': kmemtrace-user --help lists them", argv[1]);
	return EXIT_USAGE;
}
