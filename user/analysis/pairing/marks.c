// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pairing/marks.h"

#include <string.h>

static void escape(GString *to, const char *bytes, gsize len)
{
	for (gsize i = 0; i < len; i++)
		g_string_append_printf(to, "\\%03o", (guint)(guchar)bytes[i]);
}

char *marks_text(const char *text)
{
	GString *clean = g_string_new("");

	while (*text) {
		gunichar letter = g_utf8_get_char_validated(text, -1);
		gboolean is_utf8 = letter != (gunichar)-1 && letter != (gunichar)-2;
		gsize len = is_utf8 ? g_utf8_skip[(guchar)*text] : 1;

		if (is_utf8 && !g_unichar_iscntrl(letter))
			g_string_append_len(clean, text, len);
		else
			escape(clean, text, len);
		text += len;
	}
	return g_string_free(clean, FALSE);
}

void marks_end(Marks *marks, MarkFunc func, gpointer data)
{
	g_autofree char *clean = NULL, *whole = NULL;
	Mark mark = { .time_ns = marks->time_ns, .cpu = marks->cpu, .tid = marks->tid };

	if (!marks->open)
		return;
	marks->open = FALSE;
	marks->text[marks->len] = 0;
	clean = marks_text(marks->text);
	whole = g_strconcat(marks->headless ? "…" : "", clean,
			    marks->next < marks->parts ? "…" : "", NULL);
	mark.text = whole;
	func(data, &mark);
}

static gboolean goes_on(const Marks *marks, const struct trace_event *event)
{
	return marks->open && event->cpu == marks->cpu && event->time_ns == marks->time_ns &&
	       event->tid == marks->tid && event->parts == marks->parts &&
	       event->part == marks->next;
}

void marks_take(Marks *marks, const struct trace_event *event, MarkFunc func, gpointer data)
{
	gsize len = strlen(event->text);

	if (!goes_on(marks, event)) {
		marks_end(marks, func, data);
		*marks = (Marks){
			.open = TRUE,
			.time_ns = event->time_ns,
			.cpu = event->cpu,
			.tid = event->tid,
			.next = event->part,
			.parts = event->parts,
			.headless = event->part > 0,
		};
	}
	len = MIN(len, KMEMTRACE_MARK_MAX - marks->len);
	memcpy(marks->text + marks->len, event->text, len);
	marks->len += len;
	marks->next++;
	if (marks->next >= marks->parts)
		marks_end(marks, func, data);
}
