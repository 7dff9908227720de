/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands that show source lines. (--lines is the number of rows.)
 */
#ifndef KMT_CMD_COMMON_SRCLINE_H
#define KMT_CMD_COMMON_SRCLINE_H

#include <glib.h>

#include "store/store.h"

typedef struct {
	gboolean wanted;       /* --srcline; --vmlinux and --symfs mean it too */
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

/* Where to look for debug files; the texts are those of @srcline. */
DebugPlaces srcline_places(const Srcline *srcline);

/* From now on stacks of @db have lines, if they are wanted. FALSE with an error if they can't. */
gboolean srcline_open(const Srcline *srcline, StoreDb *db, GError **error);

#endif
