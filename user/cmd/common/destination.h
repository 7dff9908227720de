/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options for the destination of a trace.
 */
#ifndef KMT_CMD_COMMON_DESTINATION_H
#define KMT_CMD_COMMON_DESTINATION_H

#include <glib.h>

#include "capture/recording/output.h"

/* -o and -z. */
extern const GOptionEntry destination_entries[];

/* --to, --rotate and --keep, for commands that record. */
extern const GOptionEntry destination_parts_entries[];

/*
 * What was given. @makes_files: the command makes several by itself. FALSE, after saying why, if it
 * is wrong.
 */
gboolean destination_given(Output *output, gboolean makes_files);

#endif
