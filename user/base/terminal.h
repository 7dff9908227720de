/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output, if it is a terminal: no line of text is wider. Reports and tables fit themselves
 * into terminal_width(), and shorten names; every other line is folded.
 */
#ifndef KMT_BASE_TERMINAL_H
#define KMT_BASE_TERMINAL_H

#include <glib.h>
#include <stdio.h>

typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } TerminalColor;

typedef struct {
	TerminalColor color; /* auto: on a terminal that has colours, without NO_COLOR */
	gboolean wide;       /* names are not shortened, and lines are not folded */
	gboolean data;       /* JSON or CSV is printed: as it is */
	gboolean paged;      /* through a pager, which starts with the first output */
} TerminalOptions;

/* From now on stdout is printed so, until the process exits. Once per process. */
void terminal_begin(const TerminalOptions *options);

/* From now on stdout is printed as it is, for a shell; tables still fit. */
void terminal_leave(void);

/* Returns the columns that a line may have; 0: any number. */
guint terminal_width(void);

/* What a part of a text means. */
typedef enum {
	STYLE_HEADING,
	STYLE_GOOD,    /* complete, passed */
	STYLE_WARNING, /* of limited use, suspected */
	STYLE_BAD,     /* incomplete, failed, leaked */
} TerminalStyle;

/*
 * Returns what begins and what ends such a part, without any width: "" where there are no colours.
 * Not for values, which are copied, and only for stdout.
 */
const char *terminal_style(TerminalStyle style);
const char *terminal_style_end(void);

/* Prints an empty line, and @title as a heading on a line of its own. */
void terminal_print_heading(const char *title, FILE *out);

#endif
