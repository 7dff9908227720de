/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subordinate uids, as in /etc/subuid (subuid(5)): ranges that a user may map in a user namespace.
 * A program that is set-uid to one of them runs with it outside of the namespace, too.
 */
#ifndef KMT_BASE_SUBUIDS_H
#define KMT_BASE_SUBUIDS_H

#include <glib.h>

typedef struct {
	guint32 first, last; /* of the uids */
	guint32 owner;       /* the user's uid; the first one, if the user is unknown */
} SubuidRange;

/*
 * Reads the ranges of all users but root, sorted, from the file subuid in @folder, "/etc". Names of
 * users are looked up in its file passwd: a name service may block. Lines that are not valid are
 * left out. Returns an array of SubuidRange for g_array_unref(), empty if there is no file.
 */
GArray *subuids_read(const char *folder);

/* Returns the user whose subordinate uid @uid is, or @uid. */
guint32 subuids_owner(const GArray *ranges, guint32 uid);

/*
 * Returns at most @most lines "FIRST LAST OWNER" for the tracer, for g_free(). If there are more
 * ranges, the last line joins the rest, as if one user had them.
 */
char *subuids_to_text(const GArray *ranges, guint most);

/* Returns the ranges of such lines, for g_array_unref(); NULL: they are not valid. */
GArray *subuids_from_text(const char *text);

#endif
