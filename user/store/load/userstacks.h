/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User stacks as a tree. The same addresses are different functions in each process, and in one
 * process at different times. Private to the store.
 */
#ifndef KMT_STORE_LOAD_USERSTACKS_H
#define KMT_STORE_LOAD_USERSTACKS_H

#include "analysis/spaces/address_spaces.h"
#include "store/schema/db.h"
#include "trace/event/event.h"

typedef struct UserStacks UserStacks;

UserStacks *userstacks_new(const AddressSpaces *spaces); /* @spaces must outlive it */
void userstacks_free(UserStacks *stacks);                /* NULL is allowed */

/* Adds the kernel's stack @id: @addrs, innermost first. */
void userstacks_add(UserStacks *stacks, guint32 id, const guint64 *addrs, guint depth);

/* Returns the number of an event's user stack; 0: none, or no room. See stacktree_is_full(). */
guint32 userstacks_of(UserStacks *stacks, const struct trace_event *event);

/*
 * Names the requested stacks, and writes the tables user_frame and user_stack, and into meta
 * "user_stacks", the number of requests, "user_stacks_unplaced", the number of those with only
 * addresses, "user_stacks_left_out", the number of those that had no room, and
 * "user_frames_unnamed", the number of frames whose names had none.
 */
void userstacks_write(const UserStacks *stacks, Db *db);

#endif
