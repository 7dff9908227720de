/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that libraries map instead of reading them: whoever shortens one meanwhile, or a disk that
 * fails, ends the process with SIGBUS.
 */
#ifndef KMT_BASE_TRUNCATED_H
#define KMT_BASE_TRUNCATED_H

/*
 * From now on the process ends in that case with one line on stderr and EXIT_FAILED, and leaves no
 * file that outfile_begin() has begun. A command that it runs has the default action of SIGBUS.
 */
void truncated_watch(void);

#endif
