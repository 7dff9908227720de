/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downloads debug files from the debuginfod servers of the environment's DEBUGINFOD_URLS.
 */
#ifndef KMT_SYMBOLS_DEBUGINFOD_H
#define KMT_SYMBOLS_DEBUGINFOD_H

#include <glib.h>

/*
 * Returns whether DEBUGINFOD_URLS names any server. FALSE under sudo and the like: root would write
 * data from the caller's servers into folders of the caller's choice.
 */
gboolean debuginfod_is_set(void);

/*
 * Downloads the debug file of the build @id. Returns NULL if no server has it, there are no
 * servers, or libdebuginfod is missing; or if nothing arrived for DEBUGINFOD_TIMEOUT (90 s): then a
 * message is printed, and servers are not asked again. Rejects a file above 8 GiB. A signal that
 * ends this process first ends the request, which removes the unfinished file. For g_free().
 */
char *debuginfod_download(const char *id);

#endif
