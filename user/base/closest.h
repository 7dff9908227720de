/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the name that the user probably meant.
 */
#ifndef KMT_BASE_CLOSEST_H
#define KMT_BASE_CLOSEST_H

#include <glib.h>

/*
 * How many letters must be inserted, removed, changed or swapped with their neighbour to make one
 * of @a and @b the other; G_MAXUINT for names of more than 255.
 */
guint closest_distance(const char *a, const char *b);

/*
 * Searches names one by one. A name that contains all of @asked is the closest; others are close if
 * a third of @asked's letters differ at most.
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

/* The closest of @names, which end with NULL, for g_free(); NULL if none is close. */
char *closest_name(const char *asked, const char *const *names);

#endif
