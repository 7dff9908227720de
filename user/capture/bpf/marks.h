/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of the BPF source. A program writes them, for this process and for others that ask for it.
 */
#ifndef KMT_CAPTURE_BPF_MARKS_H
#define KMT_CAPTURE_BPF_MARKS_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

typedef struct BpfMarks BpfMarks;

/*
 * @program: the descriptor of the program; like @mark, it must outlive the marks. @listens: also
 * accepts marks from other processes until bpf_marks_free(), through a socket if one can be made.
 */
BpfMarks *bpf_marks_new(int program, struct kmt_bpf_mark *mark, gboolean listens);
void bpf_marks_free(BpfMarks *marks); /* NULL is allowed */

/* Writes a mark of the thread @tid. Returns 0 or an errno, as the module's file "mark" does. */
int bpf_marks_put(BpfMarks *marks, const char *text, gsize len, guint32 tid);

#endif
