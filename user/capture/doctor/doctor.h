/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands between the user and a trace on this machine.
 */
#ifndef KMT_CAPTURE_DOCTOR_DOCTOR_H
#define KMT_CAPTURE_DOCTOR_DOCTOR_H

#include "capture/doctor/finding.h"

/* A source of events, which was tried. */
typedef struct {
	const char *name; /* "module", "bpf" */
	gboolean works;
	char *why; /* why it doesn't, or which process uses it */
	char *unseen; /* events that it can't trace, "name, name: why; name: why"; NULL: none, or it was not tried */
} DoctorSource;

/* Examines @machine: Finding's, in the order in which they matter. For g_array_unref(). */
GArray *doctor_examine(const Machine *machine);

/*
 * Tries each source: traces all events for a moment, and discards them. A source that is in use, or
 * has events, is left alone. DoctorSource's, in the order of preference; for g_array_unref(). NULL:
 * a signal came, after which the source is left as it was, too.
 */
GArray *doctor_try_sources(GError **error);

/* The first of @sources that works; NULL: none. */
const DoctorSource *doctor_chosen(const GArray *sources);

/* Whether record uses another source than @source, which works, unless --source names it. */
gboolean doctor_must_ask(const DoctorSource *source);

/* Both as a JSON object. For g_free(). */
char *doctor_to_json(const GArray *sources, const GArray *findings);

#endif
