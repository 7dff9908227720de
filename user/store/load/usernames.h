/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for user stacks. An ELF file is opened when its first address is looked up, and once for
 * all processes.
 */
#ifndef KMT_STORE_LOAD_USERNAMES_H
#define KMT_STORE_LOAD_USERNAMES_H

#include "analysis/spaces/address_spaces.h"

typedef struct UserNames UserNames;

UserNames *usernames_new(const AddressSpaces *spaces); /* @spaces must outlive it */
void usernames_free(UserNames *names);                 /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UserNames, usernames_free)

/* A place in a file; or an address in a process, where no file is known. No byte is left unset. */
typedef struct {
	guint64 place; /* offset, or address */
	guint32 file;  /* 0: not known */
	guint32 exact; /* 0: it's a return address */
} UserFrame;

/*
 * The frames of the user stack @addrs, as the kernel part gave it, at a time, innermost first;
 * returns how many. There may be fewer than addresses: it ends in front of one that can be no
 * return address, and what nothing is known of is left out at its outer end. @frames has room for
 * @depth. The last address may be TRACE_STACK_CUT, and so the last frame's place.
 */
guint usernames_frames(UserNames *names, SpaceMoment moment, guint64 time_ns, const guint64 *addrs,
		       guint depth, UserFrame *frames);

typedef struct {
	const char *function; /* NULL: not known */
	const char *file;     /* path; NULL: not known */
	guint64 offset;       /* in the function; else in the file; else the address itself */
} UserName;

UserName usernames_find(UserNames *names, const UserFrame *frame);

/* "function+0x1f [libfoo.so]", "[libfoo.so]+0x1234", "0x7f…"; for g_free(). */
char *usernames_text(const UserName *name);

#endif
