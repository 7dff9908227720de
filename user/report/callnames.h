/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions and stacks of a trace as call trees need them: in arrays, and functions by name.
 */
#ifndef KMT_REPORT_CALLNAMES_H
#define KMT_REPORT_CALLNAMES_H

#include "report/stackexpr.h"
#include "store/store.h"

/* Frames of trees that are no function. */
enum { CALLNAMES_EVERYTHING, CALLNAMES_NO_STACK, CALLNAMES_UNKNOWN, CALLNAMES_FIRST };

typedef struct CallNames CallNames;

/* A return address. */
typedef struct {
	guint32 frame;		/* of trees */
	char *raw;		/* the name as the kernel has it */
} CallAddr;

/* A node of the tree of stacks. */
typedef struct {
	guint32 parent;		/* a node one call further out, of a lower number; 0: none */
	guint32 addr;
} CallStack;

/* NULL with an error if the database can't be read or makes no sense. */
CallNames *callnames_read(StoreDb *db, GError **error);
void callnames_free(CallNames *names);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallNames, callnames_free)

/* Addresses and stacks, whose numbers begin with 1: NULL if there is none. */
const CallAddr *callnames_addr(const CallNames *names, gint64 addr);
const CallStack *callnames_stack(const CallNames *names, gint64 stack);
/* The highest numbers. */
guint32 callnames_addrs(const CallNames *names);
guint32 callnames_stacks(const CallNames *names);

/* The frame of an address, or CALLNAMES_UNKNOWN. */
guint32 callnames_frame(const CallNames *names, gint64 addr);

guint32 callnames_frames(const CallNames *names);	/* the highest number */
const char *callnames_function(const CallNames *names, guint32 frame);
const char *callnames_module(const CallNames *names, guint32 frame);	/* NULL: the kernel */
gboolean callnames_is_allocator(const CallNames *names, guint32 frame);

/* The frame that stands for the module of @frame. */
guint32 callnames_module_frame(const CallNames *names, guint32 frame);

/* The names of @expr that fit something of each stack, by stack. For g_free(). */
guint64 *callnames_match(const CallNames *names, const StackExpr *expr);

/* The same of one address. */
guint64 callnames_match_addr(const CallNames *names, const StackExpr *expr, gint64 addr);

#endif
