/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs top from start to end: round after round, on a terminal or in batch mode.
 */
#ifndef KMT_TOP_RUN_H
#define KMT_TOP_RUN_H

#include "capture/tracer/settings.h"
#include "top/page.h"

typedef struct {
	const Settings *settings;
	gboolean discard; /* discard the tracer's events */
	gboolean batch;   /* print, without a terminal */
	gboolean json;    /* batch: a line for each round */
	guint rounds;     /* number to show; 0: no limit */
	guint limit;      /* batch: rows; 0: all */
	TopLook look;
	TopSelection selection;
} TopOptions;

/*
 * Runs until a key, a signal, or the last round ends it. *@lost: events are missing. Afterwards the
 * tracer is off and empty, also on errors, unless it was in use before.
 */
gboolean top_run(const TopOptions *options, gboolean *lost, GError **error);

#endif
