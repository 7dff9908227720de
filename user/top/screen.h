/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal: shows a page and reads keys, whatever the contents.
 */
#ifndef KMT_TOP_SCREEN_H
#define KMT_TOP_SCREEN_H

#include <glib.h>

/*
 * Returns FALSE with an error if there is no terminal, or it is of an unknown or unsuitable type.
 */
gboolean screen_check(GError **error);

gboolean screen_open(GError **error);
void screen_close(void); /* restores the terminal */

void screen_size(guint *width, guint *height);

/* Shows lines (char *); line @titles has the column names. */
void screen_show(const GPtrArray *lines, guint titles);

/* Returns the next key, as for top_look_key(); 0: none. A change of the size counts as a key. */
int screen_key(void);

#endif
