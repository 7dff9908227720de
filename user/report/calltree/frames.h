/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions and stacks of a trace for call trees: in arrays, and functions by name. */
#ifndef KMT_REPORT_CALLTREE_FRAMES_H
#define KMT_REPORT_CALLTREE_FRAMES_H

#include "report/groups/stackexpr.h"
#include "store/store.h"

/* Frames of trees that are not functions. */
enum {
	CALLNAMES_EVERYTHING,
	CALLNAMES_NO_STACK,
	CALLNAMES_UNKNOWN,
	CALLNAMES_NO_SUBSYSTEM,
	CALLNAMES_FIRST,
};

typedef struct CallFrames CallFrames;

/* A return address. */
typedef struct {
	guint32 frame;       /* in trees */
	guint32 function;    /* the frame of all addresses in the function */
	guint32 subsystem;   /* a frame; if unknown, that of its module */
	GArray *inlined;     /* of guint32: frames, the innermost function first; NULL: none */
	char *raw;           /* name as in the kernel */
	guint64 addr, start; /* its own, and the start of its function; 0: unknown */
} CallAddr;

/* The data of a frame besides its name. */
typedef struct {
	const char *file; /* NULL: unknown */
	guint line;       /* of the call; 0: unknown */
	gboolean inlined;
} CallPlace;

/* A node of the tree of stacks. */
typedef struct {
	guint32 parent; /* the node one call further out, with a lower number; 0: none */
	guint32 addr;
} CallStack;

/* NULL with an error if the database can't be read or is invalid. */
CallFrames *call_frames_read(StoreDb *db, GError **error);
void call_frames_free(CallFrames *names); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallFrames, call_frames_free)

/*
 * Resolves the addresses in @wanted (by number) with debug information: a frame is then a function
 * and the line of a call in it, and inlined functions are frames, too. Does nothing if @db has no
 * lines.
 */
void call_frames_add_lines(CallFrames *names, StoreDb *db, const gboolean *wanted);

/* The number of requested kernel functions without a known subsystem. */
guint32 call_frames_unknown_subsystems(const CallFrames *names);

/* Addresses and stacks, numbered from 1. NULL: none. */
const CallAddr *call_frames_addr(const CallFrames *names, gint64 addr);
const CallStack *call_frames_stack(const CallFrames *names, gint64 stack);
/* The highest numbers. */
guint32 call_frames_addrs(const CallFrames *names);
guint32 call_frames_stacks(const CallFrames *names);
guint32 call_frames_kernel_stacks(const CallFrames *names); /* user stacks follow */

/*
 * Returns the number of a stack with @user, a user stack by its number in the database, outside of
 * @stack; @stack itself if there is none.
 */
gint64 call_frames_join(CallFrames *names, gint64 stack, gint64 user);

/* Returns the frame of an address, or CALLNAMES_UNKNOWN. */
guint32 call_frames_frame(const CallFrames *names, gint64 addr);

guint32 call_frames_frames(const CallFrames *names); /* the highest number */
const char *call_frames_function(const CallFrames *names, guint32 frame);
const char *call_frames_module(const CallFrames *names, guint32 frame); /* NULL: the kernel */
const CallPlace *call_frames_place(const CallFrames *names, guint32 frame);
gboolean call_frames_is_allocator(const CallFrames *names, guint32 frame);

/* Returns the frame of the module of @frame. */
guint32 call_frames_module_frame(const CallFrames *names, guint32 frame);

/* Returns the names of @expr that match something in each stack, by stack. For g_free(). */
guint64 *call_frames_match(const CallFrames *names, const StackExpr *expr);

/*
 * Returns TRUE if the function at an address, with or without the compiler's suffix, matches
 * @pattern.
 */
gboolean call_frames_fits(const CallFrames *names, GPatternSpec *pattern, guint32 addr);

/* Returns TRUE if the name of the inlined function @frame matches the glob @pattern. */
gboolean call_frames_fits_inlined(const CallFrames *names, GPatternSpec *pattern, guint32 frame);

/* As call_frames_match(), for one address. */
guint64 call_frames_match_addr(const CallFrames *names, const StackExpr *expr, gint64 addr);

#endif
