/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds what prevents a trace on this machine.
 */
#ifndef KMT_CAPTURE_DOCTOR_DOCTOR_H
#define KMT_CAPTURE_DOCTOR_DOCTOR_H

#include "capture/doctor/finding.h"

/* A source of events, and the result of trying it. */
typedef struct {
	const char *name; /* "module", "bpf" */
	gboolean works;
	char *why; /* why it doesn't work, or which process uses it */
	char *unseen; /* events that it can't trace, "name, name: why; name: why"; NULL: none, or it was not tried */
} DoctorSource;

/* Examines @machine. Returns an array of Finding, by importance. For g_array_unref(). */
GArray *doctor_examine(const Machine *machine);

/*
 * Tries each source: traces all events for a moment, and discards them. A source that is in use, or
 * has events, is left alone. Returns an array of DoctorSource, in the order of preference; for
 * g_array_unref(). NULL: a signal arrived; the source is restored then, too.
 */
GArray *doctor_try_sources(GError **error);

/* Returns the first of @sources that works; NULL: none. */
const DoctorSource *doctor_chosen(const GArray *sources);

/*
 * Returns whether record uses another source than @source, which works, unless --source names it.
 */
gboolean doctor_must_ask(const DoctorSource *source);

/* Returns both as a JSON object. For g_free(). */
char *doctor_to_json(const GArray *sources, const GArray *findings);

#endif
