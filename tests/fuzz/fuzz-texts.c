// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes everything that is read line by line: the texts of /proc and of the tracer in a trace, and
 * the tracer's files as "status" reads them. An input is a text, and each parser gets it. A
 * parser's results must point into its line, and a status must give valid JSON.
 */
#include <glib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "analysis/snapshot.h"
#include "base/tokenize.h"
#include "capture/tracer/control_class.h"
#include "capture/tracer/module_control.h"
#include "capture/tracer/status.h"
#include "fuzz.h"

/* ---- lines ---- */

static char *line_start, *line_end;	/* of the line that is parsed now */

static void check_word(const char *word)
{
	REQUIRE(word >= line_start && word <= line_end);
	REQUIRE(word + strlen(word) <= line_end);
}

static LineResult parse_meminfo(char *line)
{
	MeminfoLine out;
	LineResult result = snapshot_parse_meminfo(line, &out);

	if (result == LINE_FINE)
		check_word(out.key);
	return result;
}

static LineResult parse_slabinfo(char *line)
{
	SlabinfoLine out;
	LineResult result = snapshot_parse_slabinfo(line, &out);

	if (result == LINE_FINE) {
		check_word(out.name);
		REQUIRE(*out.name && *out.name != '#');
	}
	return result;
}

static LineResult parse_buddyinfo(char *line)
{
	BuddyinfoLine out;
	LineResult result = snapshot_parse_buddyinfo(line, &out);

	if (result == LINE_FINE) {
		check_word(out.zone);
		REQUIRE(out.orders >= 1 && out.orders <= BUDDYINFO_ORDERS_MAX);
	}
	return result;
}

static LineResult parse_number(char *line)
{
	NumberLine out;
	LineResult result = snapshot_parse_number(line, &out);

	if (result == LINE_FINE)
		check_word(out.key);
	return result;
}

static LineResult check_text(LineResult result, const TextLine *out)
{
	if (result == LINE_FINE) {
		check_word(out->key);
		check_word(out->value);
		REQUIRE(*out->key && out->key < out->value + 1);
	}
	return result;
}

static LineResult parse_text(char *line)
{
	TextLine out;

	return check_text(snapshot_parse_text(line, &out), &out);
}

static LineResult parse_setting(char *line)
{
	TextLine out;

	return check_text(snapshot_parse_setting(line, &out), &out);
}

static LineResult parse_name(char *line)
{
	NameLine out;
	LineResult result = snapshot_parse_name(line, &out);

	if (result == LINE_FINE) {
		check_word(out.name);
		REQUIRE(*out.name);
	}
	return result;
}

static LineResult parse_abi(char *line)
{
	AbiLine out = { .name = NULL };
	LineResult result = snapshot_parse_abi(line, &out);

	if (result == LINE_FINE) {
		REQUIRE(out.key <= ABI_PAUSE);
		REQUIRE(!out.name == (out.key != ABI_GFP && out.key != ABI_MIGRATETYPE));
		if (out.name)
			check_word(out.name);
	}
	return result;
}

/* The first line names the columns of the others. */
static StatsColumns stats_columns;

static LineResult parse_stats_head(char *line)
{
	LineResult result = snapshot_parse_stats_head(line, &stats_columns);

	if (result == LINE_FINE)
		REQUIRE(stats_columns.cpu == 0 && stats_columns.count > 0);
	return result;
}

static LineResult parse_stats(char *line)
{
	LineResult result;
	StatsLine out;

	if (stats_columns.cpu)
		return LINE_BAD;
	result = snapshot_parse_stats(line, &stats_columns, &out);
	if (result == LINE_FINE && out.group)
		check_word(out.name);
	return result;
}

/* Each parser gets its own copy, as it writes into its line. */
static void parse_lines(const char *text, LineResult (*first)(char *), LineResult (*parse)(char *))
{
	g_autofree char *copy = g_strdup(text);
	char *rest = copy, *line;
	guint lines = 0;

	while ((line = tokenize_line(&rest))) {
		LineResult result;

		line_start = line;
		line_end = line + strlen(line);
		REQUIRE(!strchr(line, '\n'));
		result = first && !lines ? first(line) : parse(line);
		REQUIRE(result <= LINE_BAD);
		lines++;
	}
	REQUIRE(rest == copy + strlen(text));
}

/* ---- the tracer's files: all are the input ---- */

static const char *file_text;

static gboolean has_any(const Control *control, const char *name)
{
	return TRUE;
}

static char *read_input(const Control *control, const char *name, GError **error)
{
	return g_strdup(file_text);
}

static void close_nothing(Control *control)
{
}

/* Replaces the module's function, which needs the tracer's files. */
Control *module_control_open(GError **error)
{
	static const ControlClass class = {
		.name = "module",
		.has = has_any,
		.read = read_input,
		.close = close_nothing,
	};
	static Control control = { &class };

	return &control;
}

gboolean tracer_state(const Control *control, TracerState *state, GError **error)
{
	*state = strlen(file_text) % (TRACER_STOPPED + 1);
	return TRUE;
}

pid_t tracer_holder(const Control *control)
{
	return 1;
}

char *tracer_process_name(pid_t pid)
{
	return g_strdup(file_text);
}

gboolean tracer_overwrites(const Control *control)
{
	return FALSE;
}

static void check_json(const char *json)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) error = NULL;

	REQUIRE(g_utf8_validate(json, -1, NULL));
	REQUIRE(json_parser_load_from_data(parser, json, -1, &error));
}

static void read_status(void)
{
	g_autofree char *json = NULL;
	g_auto(Status) status;
	CaptureStats sum;

	REQUIRE(status_read(module_control_open(NULL), &status, NULL));
	REQUIRE(stats_read(module_control_open(NULL), &sum, NULL));
	for (char **filter = status.filters; filter && *filter; filter++)
		status_filter_is_set(*filter);
	json = status_to_json(&status);
	check_json(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);

	parse_lines(text, NULL, parse_meminfo);
	parse_lines(text, NULL, parse_slabinfo);
	parse_lines(text, NULL, parse_buddyinfo);
	parse_lines(text, NULL, parse_number);
	parse_lines(text, NULL, parse_text);
	parse_lines(text, NULL, parse_setting);
	parse_lines(text, NULL, parse_name);
	parse_lines(text, NULL, parse_abi);
	parse_lines(text, parse_stats_head, parse_stats);
	file_text = text;
	read_status();
	return 0;
}
