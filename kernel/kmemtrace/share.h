/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits how much of a shared table each user may use, and all users except root together, so that
 * no user can fill it. Lock-free, from any context.
 */
#ifndef KMEMTRACE_SHARE_H
#define KMEMTRACE_SHARE_H

#include <linux/atomic.h>
#include <linux/types.h>

#define KMT_SHARE_USERS 64 /* further users share the last entry */

struct kmt_share {
	u32 uid;       /* 0: free, since root has no entry */
	atomic_t used; /* amount that the user has taken */
};

struct kmt_shares {      /* initially zeroed */
	atomic_t others; /* amount that all users except root have taken */
	struct kmt_share user[KMT_SHARE_USERS];
};

/* Adds @amount, and returns true, unless *@sum would exceed @limit, which is at most INT_MAX. */
bool kmt_share_add(atomic_t *sum, u32 amount, u32 limit);

/*
 * Returns the share of the current process's user; NULL: root, which has no limit. Processes in a
 * user namespace count for its owner.
 */
struct kmt_share *kmt_share_of_current(struct kmt_shares *shares);

/*
 * Takes @amount for @share, which may be NULL. Returns false, and takes nothing, if @share would
 * exceed @of_one, or all shares together @of_others.
 */
bool kmt_share_take(struct kmt_shares *shares, struct kmt_share *share, u32 amount, u32 of_one,
		    u32 of_others);

/* Releases @amount, which was taken. */
void kmt_share_give(struct kmt_shares *shares, struct kmt_share *share, u32 amount);

#endif /* KMEMTRACE_SHARE_H */
