// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/doctor/doctor.h"

#include "capture/doctor/checks.h"
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
	return control_set(control, "enable", 0, error) && control_set(control, "reset", 1, error);
}

/* FALSE with an error: it can't trace. */
static gboolean try_source(DoctorSource *source, GError **error)
{
	g_autoptr(Control) control = source_open(source->name, error);
	g_autoptr(GError) busy = NULL;
	TracerState state;

	if (!control || !kallsyms_check(error))
		return FALSE;
	if (!tracer_claim(control, &busy)) {
		source->why = g_strdup(busy->message);
		return TRUE;
	}
	if (!tracer_state(control, &state, error))
		return FALSE;
	if (state != TRACER_EMPTY) {
		source->why = g_strdup_printf("it is %s", tracer_state_name(state));
		return TRUE;
	}
	return trace_briefly(control, source, error);
}

static void clear_source(gpointer data)
{
	DoctorSource *source = data;

	g_free(source->why);
	g_free(source->unseen);
}

GArray *doctor_try_sources(void)
{
	GArray *sources = g_array_new(FALSE, FALSE, sizeof(DoctorSource));

	g_array_set_clear_func(sources, clear_source);
	for (guint i = 0; source_words[i]; i++) {
		DoctorSource source = { .name = source_words[i] };
		g_autoptr(GError) error = NULL;

		if (!g_str_equal(source.name, "auto")) {
			source.works = try_source(&source, &error);
			if (error)
				source.why = g_strdup(error->message);
			g_array_append_val(sources, source);
		}
	}
	return sources;
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
