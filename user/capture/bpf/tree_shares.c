// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/tree_shares.h"

#include "base/seed.h"

struct TreeShares {
	guint room;
	GHashTable *used; /* by uid, except root's */
	guint others;     /* the sum of these */
};

TreeShares *tree_shares_new(guint room)
{
	TreeShares *shares = g_new0(TreeShares, 1);

	shares->room = room;
	shares->used = g_hash_table_new(seed_number, NULL);
	return shares;
}

void tree_shares_free(TreeShares *shares)
{
	g_hash_table_unref(shares->used);
	g_free(shares);
}

static guint used_by(const TreeShares *shares, guint32 uid)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(shares->used, GUINT_TO_POINTER(uid)));
}

gboolean tree_shares_allow(const TreeShares *shares, guint32 uid)
{
	return !uid ||
	       (used_by(shares, uid) < shares->room / 2 && shares->others < shares->room / 4 * 3);
}

void tree_shares_add(TreeShares *shares, guint32 uid, guint count)
{
	if (!uid || !count)
		return;
	g_hash_table_insert(shares->used, GUINT_TO_POINTER(uid),
			    GUINT_TO_POINTER(used_by(shares, uid) + count));
	shares->others += count;
}

void tree_shares_clear(TreeShares *shares)
{
	g_hash_table_remove_all(shares->used);
	shares->others = 0;
}
