// SPDX-License-Identifier: GPL-2.0-or-later
#include <json-glib/json-glib.h>
#include <string.h>

#include "base/escape.h"
#include "capture/tracer/status.h"
#include "trace/event/event.h"

static void add_number(JsonBuilder *builder, const char *name, guint64 value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_int_value(builder, value);
}

/* Filters may be any bytes: those that are no UTF-8 are replaced. */
static void add_text(JsonBuilder *builder, const char *name, const char *value)
{
	g_autofree char *valid_name = g_utf8_make_valid(name, -1);
	g_autofree char *valid = g_utf8_make_valid(value, -1);

	json_builder_set_member_name(builder, valid_name);
	json_builder_add_string_value(builder, valid);
}

/* Lines "name value" as members. */
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

		add_text(builder, key, value ? value + 1 : "");
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

	add_text(builder, "source", status->source);
	add_text(builder, "state", states[status->state]);
	json_builder_set_member_name(builder, "recorder");
	if (status->holder)
		json_builder_add_int_value(builder, status->holder);
	else
		json_builder_add_null_value(builder);
}

static void add_settings(JsonBuilder *builder, const Status *status)
{
	g_auto(GStrv) events = g_strsplit(status->events ? status->events : "", " ", -1);

	add_number(builder, "subbuf_size", status->subbuf_size);
	add_number(builder, "subbufs", status->subbufs);
	add_number(builder, "stack_depth", status->stack_depth);
	add_number(builder, "stack_bytes", status->stack_bytes);
	json_builder_set_member_name(builder, "overwrite");
	json_builder_add_boolean_value(builder, status->overwrite);
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
		add_number(builder, "cpu", cpu->cpu);
		add_number(builder, "written", cpu->written);
		add_number(builder, "ignored", cpu->ignored);
		add_number(builder, "overwritten", cpu->overwritten);
		for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
			add_number(builder, trace_loss_name(reason), cpu->lost[reason]);
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

		g_autofree char *valid = g_utf8_make_valid(memory->name, -1);

		add_number(builder, valid, memory->bytes);
	}
	json_builder_end_object(builder);
}

char *status_to_json(const Status *status)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	g_autoptr(JsonNode) root = NULL;
	g_autofree char *text = NULL;

	json_builder_begin_object(builder);
	add_state(builder, status);
	add_settings(builder, status);
	add_memory(builder, status);
	add_cpus(builder, status);
	json_builder_end_object(builder);
	root = json_builder_get_root(builder);
	text = json_to_string(root, TRUE);
	return escape_json(text);
}
