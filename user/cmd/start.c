// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user start: set up the tracer and start it without a recorder. */
#include <string.h>

#include "capture/source/source.h"
#include "capture/tracer/adopt.h"
#include "capture/tracer/tracer.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/tracing.h"

/* Returns FALSE with an error unless the tracer is empty, or may be emptied. */
static gboolean check_empty(const Control *control, gboolean discard, GError **error)
{
	TracerState state;

	if (!tracer_state(control, &state, error))
		return FALSE;
	if (state == TRACER_EMPTY)
		return TRUE;
	if (discard)
		return control_set(control, "enable", 0, error);
	g_set_error(
		error, CAPTURE_ERROR, CAPTURE_ERROR_BUSY,
		"the tracer is %s: kmemtrace-user extract collects its events, --discard discards them, --continue continues",
		tracer_state_name(state));
	return FALSE;
}

static void say_unseen(const Control *control, const Settings *settings)
{
	g_autofree char *unseen = settings_unavailable(control, settings);

	if (unseen)
		message("unseen: %s", unseen);
}

static void say_source(const Control *control, const Settings *settings)
{
	if (strcmp(control_source(control), "module") != 0)
		message("tracing by BPF programs%s; without a recorder, each stack is unwound",
			source_why_bpf(settings->source));
}

static gboolean start(const Settings *settings, gboolean discard, gboolean go_on, GError **error)
{
	SourceFlags flags = (go_on ? SOURCE_EXISTING : SOURCE_NEW) | (discard ? SOURCE_DISCARD : 0);
	g_autoptr(Control) control = source_open_kept(settings->source, flags, error);

	if (!control || !tracer_claim(control, error))
		return FALSE;
	if (go_on)
		return adopt_check_alive(control, error) &&
		       control_set(control, "enable", 1, error);
	if (!settings_check(control, settings, error) || !check_empty(control, discard, error) ||
	    !settings_apply(control, settings, error) || !control_set(control, "enable", 1, error))
		return FALSE;
	say_source(control, settings);
	say_unseen(control, settings);
	return TRUE;
}

int cmd_start(int argc, char **argv)
{
	g_auto(Settings) settings = { 0 };
	gboolean discard = FALSE, go_on = FALSE;
	GError *error = NULL;
	const GOptionEntry entries[] = {
		{ "overwrite", 0, 0, G_OPTION_ARG_NONE, &settings.overwrite,
		  "Overwrite the oldest events when a buffer is full", NULL },
		{ "discard", 0, 0, G_OPTION_ARG_NONE, &discard,
		  "Discard events that are still in the tracer's buffers", NULL },
		{ "continue", 0, 0, G_OPTION_ARG_NONE, &go_on,
		  "Restart a stopped tracer with its settings, and keep its events", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, tracing_entries, tracing_sample_entries,
					       NULL };

	if (!options_parse_groups(
		    groups, "",
		    "Start the tracer without a recorder. It traces until its buffers "
		    "are full; kmemtrace-user extract collects the events.",
		    &argc, &argv) ||
	    !options_no_argument(argc, argv) || !tracing_settings(&settings))
		return EXIT_USAGE;
	if (go_on && (discard || settings.overwrite || tracing_given())) {
		message("--continue uses the tracer's settings: it cannot be combined with %s",
			discard              ? "--discard"
			: settings.overwrite ? "--overwrite"
					     : tracing_given());
		return EXIT_USAGE;
	}
	if (!start(&settings, discard, go_on, &error))
		return tracing_failed(error);
	message("tracing; kmemtrace-user status shows its progress, kmemtrace-user extract collects the events");
	return EXIT_FINE;
}
