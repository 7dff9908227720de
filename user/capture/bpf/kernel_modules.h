/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's list of modules. /proc/modules has the total size of a module, not that of its code,
 * and the code of another module may follow right after it.
 */
#ifndef KMT_CAPTURE_BPF_KERNEL_MODULES_H
#define KMT_CAPTURE_BPF_KERNEL_MODULES_H

#include <glib.h>

#include "capture/bpf/kernel_memory.h"
#include "capture/bpf/symbols.h"

/* The address of the list, and the offsets of the fields of struct module in bytes. */
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

/* Finds the list. FALSE: it can't be found, and @modules is undefined. */
gboolean kernel_modules_find(KernelModules *modules, const BpfSymbols *symbols);

/*
 * Calls @func for each module that has code. If one is unloaded meanwhile, the data may be wrong.
 * FALSE: the list can't be read completely.
 */
gboolean kernel_modules_each(const KernelModules *modules, const KernelMemory *memory,
			     KernelModuleFunc func, gpointer data);

/* Returns the sizes of module code by base address, for g_hash_table_unref(); it may be empty. */
GHashTable *kernel_modules_sizes(const KernelMemory *memory, const BpfSymbols *symbols);

#endif
