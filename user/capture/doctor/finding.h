/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What doctor found out about this machine, and the places where it looks.
 */
#ifndef KMT_CAPTURE_DOCTOR_FINDING_H
#define KMT_CAPTURE_DOCTOR_FINDING_H

#include <glib.h>

typedef enum {
	FINDING_FINE,
	FINDING_NOTE,  /* a trace is possible, but lacks something, or needs another source */
	FINDING_WRONG, /* it may keep every source from tracing */
} FindingLevel;

typedef struct {
	const char *topic; /* "debugfs" */
	FindingLevel level;
	char *text;
	char *command; /* that mends it; NULL: there is none */
} Finding;

/* The machine that is examined. */
typedef struct {
	const char *root;     /* the folder of its files: "" for this one */
	const char *release;  /* of its kernel: "6.12.9" */
	const char *hardware; /* "x86_64" */
} Machine;

/* "ok", "note" or "wrong". */
const char *finding_level_name(FindingLevel level);

/* Finding's, for g_array_unref(). */
GArray *findings_new(void);

/* Adds one. @text and @command, which may be NULL, are taken. */
void findings_add(GArray *findings, const char *topic, FindingLevel level, char *text,
		  char *command);

/*
 * The contents of @path below the machine's root, without line breaks at the end; for g_free().
 * NULL: it can't be read.
 */
char *machine_read(const Machine *machine, const char *path);

/* Whether @path is there. @path is a printf() format. */
gboolean machine_has(const Machine *machine, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
