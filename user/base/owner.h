/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose a file is that is made with sudo: it is given to the user who called sudo, as its mode lets
 * nobody but its owner read it.
 */
#ifndef KMT_BASE_OWNER_H
#define KMT_BASE_OWNER_H

#include <glib.h>

typedef struct {
	char *path;	/* NULL: there is nobody to give it to, or it is not ours to give */
} Owner;

/*
 * Before the file @path is created. If one is there already, it stays its owner's, unless
 * @replaces: a new one takes its place.
 */
void owner_begin(Owner *owner, const char *path, gboolean replaces);

/*
 * After it was closed: gives it to SUDO_UID and SUDO_GID. Only a regular file of root, under one
 * name, that begins with the @len bytes @magic is given away, so nobody gets another file by
 * putting it there. That the file could not be made, or can't be given, is no error. Frees what
 * @owner has: may be called twice.
 */
void owner_end(Owner *owner, const void *magic, gsize len);

/*
 * The same for a file that was just made and has no name yet that anybody waits for: no other one
 * can be taken for it.
 */
void owner_give(int fd);

#endif
