/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of the BPF source, in the format of the module's views (Documentation/abi.rst). All are
 * for g_free().
 */
#ifndef KMT_CAPTURE_BPF_VIEWS_H
#define KMT_CAPTURE_BPF_VIEWS_H

#include "capture/bpf/pauses.h"
#include "capture/bpf/programs.h"
#include "capture/bpf/stream.h"

/* @linear_base: the start of the direct map. @pauses: NULL: there are none. */
char *bpf_view_abi(guint64 linear_base, gboolean user_stacks, const BpfPauses *pauses);

/* Both NULL if nothing is loaded. */
char *bpf_view_stats(const BpfPrograms *programs, const BpfRings *rings);
char *bpf_view_caches(const BpfMaps *maps);

/* For user stacks; empty without these. Both NULL if nothing is loaded. */
char *bpf_view_files(const BpfMaps *maps);
char *bpf_view_mms(const BpfPrograms *programs);

/* The threads that exist now. */
char *bpf_view_tasks(void);

/* Returns the name of a thread, for g_free(), or NULL. */
char *bpf_view_task_name(guint32 tid, guint32 tgid);

#endif
