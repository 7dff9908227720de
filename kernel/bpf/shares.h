/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits how much of a table each user may use, and all users except root together, so that no user
 * fills it for all. The module's share.c does the same.
 */
#ifndef KMEMTRACE_SHARES_H
#define KMEMTRACE_SHARES_H

#include "common.h"
#include "kernel_types.h"

#include <bpf/bpf_core_read.h>

#define KMT_NAMESPACE_LEVELS 33U /* the kernel has at most 32 below the initial one */

/* The body of a loop: goes up to the namespace just below the initial one. */
static long kmt_outer_namespace(__u32 i, const struct user_namespace **user)
{
	if (BPF_CORE_READ(*user, level) <= 1)
		return 1;
	*user = BPF_CORE_READ(*user, parent);
	return 0;
}

/* The body of a loop: replaces a subordinate uid by the user who has it. */
static long kmt_find_subuid(__u32 i, __u32 *uid)
{
	const volatile struct kmt_bpf_subuids *range = &config.subuids[i % KMEMTRACE_SUBUIDS_MAX];

	if (*uid < range->first || *uid > range->last)
		return 0;
	*uid = range->owner;
	return 1;
}

/*
 * Returns the uid that is charged for the current process. In a user namespace this is the owner of
 * the outermost one below the initial one, unless root created that; for a subordinate uid, the
 * user who has it.
 */
static __always_inline __u32 kmt_share_uid(void)
{
	const struct task_struct *task = (const struct task_struct *)bpf_get_current_task();
	const struct user_namespace *user = BPF_CORE_READ(task, real_cred, user_ns);
	__u32 owner = 0, uid;

	if (BPF_CORE_READ(user, level) > 0) {
		bpf_loop(KMT_NAMESPACE_LEVELS, kmt_outer_namespace, &user, 0);
		owner = BPF_CORE_READ(user, owner.val);
	}
	uid = owner ?: BPF_CORE_READ(task, real_cred, uid.val);
	bpf_loop(config.subuid_count, kmt_find_subuid, &uid, 0);
	return uid;
}

struct kmt_share_search {
	struct kmt_bpf_shares *shares;
	__u32 uid;
	__u32 found;
};

/* The body of a loop: looks for the share of a user, or for a free one. */
static long kmt_find_share(__u32 i, struct kmt_share_search *search)
{
	__u32 *uid = &search->shares->uid[i % KMT_BPF_SHARES], was = *(volatile __u32 *)uid;

	if (!was)
		was = __sync_val_compare_and_swap(uid, 0, search->uid);
	search->found = i;
	return !was || was == search->uid;
}

static __always_inline bool kmt_share_add(__u64 *sum, __u64 amount, __u64 limit)
{
	if (__sync_fetch_and_add(sum, amount) + amount <= limit)
		return true;
	__sync_fetch_and_sub(sum, amount);
	return false;
}

/*
 * Returns the size of a table. User stacks may use half of the table of stacks, and kernel stacks
 * what they leave.
 */
static __always_inline __u64 kmt_share_part(__u32 table)
{
	if (table == KMT_BPF_OF_FILES)
		return KMT_BPF_FILES;
	return config.user_stacks ? config.stack_words / 2 : config.stack_words;
}

/*
 * One user may use half of the stacks, or a quarter of the files; all users together leave a
 * quarter to root.
 */
static __always_inline bool kmt_pay_share(__u32 table, __u32 amount)
{
	struct kmt_share_search search = { .uid = kmt_share_uid() };
	__u64 part = kmt_share_part(table), *used;

	if (!search.uid)
		return true;
	search.shares = &state.shares[table];
	bpf_loop(KMT_BPF_SHARES, kmt_find_share, &search, 0);
	used = &search.shares->used[search.found % KMT_BPF_SHARES];
	if (!kmt_share_add(used, amount, table == KMT_BPF_OF_FILES ? part / 4 : part / 2))
		return false;
	if (kmt_share_add(&search.shares->others, amount, part / 4 * 3))
		return true;
	__sync_fetch_and_sub(used, amount);
	return false;
}

/* Charges the current process for words of a table, or files. Returns 0 if its share is used up. */
__noinline int kmt_pay(__u32 table, __u32 amount)
{
	if (table >= KMT_BPF_SHARED)
		return 0;
	if (!kmt_pay_share(table, amount))
		return 0;
	return table != KMT_BPF_OF_USER_STACKS ||
	       kmt_share_add(&state.shares[table].all, amount, kmt_share_part(table));
}

#endif /* KMEMTRACE_SHARES_H */
