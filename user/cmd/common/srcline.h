/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands that show source lines. (--lines is the number of rows.)
 */
#ifndef KMT_CMD_COMMON_SRCLINE_H
#define KMT_CMD_COMMON_SRCLINE_H

#include <glib.h>

#include "store/store.h"

typedef struct {
	gboolean wanted;       /* --srcline; implied by --vmlinux and --symfs */
	char *vmlinux, *symfs; /* NULL: not given */
} Srcline;

/* Entries for GOption that set @srcline, a Srcline. */
#define SRCLINE_ENTRIES(srcline)                                                                   \
	{ "srcline",                                                                               \
	  0,                                                                                       \
	  0,                                                                                       \
	  G_OPTION_ARG_NONE,                                                                       \
	  &(srcline).wanted,                                                                       \
	  "Show source lines and inlined functions in stacks, from debug files",                   \
	  NULL },                                                                                  \
		{ "vmlinux",                                                                       \
		  0,                                                                               \
		  0,                                                                               \
		  G_OPTION_ARG_FILENAME,                                                           \
		  &(srcline).vmlinux,                                                              \
		  "Like --srcline, with this debug file of the kernel",                            \
		  "FILE" },                                                                        \
	{                                                                                          \
		"symfs", 0, 0, G_OPTION_ARG_FILENAME, &(srcline).symfs,                            \
			"Like --srcline, with the debug files below DIR, laid out as below /",     \
			"DIR"                                                                      \
	}

void srcline_clear(Srcline *srcline);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Srcline, srcline_clear)

gboolean srcline_is_wanted(const Srcline *srcline);

/* Returns where to look for debug files; the texts are owned by @srcline. */
DebugPlaces srcline_places(const Srcline *srcline);

/* Adds source lines to the stacks of @db, if requested. FALSE with an error on failure. */
gboolean srcline_open(const Srcline *srcline, StoreDb *db, GError **error);

#endif
