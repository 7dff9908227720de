// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/seed.h"

#include <sys/random.h>

guint64 seed_words[SEED_WORDS];

/*
 * Runs before main(), and once: a table must not see two seeds. Without random numbers (in early
 * boot) it uses the time and an address.
 */
__attribute__((constructor)) static void set_seed(void)
{
	gboolean random = getrandom(seed_words, sizeof(seed_words), GRND_NONBLOCK) ==
			  (gssize)sizeof(seed_words);
	guint64 state = (guint64)g_get_monotonic_time() ^ (guint64)(guintptr)&state << 20;

	for (guint i = 0; i < SEED_WORDS; i++) {
		state = (state ^ state >> 29) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9) + i;
		if (!random)
			seed_words[i] = state;
		seed_words[i] |= 1; /* a factor of 0 would hash everything to 0 */
	}
}

guint seed_number(gconstpointer number)
{
	return (guint)seed_mix((guintptr)number, 0);
}

guint seed_int64(gconstpointer number)
{
	return (guint)seed_mix((guint64) * (const gint64 *)number, 0);
}

guint seed_text(gconstpointer text)
{
	const char *from = text;
	gsize len = strlen(from);
	guint64 hash = len;

	for (; len; from += MIN(len, sizeof(guint64)), len -= MIN(len, sizeof(guint64))) {
		guint64 word = 0;

		memcpy(&word, from, MIN(len, sizeof(word)));
		hash = seed_mix(hash ^ word, 0);
	}
	return (guint)hash;
}

gint64 *seed_key(gint64 number)
{
	gint64 *key = g_new(gint64, 1);

	*key = number;
	return key;
}
