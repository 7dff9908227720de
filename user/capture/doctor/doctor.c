// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/doctor/doctor.h"

#include "capture/doctor/checks.h"
#include "capture/process/signals.h"
#include "capture/source/source.h"
#include "capture/target/kallsyms.h"
#include "capture/tracer/settings.h"
#include "capture/tracer/tracer.h"

#define ALL_EVENTS "slab page percpu vmalloc frag buddy"

GArray *doctor_examine(const Machine *machine)
{
	static void (*const checks[])(GArray * findings, const Machine *machine) = {
		check_rights,   check_kernel,  check_signature, check_options,
		check_module,   check_headers, check_debugfs,   check_btf,
		check_kallsyms, check_bpffs,   check_memory,    check_disk,
	};
	GArray *findings = findings_new();

	for (guint i = 0; i < G_N_ELEMENTS(checks); i++)
		checks[i](findings, machine);
	return findings;
}

static gboolean trace_briefly(const Control *control, DoctorSource *source, GError **error)
{
	g_auto(Settings) settings = { .events = g_strdup(ALL_EVENTS), .stack_depth = -1 };

	if (!settings_apply(control, &settings, error) || !control_set(control, "enable", 1, error))
		return FALSE;
	source->unseen = settings_unavailable(control, &settings);
	return TRUE;
}

/* Restores the tracer afterwards, even if it can't trace. */
static gboolean trace_and_restore(const Control *control, DoctorSource *source, GError **error)
{
	g_autoptr(GPtrArray) saved = settings_save(control, error);
	gboolean fine;

	if (!saved)
		return FALSE;
	fine = trace_briefly(control, source, error);
	fine = control_set(control, "enable", 0, fine ? error : NULL) && fine;
	fine = control_set(control, "reset", 1, fine ? error : NULL) && fine;
	return settings_restore(control, saved, fine ? error : NULL) && fine;
}

static void abandon(gpointer control)
{
	control_disable(control);
}

/* Returns FALSE with an error if the source can't trace. */
static gboolean try_source(DoctorSource *source, Signals *signals, GError **error)
{
	g_autoptr(Control) control = source_open(source->name, error);
	g_autoptr(GError) busy = NULL;
	TracerState state;
	gboolean fine;

	if (!control || !kallsyms_check(error))
		return FALSE;
	if (!tracer_claim(control, &busy)) {
		if (!g_error_matches(busy, CAPTURE_ERROR, CAPTURE_ERROR_BUSY)) {
			g_propagate_error(error, g_steal_pointer(&busy));
			return FALSE;
		}
		source->why = g_strdup(busy->message);
		return TRUE;
	}
	if (!tracer_state(control, &state, error))
		return FALSE;
	if (state != TRACER_EMPTY) {
		source->why = g_strdup_printf("it is %s", tracer_state_name(state));
		return TRUE;
	}
	signals_abandon_by(signals, abandon, control);
	fine = trace_and_restore(control, source, error);
	signals_abandon_by(signals, NULL, NULL);
	return fine;
}

static void clear_source(gpointer data)
{
	DoctorSource *source = data;

	g_free(source->why);
	g_free(source->unseen);
}

static GArray *try_sources(Signals *signals)
{
	GArray *sources = g_array_new(FALSE, FALSE, sizeof(DoctorSource));

	g_array_set_clear_func(sources, clear_source);
	for (guint i = 0; source_words[i] && !signals_are_ending(signals); i++) {
		DoctorSource source = { .name = source_words[i] };
		g_autoptr(GError) error = NULL;

		if (!g_str_equal(source.name, "auto")) {
			source.works = try_source(&source, signals, &error);
			if (error)
				source.why = g_strdup(error->message);
			g_array_append_val(sources, source);
		}
	}
	return sources;
}

/* A signal takes effect once the tracer is restored. */
GArray *doctor_try_sources(GError **error)
{
	Signals signals = { .fd = -1 };
	g_autoptr(GArray) sources = NULL;
	gboolean ends;

	if (signals_catch(&signals, error))
		sources = try_sources(&signals);
	ends = signals_are_ending(&signals);
	signals_release(&signals);
	if (ends)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "stopped by a signal");
	return sources && !ends ? g_steal_pointer(&sources) : NULL;
}

const DoctorSource *doctor_chosen(const GArray *sources)
{
	for (guint i = 0; i < sources->len; i++) {
		const DoctorSource *source = &g_array_index(sources, DoctorSource, i);

		if (source->works)
			return source;
	}
	return NULL;
}

gboolean doctor_must_ask(const DoctorSource *source)
{
	return g_str_equal(source->name, "bpf") && source_is_module_loaded();
}
