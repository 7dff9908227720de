/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of the running kernel's functions and variables, as far as kallsyms shows them.
 */
#ifndef KMT_CAPTURE_BPF_SYMBOLS_H
#define KMT_CAPTURE_BPF_SYMBOLS_H

#include <glib.h>

typedef struct BpfSymbols BpfSymbols;

/* For bpf_symbols_free(). */
BpfSymbols *bpf_symbols_read(void);
void bpf_symbols_free(BpfSymbols *symbols); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfSymbols, bpf_symbols_free)

/* Returns an address; 0: unknown. */
guint64 bpf_symbols_find(const BpfSymbols *symbols, const char *name);

/* Finds where the function @name begins and the next one does. FALSE: unknown. */
gboolean bpf_symbols_range(const BpfSymbols *symbols, const char *name, guint64 *from, guint64 *to);

#endif
