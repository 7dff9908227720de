/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions and stacks of a trace as call trees need them: in arrays, and functions by name.
 */
#ifndef KMT_REPORT_CALLNAMES_H
#define KMT_REPORT_CALLNAMES_H

#include "report/stackexpr.h"
#include "store/store.h"

/* Frames of trees that are no function. */
enum {
	CALLNAMES_EVERYTHING, CALLNAMES_NO_STACK, CALLNAMES_UNKNOWN, CALLNAMES_NO_SUBSYSTEM,
	CALLNAMES_FIRST,
};

typedef struct CallNames CallNames;

/* A return address. */
typedef struct {
	guint32 frame;		/* of trees */
	guint32 function;	/* the frame of all addresses in the function */
	guint32 subsystem;	/* a frame; that of its module, if that is not known */
	GArray *inlined;	/* of guint32: frames, the innermost function first; NULL: none */
	char *raw;		/* the name as the kernel has it */
	guint64 addr, start;	/* itself, and where its function begins; 0: not known */
} CallAddr;

/* What a frame has besides its name. */
typedef struct {
	char *file;		/* NULL: not known */
	guint line;		/* in it, of the call; 0: not known */
	gboolean inlined;
} CallPlace;

/* A node of the tree of stacks. */
typedef struct {
	guint32 parent;		/* a node one call further out, of a lower number; 0: none */
	guint32 addr;
} CallStack;

/* NULL with an error if the database can't be read or makes no sense. */
CallNames *callnames_read(StoreDb *db, GError **error);
void callnames_free(CallNames *names);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallNames, callnames_free)

/*
 * Gives the addresses that are @wanted (by number) what debug information tells: a frame is then of
 * a function and the line of a call in it, and inlined functions are frames, too. Nothing, if @db
 * has no lines.
 */
void callnames_add_lines(CallNames *names, StoreDb *db, const gboolean *wanted);

/* So many of the kernel's functions that were wanted are of no known subsystem. */
guint32 callnames_unknown_subsystems(const CallNames *names);

/* Addresses and stacks, whose numbers begin with 1: NULL if there is none. */
const CallAddr *callnames_addr(const CallNames *names, gint64 addr);
const CallStack *callnames_stack(const CallNames *names, gint64 stack);
/* The highest numbers. */
guint32 callnames_addrs(const CallNames *names);
guint32 callnames_stacks(const CallNames *names);
guint32 callnames_kernel_stacks(const CallNames *names);	/* before those of programs */

/*
 * The number of a stack that has @user, a program's stack as the database numbers it, outside of
 * @stack; @stack itself if there is no such one.
 */
gint64 callnames_join(CallNames *names, gint64 stack, gint64 user);

/* The frame of an address, or CALLNAMES_UNKNOWN. */
guint32 callnames_frame(const CallNames *names, gint64 addr);

guint32 callnames_frames(const CallNames *names);	/* the highest number */
const char *callnames_function(const CallNames *names, guint32 frame);
const char *callnames_module(const CallNames *names, guint32 frame);	/* NULL: the kernel */
const CallPlace *callnames_place(const CallNames *names, guint32 frame);
gboolean callnames_is_allocator(const CallNames *names, guint32 frame);

/* The frame that stands for the module of @frame. */
guint32 callnames_module_frame(const CallNames *names, guint32 frame);

/* The names of @expr that fit something of each stack, by stack. For g_free(). */
guint64 *callnames_match(const CallNames *names, const StackExpr *expr);

/* TRUE if the name of the inlined function @frame fits the glob @pattern. */
gboolean callnames_fits_inlined(const CallNames *names, GPatternSpec *pattern, guint32 frame);

/* The same as callnames_match() of one address. */
guint64 callnames_match_addr(const CallNames *names, const StackExpr *expr, gint64 addr);

#endif
