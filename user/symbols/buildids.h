/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build ids of the traced kernel and its modules, from the texts "build_ids" of a trace. A
 * module that was replaced while it was traced has several.
 */
#ifndef KMT_SYMBOLS_BUILDIDS_H
#define KMT_SYMBOLS_BUILDIDS_H

#include <glib.h>

#define BUILDID_KERNEL "vmlinux" /* the kernel itself; no module has this name */

typedef struct BuildIds BuildIds;

BuildIds *buildids_new(void);
void buildids_free(BuildIds *ids); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BuildIds, buildids_free)

/* Adds lines "name id". Returns how many were invalid. */
guint64 buildids_add_text(BuildIds *ids, const char *text);

/* Returns FALSE if @id is invalid: not an even number of hexadecimal digits, at most 128. */
gboolean buildids_add(BuildIds *ids, const char *name, const char *id);

/* Returns the ids, of char *, of module @name (NULL: the kernel). NULL if unknown. */
const GPtrArray *buildids_of(const BuildIds *ids, const char *name);

/* Calls @take for each id, in the order in which they were added. */
void buildids_each(const BuildIds *ids,
		   void (*take)(const char *name, const char *id, gpointer data), gpointer data);

#endif
