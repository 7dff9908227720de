/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pauses of a session: tracing was disabled and enabled again without a reset. The stream has no
 * events of that time, and its reader must know.
 */
#ifndef KMEMTRACE_PAUSES_H
#define KMEMTRACE_PAUSES_H

struct seq_file;

/* The caller of these holds kmt_mutex. */
void kmt_pauses_reset(void); /* a session begins */
void kmt_pauses_begin(void); /* no record is written from now on */
void kmt_pauses_end(void);   /* records will be; no pause if none was before */

/*
 * A line "pauses COUNT TOTAL_NS", and "pause OFF_NS ON_NS" for each of the last ones; nothing if
 * there was none. Takes kmt_mutex.
 */
void kmt_pauses_show(struct seq_file *seq);

#endif /* KMEMTRACE_PAUSES_H */
