// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/closest.h"

#include <string.h>

#define NAME_MAX_LEN 255 /* characters of a name that are compared */

/*
 * Dynamic programming with three rows: @now[j] is the distance of the current prefix of @a to @j
 * characters of @b.
 */
guint closest_distance(const char *a, const char *b)
{
	guint len_a = strlen(a), len_b = strlen(b);
	guint rows[3][NAME_MAX_LEN + 1];

	if (len_a > NAME_MAX_LEN || len_b > NAME_MAX_LEN)
		return G_MAXUINT;
	for (guint j = 0; j <= len_b; j++)
		rows[0][j] = j;
	for (guint i = 1; i <= len_a; i++) {
		guint *now = rows[i % 3], *before = rows[(i + 2) % 3], *swapped = rows[(i + 1) % 3];

		now[0] = i;
		for (guint j = 1; j <= len_b; j++) {
			guint changed = before[j - 1] + (a[i - 1] != b[j - 1]);

			now[j] = MIN(changed, MIN(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = MIN(now[j], swapped[j - 2] + 1);
		}
	}
	return rows[len_a % 3][len_b];
}

/* Returns G_MAXUINT if @name is not close. */
static guint score(const char *asked, const char *name)
{
	guint distance = closest_distance(asked, name);

	if (strstr(name, asked))
		return 0;
	return distance <= MAX(strlen(asked) / 3, 1) ? distance : G_MAXUINT;
}

void closest_look(Closest *closest, const char *name)
{
	guint this_score = score(closest->asked, name);

	if (this_score >= closest->score)
		return;
	g_free(closest->name);
	closest->name = g_strdup(name);
	closest->score = this_score;
}

void closest_clear(Closest *closest)
{
	g_clear_pointer(&closest->name, g_free);
}

char *closest_name(const char *asked, const char *const *names)
{
	Closest closest = CLOSEST(asked);

	for (; *names; names++)
		closest_look(&closest, *names);
	return closest.name;
}
