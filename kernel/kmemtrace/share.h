/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of a table that processes of all users fill: one user may take a part of it, and all users
 * but root another, so that nobody takes the room of the others. It takes no lock.
 */
#ifndef KMEMTRACE_SHARE_H
#define KMEMTRACE_SHARE_H

#include <linux/atomic.h>
#include <linux/types.h>

#define KMT_SHARE_USERS 64 /* those beyond share the last place */

struct kmt_share {
	u32 uid; /* 0, which is root's: free */
	atomic_t used;
};

struct kmt_shares {      /* zeroed: nobody has taken anything */
	atomic_t others; /* what all users but root have taken */
	struct kmt_share user[KMT_SHARE_USERS];
};

/* Adds @amount unless the sum would be above @limit, at most INT_MAX. FALSE: nothing was added. */
bool kmt_share_add(atomic_t *sum, u32 amount, u32 limit);

/*
 * The share of who is behind the current process; NULL: root, who has no limit. A user namespace
 * counts for the user who made it.
 */
struct kmt_share *kmt_share_of_current(struct kmt_shares *shares);

/* False: @share would be above @of_one, or all of them above @of_others; nothing is taken. */
bool kmt_share_take(struct kmt_shares *shares, struct kmt_share *share, u32 amount, u32 of_one,
		    u32 of_others);

/* Gives back what was taken. */
void kmt_share_give(struct kmt_shares *shares, struct kmt_share *share, u32 amount);

#endif /* KMEMTRACE_SHARE_H */
