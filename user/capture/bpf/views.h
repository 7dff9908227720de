/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of the BPF source, as the views of the module have them (Documentation/abi.rst). All
 * are for g_free().
 */
#ifndef KMT_CAPTURE_BPF_VIEWS_H
#define KMT_CAPTURE_BPF_VIEWS_H

#include "capture/bpf/pauses.h"
#include "capture/bpf/programs.h"
#include "capture/bpf/stream.h"

/* @linear_base: the address of the first byte of memory. @pauses: NULL: there are none. */
char *bpf_view_abi(guint64 linear_base, gboolean user_stacks, const BpfPauses *pauses);

/* Both NULL if nothing is loaded. */
char *bpf_view_stats(const BpfPrograms *programs, const BpfRings *rings);
char *bpf_view_caches(const BpfMaps *maps);

/* Of user stacks; empty without. Both NULL if nothing is loaded. */
char *bpf_view_files(const BpfMaps *maps);
char *bpf_view_mms(const BpfPrograms *programs);

/* The threads that live now. */
char *bpf_view_tasks(void);

/* Returns the name of a thread, for g_free(), or NULL. */
char *bpf_view_task_name(guint32 tid, guint32 tgid);

/*
 * The modules that are loaded now, as lines of the view "modules". @sizes: what is known of them;
 * NULL: nothing.
 */
char *bpf_view_modules_now(GHashTable *sizes);

/*
 * Notes for these views how the modules of @now differ from those that are known: nobody saw them
 * come and go from @off_ns to @on_ns. @before: the same of when tracing began.
 */
void bpf_view_note_modules(const BpfMaps *maps, const char *before, const char *now, guint64 off_ns,
			   guint64 on_ns);

/* @before: the same of when tracing began. */
char *bpf_view_modules(const BpfMaps *maps, const char *before);
char *bpf_view_module_functions(const BpfMaps *maps);

#endif
