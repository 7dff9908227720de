/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controls the tracer for top: sets it up and starts it as for a recording, reads its events live,
 * and leaves it off and empty.
 */
#ifndef KMT_TOP_LIVE_H
#define KMT_TOP_LIVE_H

#include "capture/tracer/settings.h"
#include "top/page.h"

typedef struct TopLive TopLive;

/*
 * Starts tracing. Fails with CAPTURE_ERROR_BUSY if the tracer is in use, or if it holds events that
 * were not collected, unless @discard. @settings and @selection are not changed, and must outlive
 * it.
 */
TopLive *top_live_start(const Settings *settings, const TopSelection *selection, gboolean discard,
			GError **error);

/* Ends tracing, from another thread, when something else of @live, a TopLive, is blocked. */
void top_live_abandon(gpointer live);

/* Ends tracing, empties the tracer, restores its sizes, and frees @live. */
void top_live_stop(TopLive *live); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TopLive, top_live_stop)

/* Adds the descriptors to wait for, as live_stream_poll(). */
void top_live_poll(const TopLive *live, GArray *fds);

/* Processes available events. To be called several times a second. */
gboolean top_live_pump(TopLive *live, GError **error);

/* Ends a round: adds all events up to now to the model. */
gboolean top_live_round(TopLive *live, GError **error);

const TopModel *top_live_model(const TopLive *live);

/* Returns the facts as of the last round. */
const TopFacts *top_live_facts(const TopLive *live);

/* Returns CLOCK_MONOTONIC in nanoseconds. */
guint64 top_live_now(void);

#endif
