/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's list of modules. /proc/modules has the size of all that a module needs, not of its
 * code alone, behind which that of another module may be.
 */
#ifndef KMT_CAPTURE_BPF_KERNEL_MODULES_H
#define KMT_CAPTURE_BPF_KERNEL_MODULES_H

#include <glib.h>

#include "capture/bpf/kernel_memory.h"
#include "capture/bpf/symbols.h"

struct btf;

/* Where the list is, and where the fields of struct module are, in bytes. */
typedef struct {
	guint64 list;
	guint link, base, size;
} KernelModules;

typedef struct {
	guint64 at;   /* of its struct module */
	guint64 base; /* of its code */
	guint32 size; /* bytes of code */
} KernelModule;

typedef void (*KernelModuleFunc)(const KernelModule *module, gpointer data);

/* FALSE: it can't be found, and @modules is undefined. */
gboolean kernel_modules_find(KernelModules *modules, const BpfSymbols *symbols,
			     const struct btf *btf);

/*
 * Calls @func for each module that has code. If one is unloaded meanwhile, what is read may be
 * wrong. FALSE: the list can't be read, or not to its end.
 */
gboolean kernel_modules_each(const KernelModules *modules, const KernelMemory *memory,
			     KernelModuleFunc func, gpointer data);

/* Returns the sizes of their code by its base, for g_hash_table_unref(); it may be empty. */
GHashTable *kernel_modules_sizes(const KernelMemory *memory, const BpfSymbols *symbols,
				 const struct btf *btf);

#endif
