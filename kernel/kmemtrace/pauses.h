/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pauses of a session: tracing was disabled, and enabled again without a reset. Readers must know
 * that events are missing for that time.
 */
#ifndef KMEMTRACE_PAUSES_H
#define KMEMTRACE_PAUSES_H

struct seq_file;

/* Under kmt_mutex. */
void kmt_pauses_reset(void); /* a session begins */
void kmt_pauses_begin(void); /* writing ends */
void kmt_pauses_end(void);   /* writing begins; ends the pause, if there is one */

/*
 * Writes a line "pauses COUNT TOTAL_NS", and "pause OFF_NS ON_NS" for each of the last pauses;
 * nothing if there was none. Takes kmt_mutex.
 */
void kmt_pauses_show(struct seq_file *seq);

#endif /* KMEMTRACE_PAUSES_H */
