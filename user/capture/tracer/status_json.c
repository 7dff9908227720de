// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/object.h"
#include "capture/tracer/status.h"
#include "trace/event/event.h"

/* Adds lines "name value" as members. */
static void add_lines(JsonBuilder *builder, const char *name, char *const *lines)
{
	json_builder_set_member_name(builder, name);
	if (!lines) {
		json_builder_add_null_value(builder);
		return;
	}
	json_builder_begin_object(builder);
	for (guint i = 0; lines[i]; i++) {
		const char *value = strchr(lines[i], ' ');
		g_autofree char *key =
			value ? g_strndup(lines[i], value - lines[i]) : g_strdup(lines[i]);

		object_add_text(builder, key, value ? value + 1 : "");
	}
	json_builder_end_object(builder);
}

static void add_state(JsonBuilder *builder, const Status *status)
{
	static const char *const states[] = {
		[TRACER_EMPTY] = "empty",
		[TRACER_RUNNING] = "running",
		[TRACER_STOPPED] = "stopped",
	};

	object_add_text(builder, "source", status->source);
	object_add_text(builder, "state", states[status->state]);
	json_builder_set_member_name(builder, "recorder");
	if (status->holder > 0)
		json_builder_add_int_value(builder, status->holder);
	else
		json_builder_add_null_value(builder);
}

static void add_others(JsonBuilder *builder, const Status *status)
{
	json_builder_set_member_name(builder, "bpf_recorders");
	json_builder_begin_array(builder);
	for (guint i = 0; status->others && i < status->others->len; i++)
		json_builder_add_int_value(builder, g_array_index(status->others, pid_t, i));
	json_builder_end_array(builder);
}

static void add_settings(JsonBuilder *builder, const Status *status)
{
	g_auto(GStrv) events = g_strsplit(status->events ? status->events : "", " ", -1);

	object_add_int(builder, "subbuf_size", status->subbuf_size);
	object_add_int(builder, "subbufs", status->subbufs);
	object_add_int(builder, "stack_depth", status->stack_depth);
	object_add_int(builder, "stack_bytes", status->stack_bytes);
	object_add_bool(builder, "overwrite", status->overwrite);
	object_add_bool(builder, "frozen", status->frozen);
	json_builder_set_member_name(builder, "events");
	if (status->events) {
		json_builder_begin_array(builder);
		for (guint i = 0; events[i]; i++) {
			g_autofree char *valid = g_utf8_make_valid(events[i], -1);

			json_builder_add_string_value(builder, valid);
		}
		json_builder_end_array(builder);
	} else {
		json_builder_add_null_value(builder);
	}
	add_lines(builder, "filters", status->filters);
	add_lines(builder, "paths", status->paths);
}

static void add_cpus(JsonBuilder *builder, const Status *status)
{
	json_builder_set_member_name(builder, "cpus");
	json_builder_begin_array(builder);
	for (guint i = 0; i < status->cpus->len; i++) {
		const CaptureStats *cpu = &g_array_index(status->cpus, CaptureStats, i);

		json_builder_begin_object(builder);
		object_add_int(builder, "cpu", cpu->cpu);
		object_add_int(builder, "written", cpu->written);
		object_add_int(builder, "ignored", cpu->ignored);
		object_add_int(builder, "overwritten", cpu->overwritten);
		for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
			object_add_int(builder, trace_loss_name(reason), cpu->lost[reason]);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

static void add_memory(JsonBuilder *builder, const Status *status)
{
	json_builder_set_member_name(builder, "memory");
	json_builder_begin_object(builder);
	for (guint i = 0; i < status->memories->len; i++) {
		const StatsMemory *memory = &g_array_index(status->memories, StatsMemory, i);

		object_add_int(builder, memory->name, memory->bytes);
	}
	json_builder_end_object(builder);
}

char *status_to_json(const Status *status)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_object(builder);
	add_state(builder, status);
	add_others(builder, status);
	add_settings(builder, status);
	add_memory(builder, status);
	add_cpus(builder, status);
	json_builder_end_object(builder);
	return object_text(builder, TRUE);
}
