// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user status: show the tracer's state, settings and losses. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "capture/source/listeners.h"
#include "capture/source/source.h"
#include "capture/tracer/status.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/tracing.h"
#include "trace/event/event.h"

#define UNSEEN " unseen" /* after the name of a path, followed by ": why" */

static void print_state(const Status *status)
{
	printf("State:    %s", tracer_state_name(status->state));
	if (status->holder > 0) {
		printf(", recorded by process %d (", status->holder);
		escape_print(status->holder_name ? status->holder_name : "?", stdout);
		printf(")");
	} else if (status->holder == TRACER_HOLDER_UNKNOWN) {
		printf(", recorder unknown: processes have too many open files to search");
	} else if (status->state == TRACER_RUNNING) {
		printf(", without a recorder");
	}
	if (strcmp(status->source, "module") != 0)
		printf(", by BPF programs");
	printf("\n");
	if (status->frozen)
		printf("          an oops of the kernel stopped it; it keeps the events before that\n");
}

static void print_others(const Status *status)
{
	for (guint i = 0; i < status->others->len; i++)
		printf("Recorder: process %d, with BPF programs of its own\n",
		       g_array_index(status->others, pid_t, i));
}

static void print_settings(const Status *status)
{
	g_autofree char *all = units_format_size(status->subbufs * status->subbuf_size);
	g_autofree char *each = units_format_size(status->subbuf_size);
	g_autofree char *table = units_format_size(status->stack_bytes);

	printf("Buffers:  %s for each CPU, %" G_GUINT64_FORMAT " x %s; %s\n", all, status->subbufs,
	       each,
	       status->overwrite ? "full ones drop their oldest events"
				 : "full ones lose new events");
	printf("Stacks:   %" G_GUINT64_FORMAT " addresses, a table of %s\n", status->stack_depth,
	       table);
	if (status->events)
		escape_print_line("Events:   ", status->events, stdout);
}

/*
 * Omits the filters of an empty tracer: they belong to the last recording, and the next one sets
 * its own.
 */
static void print_filters(const Status *status)
{
	gboolean any = FALSE;

	if (!status->filters || status->state == TRACER_EMPTY)
		return;
	printf("Filters: ");
	for (guint i = 0; status->filters[i]; i++) {
		if (!status_filter_is_set(status->filters[i]))
			continue;
		printf("%s ", any ? "," : "");
		escape_print(status->filters[i], stdout);
		any = TRUE;
	}
	printf("%s\n", any ? "" : " none");
}

/* Paths with the same reason are printed together. */
static void print_unseen(const Status *status)
{
	const char *before = NULL; /* the state of the previous one */

	for (guint i = 0; status->paths && status->paths[i]; i++) {
		const char *state = strchr(status->paths[i], ' ');

		if (!state || !g_str_has_prefix(state, UNSEEN))
			continue;
		if (before && strcmp(before, state))
			escape_print_line("", before + strlen(UNSEEN), stdout);
		printf("%s%.*s", before && !strcmp(before, state) ? ", " : "Unseen:   ",
		       (int)(state - status->paths[i]), status->paths[i]);
		before = state;
	}
	if (before)
		escape_print_line("", before + strlen(UNSEEN), stdout);
}

static void print_cpus(const Status *status)
{
	if (status->cpus->len)
		printf("\n%4s %15s %15s %15s\n", "CPU", "written", "overwritten", "lost");
	for (guint i = 0; i < status->cpus->len; i++) {
		const CaptureStats *cpu = &g_array_index(status->cpus, CaptureStats, i);
		g_autofree char *written = units_format_count(cpu->written);
		g_autofree char *overwritten = units_format_count(cpu->overwritten);
		g_autofree char *lost = units_format_count(stats_lost_records(cpu));

		printf("%4u %15s %15s %15s", cpu->cpu, written, overwritten, lost);
		for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++) {
			if (cpu->lost[reason])
				printf("  %s %" G_GUINT64_FORMAT, trace_loss_name(reason),
				       cpu->lost[reason]);
		}
		printf("\n");
	}
}

static void print_memory(const Status *status)
{
	printf("Memory:  ");
	for (guint i = 0; i < status->memories->len; i++) {
		const StatsMemory *memory = &g_array_index(status->memories, StatsMemory, i);
		g_autofree char *size = units_format_size(memory->bytes);

		printf("%s ", i ? "," : "");
		for (const char *letter = memory->name; *letter; letter++)
			putchar(*letter == '_' ? ' ' : *letter);
		printf(" %s", size);
	}
	printf("\n");
}

static void print_text(const Status *status)
{
	print_state(status);
	print_others(status);
	print_settings(status);
	print_filters(status);
	print_unseen(status);
	print_memory(status);
	print_cpus(status);
}

int cmd_status(int argc, char **argv)
{
	g_auto(Status) status = { 0 };
	g_autoptr(Control) control = NULL;
	const char *source;
	gboolean json = FALSE;
	GError *error = NULL;
	const GOptionEntry entries[] = { { "json", 0, 0, G_OPTION_ARG_NONE, &json,
					   "Print JSON: an object", NULL },
					 G_OPTION_ENTRY_NULL };

	const GOptionEntry *const groups[] = { entries, tracing_source_entries, NULL };

	if (!options_parse_groups(
		    groups, "",
		    "Show the state and the settings of the tracer, and the events that "
		    "each CPU has written and lost.",
		    &argc, &argv) ||
	    !options_no_argument(argc, argv) || !tracing_source(&source))
		return EXIT_USAGE;
	control = source_open_kept(source, SOURCE_EXISTING, &error);
	if (!control || !status_read(control, &status, &error))
		return message_failed(error);
	status.others = listeners_pids();
	if (json) {
		g_autofree char *text = status_to_json(&status);

		puts(text);
	} else {
		print_text(&status);
	}
	return message_wrote_stdout("the status") ? EXIT_FINE : EXIT_FAILED;
}
