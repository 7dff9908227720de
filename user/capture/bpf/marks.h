/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of the BPF source: a program writes them, for this process and for those that ask it to.
 */
#ifndef KMT_CAPTURE_BPF_MARKS_H
#define KMT_CAPTURE_BPF_MARKS_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

typedef struct BpfMarks BpfMarks;

/*
 * @program: the descriptor of the program; like @mark, it must outlive the marks. @listens: takes
 * marks from others, too, through a socket, until bpf_marks_free(), if there can be one.
 */
BpfMarks *bpf_marks_new(int program, struct kmt_bpf_mark *mark, gboolean listens);
void bpf_marks_free(BpfMarks *marks); /* NULL is allowed */

/* Writes a mark of the thread @tid. Returns 0 or an errno, as of the module's file "mark". */
int bpf_marks_put(BpfMarks *marks, const char *text, gsize len, guint32 tid);

#endif
