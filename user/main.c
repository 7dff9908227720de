// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user: finds the command and runs it. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/closest.h"
#include "base/exit_cleanup.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "store/store.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* NULL: an old name of a command, hidden but supported */
	gboolean reads;      /* a trace or a database */
	gboolean prints;     /* a report, a table or a list */
	const char *group;   /* group that begins with it; NULL: that of the command before */
} commands[] = {
	{ "record", cmd_record, "record all CPUs into a file", FALSE, FALSE, "Record" },
	{ "start", cmd_start, "start the tracer without a recorder", FALSE, FALSE, NULL },
	{ "stop", cmd_stop, "stop the tracer; events stay in its buffers", FALSE, FALSE, NULL },
	{ "extract", cmd_extract, "collect the tracer's events into a file", FALSE, FALSE, NULL },
	{ "status", cmd_status, "show the tracer's state, settings and losses", FALSE, TRUE, NULL },
	{ "doctor", cmd_doctor, "show what keeps this machine from being traced", FALSE, TRUE,
	  NULL },
	{ "mark", cmd_mark, "add a named mark to the trace", FALSE, FALSE, NULL },
	{ "receive", cmd_receive, "receive a trace from another machine", TRUE, FALSE, NULL },
	{ "recover", cmd_recover, "copy the intact chunks of a damaged trace", TRUE, FALSE, NULL },
	{ "top", cmd_top, "show live memory while it changes", FALSE, FALSE, "View" },
	{ "report", cmd_report, "summarize a trace", TRUE, TRUE, NULL },
	{ "stat", cmd_stat, "count events without a database", TRUE, TRUE, NULL },
	{ "script", cmd_script, "print the events in time order", TRUE, TRUE, NULL },
	{ "timeline", cmd_timeline, "show live bytes over time", TRUE, TRUE, NULL },
	{ "leaks", cmd_leaks, "show suspected leaks and growth", TRUE, TRUE, "Analyse" },
	{ "live", cmd_live, "show what was live at a time, or at the peak", TRUE, TRUE, NULL },
	{ "lifetimes", cmd_lifetimes, "show how long allocations live", TRUE, TRUE, NULL },
	{ "churn", cmd_churn, "show sites with frequent and short-lived allocations", TRUE, TRUE,
	  NULL },
	{ "frag", cmd_frag, "show memory wasted by rounding, sparse slabs and pages", TRUE, TRUE,
	  NULL },
	{ "module", cmd_module, "show what a module allocated, freed and left", TRUE, TRUE, NULL },
	{ "reconcile", cmd_reconcile, "compare a trace with the kernel's own counters", TRUE, TRUE,
	  NULL },
	{ "diff", cmd_diff, "compare two traces", TRUE, TRUE, NULL },
	{ "check", cmd_check, "test conditions, for automated tests", TRUE, TRUE, NULL },
	{ "load", cmd_load, "load a trace into an SQLite database", TRUE, FALSE,
	  "Query and export" },
	{ "query", cmd_query, "run SQL or a named query", TRUE, TRUE, NULL },
	{ "export", cmd_export, "write call trees for other tools, or a page for a browser", TRUE,
	  FALSE, NULL },
	{ "help", cmd_help, "show the manual page of a command", FALSE, FALSE, "Help" },
	{ "grow", cmd_grow, NULL, TRUE, TRUE, NULL }, /* leaks --from 0 */
	{ "peak", cmd_peak, NULL, TRUE, TRUE, NULL }, /* live --at peak */
};

static void print_help(FILE *out)
{
	fputs("Usage: kmemtrace-user COMMAND [OPTION…]\n"
	      "Trace the kernel's memory allocations, and find out where the memory went.\n\nCommands:\n",
	      out);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (!commands[i].summary)
			continue;
		if (commands[i].group)
			fprintf(out, " %s\n", commands[i].group);
		fprintf(out, "  %-9s  %s\n", commands[i].name, commands[i].summary);
	}
	fputs("\n'kmemtrace-user COMMAND --help' lists the options of a command.\n"
	      "On a terminal, reports go through a pager ('kmemtrace-user --no-pager COMMAND' avoids it).\n"
	      "Exit codes: 0 success, 1 failure, 2 usage, 3 success but the trace is incomplete,\n"
	      "4 a condition of check or diff is true.\n",
	      out);
}

/*
 * Opens closed standard descriptors, so that a trace never gets fd 1 or 2, to which messages are
 * written. Writing to them still fails.
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

static void refuse_command(const char *asked)
{
	g_auto(Closest) closest = CLOSEST(asked);

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		closest_look(&closest, commands[i].name);
	message("'%s' is not a kmemtrace-user command%s%s%s; see 'kmemtrace-user --help'", asked,
		closest.name ? " (did you mean '" : "", closest.name ?: "",
		closest.name ? "'?)" : "");
}

/* Removes a leading --no-pager. */
static gboolean take_no_pager(int *argc, char ***argv)
{
	if (*argc < 2 || strcmp((*argv)[1], "--no-pager"))
		return FALSE;
	(*argc)--;
	(*argv)++;
	return TRUE;
}

#define STACK_BYTES (256 << 10) /* minimum; threads have as much */

/*
 * Checks the stack limit: on a smaller stack, a deep call would end the process by SIGSEGV in the
 * middle of an output.
 */
static gboolean has_stack(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_BYTES)
		return TRUE;
	limit.rlim_cur = MIN(limit.rlim_max, STACK_BYTES);
	if (limit.rlim_cur == STACK_BYTES && setrlimit(RLIMIT_STACK, &limit) == 0)
		return TRUE;
	message("the stack may have %" G_GUINT64_FORMAT "K (expected 256K or more: ulimit -s 256)",
		(guint64)limit.rlim_cur >> 10);
	return FALSE;
}

/* Checks for /proc: files are opened by descriptor there, as their names may be replaced. */
static gboolean has_proc(void)
{
	if (access("/proc/self/fd", X_OK) == 0)
		return TRUE;
	message("/proc is not mounted (mount -t proc proc /proc)");
	return FALSE;
}

/* Rejects an answer from a database that changed meanwhile. */
static int check_unchanged(int code)
{
	const char *changed = store_changed();

	if (!changed || code == EXIT_FAILED || code == EXIT_USAGE)
		return code;
	message(STORE_CHANGED_FORMAT, changed);
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	gboolean unpaged = take_no_pager(&argc, &argv);

	fill_standard_files();
	signal(SIGXFSZ, SIG_IGN); /* report EFBIG as an error like any other */
	signal(SIGCHLD, SIG_DFL); /* if the caller ignores it, children have no status */
	if (!has_stack())
		return EXIT_FAILED;
	exit_cleanup_watch();
	memory_watch();
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* commas separate thousands */
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		terminal_begin(&(TerminalOptions){ 0 });
		print_help(stdout);
		return message_wrote_stdout("the help") ? EXIT_FINE : EXIT_FAILED;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0) {
		puts("kmemtrace-user " KMEMTRACE_VERSION);
		return message_wrote_stdout("the version") ? EXIT_FINE : EXIT_FAILED;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		if (!has_proc())
			return EXIT_FAILED;
		if (commands[i].reads)
			options_bound_memory();
		if (commands[i].prints)
			options_print(unpaged);
		return check_unchanged(commands[i].run(argc - 1, argv + 1));
	}
	refuse_command(argv[1]);
	return EXIT_USAGE;
}
