/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the name that the user probably meant.
 */
#ifndef KMT_BASE_CLOSEST_H
#define KMT_BASE_CLOSEST_H

#include <glib.h>

/*
 * Returns the edit distance: characters that must be inserted, removed, replaced, or swapped with
 * their neighbour to turn @a into @b; G_MAXUINT for names of more than 255.
 */
guint closest_distance(const char *a, const char *b);

/*
 * Searches names one by one. A name that contains all of @asked is the closest; others are close if
 * at most a third of @asked's characters differ.
 */
typedef struct {
	const char *asked;
	char *name; /* the closest so far; NULL: none is close */
	guint score;
} Closest;

#define CLOSEST(text)                                                                              \
	{                                                                                          \
		.asked = (text), .score = G_MAXUINT                                                \
	}

void closest_look(Closest *closest, const char *name);
void closest_clear(Closest *closest);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Closest, closest_clear)

/* Returns the closest of @names, which end with NULL, for g_free(); NULL if none is close. */
char *closest_name(const char *asked, const char *const *names);

#endif
