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
 * Fills *@output with the options. @makes_files: the command creates several files by itself.
 * Returns FALSE, after a message, if they are invalid.
 */
gboolean destination_given(Output *output, gboolean makes_files);

#endif
