/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The findings of doctor about this machine, and access to the files that it examines.
 */
#ifndef KMT_CAPTURE_DOCTOR_FINDING_H
#define KMT_CAPTURE_DOCTOR_FINDING_H

#include <glib.h>

typedef enum {
	FINDING_FINE,
	FINDING_NOTE,  /* a trace is possible, but lacks something, or needs another source */
	FINDING_WRONG, /* it may prevent every source from tracing */
} FindingLevel;

typedef struct {
	const char *topic; /* "debugfs" */
	FindingLevel level;
	char *text;
	char *command; /* that fixes it; NULL: none */
} Finding;

/* The examined machine. */
typedef struct {
	const char *root;     /* folder of its files; "": this machine */
	const char *release;  /* of its kernel: "6.12.9" */
	const char *hardware; /* "x86_64" */
} Machine;

/* Returns "ok", "note" or "wrong". */
const char *finding_level_name(FindingLevel level);

/* Returns an empty array of Finding, for g_array_unref(). */
GArray *findings_new(void);

/* Adds a finding. Takes over @text and @command, which may be NULL. */
void findings_add(GArray *findings, const char *topic, FindingLevel level, char *text,
		  char *command);

/*
 * Returns the contents of @path below the machine's root, without line breaks at the end; for
 * g_free(). NULL: it can't be read.
 */
char *machine_read(const Machine *machine, const char *path);

/* Returns whether the path @format, a printf() format, exists. */
gboolean machine_has(const Machine *machine, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
