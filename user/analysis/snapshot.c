// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/snapshot.h"

#include <string.h>

#include "base/slabinfo.h"
#include "base/tokenize.h"
#include "base/units.h"
#include "trace/event/event.h"

#define WORDS_MAX 48 /* no useful line has more */

static int split(char *line, char **words, int max)
{
	int count = 0;

	while (count < max && (words[count] = tokenize_word(&line)))
		count++;
	return count;
}

static gboolean parse_int(const char *word, gint64 *value)
{
	return word && g_ascii_string_to_signed(word, 10, G_MININT64, G_MAXINT64, value, NULL);
}

static gboolean parse_uint(const char *word, guint64 *value)
{
	return word && g_ascii_string_to_unsigned(word, 10, 0, G_MAXUINT64, value, NULL);
}

/* Parses a number with the prefix 0x. */
static gboolean parse_hex(const char *word, guint64 *value)
{
	return word && g_str_has_prefix(word, "0x") &&
	       g_ascii_string_to_unsigned(word + 2, 16, 0, G_MAXUINT64, value, NULL);
}

static gboolean parse_uint32(const char *word, guint32 *value)
{
	guint64 wide;

	if (!parse_uint(word, &wide) || wide > G_MAXUINT32)
		return FALSE;
	*value = wide;
	return TRUE;
}

static gboolean is_blank(const char *line)
{
	return !line[strspn(line, CUT_BLANKS)];
}

/* ---- /proc ---- */

LineResult snapshot_parse_meminfo(char *line, MeminfoLine *out)
{
	char *words[4];
	int count = split(line, words, 4);

	if (!count)
		return LINE_OTHER;
	if (count < 2 || count > 3 || !g_str_has_suffix(words[0], ":") ||
	    !parse_int(words[1], &out->kb))
		return LINE_BAD;
	if (count == 2)
		return LINE_OTHER;
	if (strcmp(words[2], "kB"))
		return LINE_BAD;
	words[0][strlen(words[0]) - 1] = 0;
	out->key = words[0];
	return LINE_FINE;
}

/* name active objs size perslab pages : tunables l b s : slabdata active slabs shared */
LineResult snapshot_parse_slabinfo(char *line, SlabinfoLine *out)
{
	gsize name_len = slabinfo_name_len(line);
	char *words[WORDS_MAX];

	if (is_blank(line) || *line == '#' || g_str_has_prefix(line, "slabinfo - version:"))
		return LINE_OTHER;
	if (!name_len || name_len > SNAPSHOT_NAME_MAX ||
	    split(line + name_len, words, WORDS_MAX) < 15 || strcmp(words[11], "slabdata"))
		return LINE_BAD;
	line[name_len] = 0;
	out->name = line;
	if (parse_int(words[0], &out->active_objs) && parse_int(words[1], &out->num_objs) &&
	    parse_int(words[2], &out->object_size) && parse_int(words[3], &out->objs_per_slab) &&
	    parse_int(words[4], &out->pages_per_slab) && parse_int(words[13], &out->num_slabs))
		return LINE_FINE;
	return LINE_BAD;
}

LineResult snapshot_parse_buddyinfo(char *line, BuddyinfoLine *out)
{
	char *words[WORDS_MAX];
	int count = split(line, words, WORDS_MAX);

	if (!count)
		return LINE_OTHER;
	if (count < 5 || count - 4 > BUDDYINFO_ORDERS_MAX || strcmp(words[0], "Node") ||
	    strcmp(words[2], "zone") || !g_str_has_suffix(words[1], ","))
		return LINE_BAD;
	words[1][strlen(words[1]) - 1] = 0;
	if (!parse_int(words[1], &out->node))
		return LINE_BAD;
	out->zone = words[3];
	out->orders = count - 4;
	for (guint i = 0; i < out->orders; i++) {
		if (!parse_int(words[4 + i], &out->blocks[i]))
			return LINE_BAD;
	}
	return LINE_FINE;
}

LineResult snapshot_parse_number(char *line, NumberLine *out)
{
	char *words[3];
	int count = split(line, words, 3);

	if (!count)
		return LINE_OTHER;
	out->key = words[0];
	return count == 2 && parse_int(words[1], &out->value) ? LINE_FINE : LINE_BAD;
}

LineResult snapshot_parse_text(char *line, TextLine *out)
{
	char *equals = strchr(line, '=');

	if (is_blank(line))
		return LINE_OTHER;
	if (!equals || equals == line)
		return LINE_BAD;
	*equals = 0;
	out->key = line;
	out->value = equals + 1;
	return LINE_FINE;
}

/* ---- the tracer's ---- */

LineResult snapshot_parse_setting(char *line, TextLine *out)
{
	if (is_blank(line))
		return LINE_OTHER;
	out->key = tokenize_word(&line);
	out->value = g_strstrip(line);
	return LINE_FINE;
}

