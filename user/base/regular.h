/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files by names that somebody else chose: a process, a trace, the user by mistake.
 */
#ifndef KMT_BASE_REGULAR_H
#define KMT_BASE_REGULAR_H

struct stat;

/*
 * Opens the regular file @path for reading, after looking what it is: to open a device may already
 * do something. Fills *@st (NULL: not wanted) also where it is none. Returns the descriptor, or −1
 * with errno; EISDIR for a directory, EINVAL for all else that is no regular file.
 */
int regular_open(const char *path, struct stat *st);

#endif
