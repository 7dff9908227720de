/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downloads debug files from the debuginfod servers of the environment's DEBUGINFOD_URLS.
 */
#ifndef KMT_SYMBOLS_DEBUGINFOD_H
#define KMT_SYMBOLS_DEBUGINFOD_H

#include <glib.h>

/*
 * Whether DEBUGINFOD_URLS names any server. Under sudo and the like none is asked: root would write
 * what the caller's servers send into folders of the caller's choice.
 */
gboolean debuginfod_is_set(void);

/*
 * Asks the servers for the debug file of the build @id. NULL: they have none, or there are no
 * servers, or no libdebuginfod; or for as long as DEBUGINFOD_TIMEOUT (90 s) nothing came: then a
 * line says so, and they are not asked again. A file above 8 GiB is not taken. A signal that ends
 * this process does so once the request has ended, which removes what came of it. For g_free().
 */
char *debuginfod_download(const char *id);

#endif
