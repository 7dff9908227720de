/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports losses on stderr while there is still time to react: the first one immediately, later
 * ones from time to time.
 */
#ifndef KMT_CAPTURE_RECORDING_LOSS_MONITOR_H
#define KMT_CAPTURE_RECORDING_LOSS_MONITOR_H

#include "capture/tracer/stats.h"

typedef struct LossMonitor LossMonitor;

/* Earlier losses are not reported. Returns NULL if the counters cannot be read. */
LossMonitor *loss_monitor_new(const Control *control);
void loss_monitor_free(LossMonitor *watch);

void loss_monitor_look(LossMonitor *watch, const Control *control);

#endif
