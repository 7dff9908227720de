/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protects the recorder from the OOM killer: many traces are recorded because a machine runs out of
 * memory, and the recorder must survive to the end.
 */
#ifndef KMT_CAPTURE_PROCESS_OOM_H
#define KMT_CAPTURE_PROCESS_OOM_H

/* Makes this process the last one to be killed for memory; does nothing if that is not allowed. */
void oom_protect(void);

/* Restores the previous value for this process; also in a child, which inherits it. */
void oom_release(void);

/* Removes all protection from this process, before it changes to another user. */
void oom_expose(void);

#endif