/* Decodes the tracer's octal escapes, "\\012", in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to++ = (text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0';
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = 0;
}

LineResult snapshot_parse_name(char *line, NameLine *out)
{
	if (is_blank(line))
		return LINE_OTHER;
	if (!parse_uint32(tokenize_word(&line), &out->id) ||
	    !parse_uint32(tokenize_word(&line), &out->number))
		return LINE_BAD;
	unescape(line);
	out->name = line;
	return *line && strlen(line) <= SNAPSHOT_NAME_MAX ? LINE_FINE : LINE_BAD;
}

static int loss_by_name(const char *name)
{
	for (int i = 0; i < KMEMTRACE_LOSS_NR; i++) {
		if (!strcmp(name, trace_loss_name(i)))
			return i;
	}
	return -1;
}

LineResult snapshot_parse_stats_head(char *line, StatsColumns *out)
{
	char *words[WORDS_MAX];

	*out = (StatsColumns){
		.cpu = -1,
		.written = -1,
		.ignored = -1,
		.overwritten = -1,
		.consumed = -1,
	};
	for (int i = 0; i < KMEMTRACE_LOSS_NR; i++)
		out->lost[i] = -1;
	out->count = split(line, words, WORDS_MAX);
	for (int i = 0; i < out->count; i++) {
		int reason = loss_by_name(words[i]);

		if (!strcmp(words[i], "cpu"))
			out->cpu = i;
		else if (!strcmp(words[i], "written"))
			out->written = i;
		else if (!strcmp(words[i], "ignored"))
			out->ignored = i;
		else if (!strcmp(words[i], "overwritten"))
			out->overwritten = i;
		else if (!strcmp(words[i], "consumed"))
			out->consumed = i;
		else if (reason >= 0)
			out->lost[reason] = i;
	}
	return out->cpu == 0 ? LINE_FINE : LINE_BAD;
}

static guint64 column_value(const guint64 *values, int column)
{
	return column < 0 ? 0 : values[column];
}

/* -1: there is no such column. */
static gint64 newer_column_value(const guint64 *values, int column)
{
	return column < 0 ? -1 : (gint64)MIN(values[column], (guint64)G_MAXINT64);
}

LineResult snapshot_parse_stats(char *line, const StatsColumns *columns, StatsLine *out)
{
	static const char *const groups[] = {
		"memory", "stacks", "frozen", "filter", "files", NULL
	};
	guint64 values[WORDS_MAX];
	char *words[WORDS_MAX];
	int count = split(line, words, WORDS_MAX);

	if (!count)
		return LINE_OTHER;
	*out = (StatsLine){ 0 };
	if (g_strv_contains(groups, words[0])) {
		out->group = words[0];
		out->name = count == 3 ? words[1] : NULL;
		return count == 3 && parse_int(words[2], &out->value) ? LINE_FINE : LINE_BAD;
	}
	if (count != columns->count || !parse_uint32(words[columns->cpu], &out->cpu))
		return LINE_BAD;
	for (int i = 0; i < count; i++) {
		if (!parse_uint(words[i], &values[i]))
			return LINE_BAD;
	}
	out->written = column_value(values, columns->written);
	out->ignored = column_value(values, columns->ignored);
	out->overwritten = newer_column_value(values, columns->overwritten);
	out->consumed = newer_column_value(values, columns->consumed);
	for (int i = 0; i < KMEMTRACE_LOSS_NR; i++)
		out->lost[i] = column_value(values, columns->lost[i]);
	return LINE_FINE;
}

guint snapshot_each_stats(char *text, void (*take)(const StatsLine *stats, gpointer data),
			  gpointer data)
{
	char *line = text ? tokenize_line(&text) : NULL;
	StatsColumns columns;
	guint bad = 0;

	if (!line)
		return 0;
	if (snapshot_parse_stats_head(line, &columns) != LINE_FINE || columns.written < 0)
		return 1;
	while ((line = tokenize_line(&text))) {
		StatsLine stats;
		LineResult result = snapshot_parse_stats(line, &columns, &stats);

		if (result == LINE_FINE)
			take(&stats, data);
		bad += result == LINE_BAD;
	}
	return bad;
}

static LineResult fine_if(gboolean fine)
{
	return fine ? LINE_FINE : LINE_BAD;
}

/*
 * Returns whether it is one bit of a gfp mask, as in all kernels. So a trace has at most 32 flags,
 * however many lines, and naming the flags of an event takes bounded time.
 */
static gboolean is_flag(const AbiLine *line)
{
	return line->value && line->value <= G_MAXUINT32 && !(line->value & (line->value - 1)) &&
	       strlen(line->name) <= ABI_NAME_MAX;
}

LineResult snapshot_parse_abi(char *line, AbiLine *out)
{
	char *words[4];
	int count = split(line, words, 4);

	if (!count)
		return LINE_OTHER;
	if (!strcmp(words[0], "page_size")) {
		out->key = ABI_PAGE_SIZE;
		return fine_if(count == 2 && parse_uint(words[1], &out->value));
	}
	if (!strcmp(words[0], "linear_base")) {
		out->key = ABI_LINEAR_BASE;
		return fine_if(count == 2 && parse_hex(words[1], &out->value));
	}
	if (!strcmp(words[0], "gfp")) {
		out->key = ABI_GFP;
		out->name = words[1];
		return fine_if(count == 3 && parse_hex(words[2], &out->value) && is_flag(out));
	}
	if (!strcmp(words[0], "migratetype")) {
		out->key = ABI_MIGRATETYPE;
		out->name = words[2];
		return fine_if(count == 3 && parse_uint(words[1], &out->value) &&
			       strlen(out->name) <= ABI_NAME_MAX);
	}
	if (!strcmp(words[0], "pauses") || !strcmp(words[0], "pause")) {
		out->key = strcmp(words[0], "pause") ? ABI_PAUSES : ABI_PAUSE;
		return fine_if(count == 3 && parse_uint(words[1], &out->value) &&
			       parse_uint(words[2], &out->end) &&
			       MAX(out->value, out->end) < UNITS_TIME_END);
	}
	return LINE_OTHER;
}
