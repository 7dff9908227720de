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

/*
 * The modules that are loaded now, as lines of the view "modules". @sizes: the known sizes of their
 * code; NULL: none.
 */
char *bpf_view_modules_now(GHashTable *sizes);

/*
 * Notes for these views how the modules of @now differ from the known ones. Changes from @off_ns to
 * @on_ns were not seen. @before: the modules when tracing began.
 */
void bpf_view_note_modules(const BpfMaps *maps, const char *before, const char *now, guint64 off_ns,
			   guint64 on_ns);

/* A line of the view "paths" if the view "modules" lacks some; else "". */
const char *bpf_view_modules_path(const BpfPrograms *programs);

/* @before: the modules when tracing began. */
char *bpf_view_modules(const BpfMaps *maps, const char *before);
char *bpf_view_module_functions(const BpfMaps *maps);

#endif
