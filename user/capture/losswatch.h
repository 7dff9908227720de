/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells on stderr that events are being lost, while something can still be done about it: at once
 * the first time, then from time to time.
 */
#ifndef KMT_CAPTURE_LOSSWATCH_H
#define KMT_CAPTURE_LOSSWATCH_H

#include "capture/stats.h"

typedef struct LossWatch LossWatch;

/* What is lost by now is not told. NULL: the counters can't be read. */
LossWatch *losswatch_new(const Control *control);
void losswatch_free(LossWatch *watch);

void losswatch_look(LossWatch *watch, const Control *control);

#endif
