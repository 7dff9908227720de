/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views "modules" and "module_functions" of the BPF source, from the list that the programs
 * keep. All texts are for g_free().
 */
#ifndef KMT_CAPTURE_BPF_MODULE_VIEWS_H
#define KMT_CAPTURE_BPF_MODULE_VIEWS_H

#include "capture/bpf/programs.h"

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
