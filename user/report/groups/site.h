/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the name of a call site, a cache, a module, a process or a thread given by the user. */
#ifndef KMT_REPORT_GROUPS_SITE_H
#define KMT_REPORT_GROUPS_SITE_H

#include "store/store.h"

/*
 * Returns FALSE with an error if nothing was allocated by a function named @site; the error has the
 * most similar name, if any. @plain: names match without compiler suffixes.
 */
gboolean site_check(StoreDb *db, const char *site, gboolean plain, GError **error);

/*
 * Returns the ids of frames, as "[1,2]", whose functions are @site without compiler suffixes. For
 * g_free(). NULL with an error if the database can't be read.
 */
char *site_plain_frames(StoreDb *db, const char *site, GError **error);

/* The same for a cache in events or slabinfo. */
gboolean site_check_cache(StoreDb *db, const char *cache, GError **error);

/* The same for a module of call sites, or "kernel". */
gboolean site_check_module(StoreDb *db, const char *module, GError **error);

/* The same for a process or a thread: its name, its id, or "name-id". */
gboolean site_check_process(StoreDb *db, const char *process, GError **error);
gboolean site_check_thread(StoreDb *db, const char *thread, GError **error);

#endif
