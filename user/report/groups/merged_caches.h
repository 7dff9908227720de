/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches that the allocator merged: one of their names stands for the objects of all, and which one
 * it is depends on the order in which a kernel created them.
 */
#ifndef KMT_REPORT_GROUPS_MERGED_CACHES_H
#define KMT_REPORT_GROUPS_MERGED_CACHES_H

#include "store/store.h"

typedef struct MergedCaches MergedCaches;

MergedCaches *merged_caches_new(void);
void merged_caches_free(MergedCaches *caches); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MergedCaches, merged_caches_free)

/* Adds what a trace knows. FALSE with an error if the database can't be read. */
gboolean merged_caches_add(MergedCaches *caches, StoreDb *db, GError **error);

/* Returns the name itself, which lives as long as @caches, or NULL if no trace has this cache. */
const char *merged_caches_name(const MergedCaches *caches, const char *name);

/* Returns the same name for caches that are merged in one of the traces: one that events have. */
const char *merged_caches_first(const MergedCaches *caches, const char *name);

/*
 * Returns the names that events of these traces have for the objects of the cache @name: itself, or
 * several, as "key_jar, uid_cache", if they are merged in one of the traces. It lives until a trace
 * is added.
 */
const char *merged_caches_used(MergedCaches *caches, const char *name);

/*
 * Returns the set of names of caches that match one of @globs, of GPatternSpec, or are merged with
 * one that does. The caller unrefs it; the names live as long as @caches.
 */
GHashTable *merged_caches_find(const MergedCaches *caches, const GPtrArray *globs);

/*
 * Returns the ids, as "[1,2]", of caches in @db that are @name or merged with it in one of the
 * traces. For g_free(). NULL with an error if the database can't be read.
 */
char *merged_caches_ids(const MergedCaches *caches, StoreDb *db, const char *name, GError **error);

#endif
