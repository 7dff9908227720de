/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for user stacks. An ELF file is opened when its first address is looked up, once for all
 * processes.
 */
#ifndef KMT_STORE_LOAD_USERNAMES_H
#define KMT_STORE_LOAD_USERNAMES_H

#include "analysis/spaces/address_spaces.h"

typedef struct UserNames UserNames;

UserNames *usernames_new(const AddressSpaces *spaces); /* @spaces must outlive it */
void usernames_free(UserNames *names);                 /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UserNames, usernames_free)

/* A position in a file, or an address in a process if the file is unknown. All bytes are set. */
typedef struct {
	guint64 place; /* file offset, or address */
	guint32 file;  /* 0: unknown */
	guint32 exact; /* 0: a return address */
} UserFrame;

/*
 * Finds the frames of the user stack @addrs, as the kernel part recorded it, at a time, innermost
 * first. Returns their number, which may be smaller than @depth: the stack ends before an address
 * that cannot be a return address, and unknown outer frames are left out. @frames has room for
 * @depth. The last address may be TRACE_STACK_CUT, and so may the last frame's place.
 */
guint usernames_frames(UserNames *names, SpaceMoment moment, guint64 time_ns, const guint64 *addrs,
		       guint depth, UserFrame *frames);

typedef struct {
	const char *function; /* NULL: unknown */
	const char *file;     /* path; NULL: unknown */
	guint64 offset;       /* in the function; else in the file; else the address itself */
} UserName;

UserName usernames_find(UserNames *names, const UserFrame *frame);

/* Returns "function+0x1f [libfoo.so]", "[libfoo.so]+0x1234", or "0x7f…", for g_free(). */
char *usernames_text(const UserName *name);

#endif
