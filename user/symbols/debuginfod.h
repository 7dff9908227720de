/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downloads debug files from the debuginfod servers of the environment's DEBUGINFOD_URLS.
 */
#ifndef KMT_SYMBOLS_DEBUGINFOD_H
#define KMT_SYMBOLS_DEBUGINFOD_H

#include <glib.h>

/* Whether DEBUGINFOD_URLS names any server. */
gboolean debuginfod_is_set(void);

/*
 * Asks the servers for the debug file of the build @id. NULL: they have none, or there are no
 * servers, or no libdebuginfod; or for as long as DEBUGINFOD_TIMEOUT (90 s) nothing came: then a
 * line says so, and they are not asked again. For g_free().
 */
char *debuginfod_download(const char *id);

#endif
