/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits how much of the tree of stacks each user may fill, and all users except root together, as
 * kernel/bpf/shares.h does for the table of stacks. If stacks of one user filled the tree, all
 * others would have to be unwound.
 */
#ifndef KMT_CAPTURE_BPF_TREE_SHARES_H
#define KMT_CAPTURE_BPF_TREE_SHARES_H

#include <glib.h>

typedef struct TreeShares TreeShares;

/* @room: what all may fill together. For tree_shares_free(). */
TreeShares *tree_shares_new(guint room);
void tree_shares_free(TreeShares *shares);

/* Returns whether @uid has any of its share left. */
gboolean tree_shares_allow(const TreeShares *shares, guint32 uid);

/* Charges @uid for @count more, which may exceed what was left. */
void tree_shares_add(TreeShares *shares, guint32 uid, guint count);

/* Resets all shares. */
void tree_shares_clear(TreeShares *shares);

#endif
