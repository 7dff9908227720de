/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal: shows a page and reads keys. It knows nothing of the contents.
 */
#ifndef KMT_TOP_SCREEN_H
#define KMT_TOP_SCREEN_H

#include <glib.h>

/* Whether there is a terminal, and one that is known. */
gboolean screen_check(GError **error);

gboolean screen_open(GError **error);
void screen_close(void); /* the terminal is as it was */

void screen_size(guint *width, guint *height);

/* Shows lines (char *), of which the one of number @titles is the columns' names. */
void screen_show(const GPtrArray *lines, guint titles);

/* The next key that waits, as top_look_key() has them; 0: none. A new size is one, too. */
int screen_key(void);

#endif
