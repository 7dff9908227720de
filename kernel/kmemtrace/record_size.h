/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of records, which are longer with user stacks.
 */
#ifndef KMEMTRACE_RECORD_SIZE_H
#define KMEMTRACE_RECORD_SIZE_H

#include <linux/jump_label.h>
#include <linux/kernel.h>

#include "kmemtrace_abi.h"

DECLARE_STATIC_KEY_FALSE(kmt_user_key);

/* Returns whether user stacks are recorded; changes only while there are no buffers. */
static __always_inline bool kmt_user_is_on(void)
{
	return static_branch_unlikely(&kmt_user_key);
}

/* Returns the bytes from one record to the next. */
static __always_inline size_t kmt_record_len(void)
{
	return kmt_user_is_on() ? sizeof(struct kmemtrace_record_user)
				: sizeof(struct kmemtrace_record);
}

/* Returns the record with its additional fields; only if user stacks are recorded. */
static __always_inline struct kmemtrace_record_user *
kmt_record_user(struct kmemtrace_record *record)
{
	return container_of(record, struct kmemtrace_record_user, record);
}

#endif /* KMEMTRACE_RECORD_SIZE_H */
