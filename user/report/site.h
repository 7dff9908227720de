/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call site that somebody asks for by name.
 */
#ifndef KMT_REPORT_SITE_H
#define KMT_REPORT_SITE_H

#include "store/store.h"

/*
 * FALSE with an error if nothing was allocated by a function named @site; the error tells the name
 * that is most like it, if one is.
 */
gboolean site_check(StoreDb *db, const char *site, GError **error);

/*
 * How many letters must be put in, left out or changed to make one of @a and @b the other;
 * G_MAXUINT for names of more than 255.
 */
guint site_distance(const char *a, const char *b);

#endif
