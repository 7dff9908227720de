/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build ids of the running kernel and its modules, in hexadecimal, to find and verify debug
 * files.
 */
#ifndef KMT_CAPTURE_TARGET_BUILDIDS_H
#define KMT_CAPTURE_TARGET_BUILDIDS_H

/* Returns NULL if there is none, or if its notes cannot be read. For g_free(). */
char *buildids_of_kernel(void);
char *buildids_of_module(const char *name);

#endif
