/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interns keys of one fixed size as small numbers: equal keys get the same number, new keys get 1,
 * 2, 3… in order of appearance. 0 is never used, so it can mean "none".
 *
 * Keys are compared as bytes, so padding in a struct must be zero.
 */
#ifndef KMT_ANALYSIS_CONTAINERS_INTERN_H
#define KMT_ANALYSIS_CONTAINERS_INTERN_H

#include <glib.h>

typedef struct Intern Intern;

/* @key_size: bytes of a key, a multiple of 8. Never NULL. */
Intern *intern_new(gsize key_size);
void intern_free(Intern *intern); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Intern, intern_free)

/*
 * Returns the number of @key, which is added if it is new. *@added (may be NULL): whether it was.
 */
guint32 intern_add(Intern *intern, gconstpointer key, gboolean *added);

/* Returns the number of @key, or 0 if it was never added. */
guint32 intern_find(const Intern *intern, gconstpointer key);

/* Returns the key with the number @id. Valid until the next intern_add(). */
gconstpointer intern_key(const Intern *intern, guint32 id);

/* Returns the number of keys, which is also the highest number. */
guint32 intern_count(const Intern *intern);

/*
 * Prefetches the slot of @key for intern_add(). Returns a number for intern_guess(): the key that
 * will probably be found, whose slot should be cached by then; 0: probably a new key.
 */
guint32 intern_prefetch(const Intern *intern, gconstpointer key);
guint32 intern_guess(const Intern *intern, guint32 number);

#endif
