// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cred.h>
#include <linux/user_namespace.h>

#include "share.h"
#include "subuids.h"

bool kmt_share_add(atomic_t *sum, u32 amount, u32 limit)
{
	int old = atomic_read(sum);

	do {
		if (amount > limit || old > (int)(limit - amount))
			return false;
	} while (!atomic_try_cmpxchg(sum, &old, old + amount));
	return true;
}

/*
 * Returns the uid that the current process counts for. In a user namespace that is the owner of the
 * outermost one below the initial one, unless root created it; for a subordinate uid, the user who
 * has it. The process's own credentials are used: overlayfs replaces the subjective ones by those
 * of the user who mounted it.
 */
static u32 kmt_share_uid(void)
{
	const struct cred *cred = current_real_cred();
	const struct user_namespace *user = cred->user_ns;
	u32 owner = 0;

	if (user != &init_user_ns) {
		while (user->parent != &init_user_ns)
			user = user->parent;
		owner = __kuid_val(user->owner);
	}
	return kmt_subuids_owner(owner ? owner : __kuid_val(cred->uid));
}

struct kmt_share *kmt_share_of_current(struct kmt_shares *shares)
{
	u32 uid = kmt_share_uid();
	unsigned int i;

	if (!uid)
		return NULL;
	for (i = 0; i < KMT_SHARE_USERS - 1; i++) {
		u32 found = READ_ONCE(shares->user[i].uid);

		if (!found)
			found = cmpxchg(&shares->user[i].uid, 0, uid);
		if (!found || found == uid)
			break;
	}
	return &shares->user[i];
}

bool kmt_share_take(struct kmt_shares *shares, struct kmt_share *share, u32 amount, u32 of_one,
		    u32 of_others)
{
	if (!share)
		return true;
	if (!kmt_share_add(&share->used, amount, of_one))
		return false;
	if (kmt_share_add(&shares->others, amount, of_others))
		return true;
	atomic_sub(amount, &share->used);
	return false;
}

void kmt_share_give(struct kmt_shares *shares, struct kmt_share *share, u32 amount)
{
	if (!share)
		return;
	atomic_sub(amount, &shares->others);
	atomic_sub(amount, &share->used);
}
