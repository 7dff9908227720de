/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output on a terminal: no line of text is wider. Reports and tables fit themselves into
 * terminal_width(), and shorten names; other lines are folded.
 */
#ifndef KMT_BASE_TERMINAL_H
#define KMT_BASE_TERMINAL_H

#include <glib.h>
#include <stdio.h>

typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } TerminalColor;

typedef struct {
	TerminalColor color; /* auto: on a terminal with colours, without NO_COLOR */
	gboolean wide;       /* do not shorten names or fold lines */
	gboolean data;       /* JSON or CSV: printed unchanged */
	gboolean paged;      /* through a pager, started with the first output */
} TerminalOptions;

/* Applies the options to stdout until the process exits. Once per process. */
void terminal_begin(const TerminalOptions *options);

/* Prints stdout unchanged from now on, for a shell; tables still fit. */
void terminal_leave(void);

/* Returns the columns of a line; 0: unlimited. */
guint terminal_width(void);

/* The meaning of a part of a text. */
typedef enum {
	STYLE_HEADING,
	STYLE_GOOD,    /* complete, passed */
	STYLE_WARNING, /* limited, suspected */
	STYLE_BAD,     /* incomplete, failed, leaked */
} TerminalStyle;

/*
 * Returns the escape sequences at the start and end of such a part, without any width; "" without
 * colours. Only for stdout, and not for values, which are copied.
 */
const char *terminal_style(TerminalStyle style);
const char *terminal_style_end(void);

/* Prints an empty line, and @title as a heading on a line of its own. */
void terminal_print_heading(const char *title, FILE *out);

#endif
