// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/gfptext.h"

#define RECLAIM "__GFP_DIRECT_RECLAIM", "__GFP_KSWAPD_RECLAIM"
#define PARTS   8

/* Larger combinations first, see include/linux/gfp_types.h. Atomic was a separate bit up to 6.1. */
static const struct {
	const char *name;
	const char *bits[PARTS];
} combinations[] = {
	{ "GFP_HIGHUSER_MOVABLE",
	  { RECLAIM, "__GFP_IO", "__GFP_FS", "__GFP_HARDWALL", "__GFP_HIGHMEM", "__GFP_MOVABLE" } },
	{ "GFP_HIGHUSER", { RECLAIM, "__GFP_IO", "__GFP_FS", "__GFP_HARDWALL", "__GFP_HIGHMEM" } },
	{ "GFP_KERNEL_ACCOUNT", { RECLAIM, "__GFP_IO", "__GFP_FS", "__GFP_ACCOUNT" } },
	{ "GFP_USER", { RECLAIM, "__GFP_IO", "__GFP_FS", "__GFP_HARDWALL" } },
	{ "GFP_KERNEL", { RECLAIM, "__GFP_IO", "__GFP_FS" } },
	{ "GFP_NOFS", { RECLAIM, "__GFP_IO" } },
	{ "GFP_NOIO", { RECLAIM } },
	{ "GFP_ATOMIC", { "__GFP_HIGH", "__GFP_ATOMIC", "__GFP_KSWAPD_RECLAIM" } },
	{ "GFP_ATOMIC", { "__GFP_HIGH", "__GFP_KSWAPD_RECLAIM" } },
	{ "GFP_NOWAIT", { "__GFP_KSWAPD_RECLAIM" } },
};

static gboolean has_all(char **names, const char *const *bits)
{
	for (guint i = 0; i < PARTS && bits[i]; i++) {
		if (!g_strv_contains((const char *const *)names, bits[i]))
			return FALSE;
	}
	return TRUE;
}

static gboolean is_one_of(const char *const *bits, const char *name)
{
	for (guint i = 0; i < PARTS && bits[i]; i++) {
		if (g_str_equal(bits[i], name))
			return TRUE;
	}
	return FALSE;
}

char *gfptext_fold(const char *names)
{
	g_auto(GStrv) all = g_strsplit(names, "|", -1);
	GString *text = g_string_new(NULL);
	guint found = 0;

	while (found < G_N_ELEMENTS(combinations) && !has_all(all, combinations[found].bits))
		found++;
	if (found < G_N_ELEMENTS(combinations))
		g_string_append(text, combinations[found].name);
	for (guint i = 0; all[i]; i++) {
		if (found < G_N_ELEMENTS(combinations) &&
		    is_one_of(combinations[found].bits, all[i]))
			continue;
		g_string_append_printf(text, "%s%s", text->len ? "|" : "", all[i]);
	}
	return g_string_free(text, FALSE);
}
