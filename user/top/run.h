/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs top from start to end: round after round, on a terminal or in batch mode.
 */
#ifndef KMT_TOP_RUN_H
#define KMT_TOP_RUN_H

#include "capture/source/settings.h"
#include "top/page.h"

typedef struct {
	const Settings *settings;
	gboolean discard; /* drop what the tracer holds */
	gboolean batch;   /* print, without a terminal */
	gboolean json;    /* batch: a line for each round */
	guint rounds;     /* that are shown; 0: no limit */
	guint limit;      /* batch: rows; 0: all */
	TopLook look;
} TopOptions;

/*
 * Runs until it's told to end: by a key, a signal, or the last round. *@lost: events are missing.
 * Whatever happens, the tracer is off and empty afterwards, unless it could not be had.
 */
gboolean top_run(const TopOptions *options, gboolean *lost, GError **error);

#endif
