/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values in a /proc/PID/status. */
#ifndef KMT_BASE_PROCSTATUS_H
#define KMT_BASE_PROCSTATUS_H

/*
 * Returns the text of the line "NAME:\t" in @status up to a blank, for g_free(); NULL: there is
 * none. The kernel escapes line breaks in the name of the process.
 */
char *procstatus_value(const char *status, const char *name);

#endif
