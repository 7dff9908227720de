/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of the machine. They come and go, and the code of a new one may be where
 * that of a removed one was.
 */
#ifndef KMT_CAPTURE_TARGET_BPF_CODE_H
#define KMT_CAPTURE_TARGET_BPF_CODE_H

#include <glib.h>

typedef struct BpfCode BpfCode;

/* Returns whether this process may list programs, for which the kernel wants CAP_SYS_ADMIN. */
gboolean bpfcode_is_known(void);

/* Never NULL. */
BpfCode *bpfcode_new(void);
void bpfcode_free(BpfCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BpfCode, bpfcode_free)

/* Notes the programs that are loaded, besides those noted before. */
void bpfcode_note(BpfCode *code);

/* Returns whether a program that was noted has been removed; the kernel does not reuse numbers. */
gboolean bpfcode_is_gone(const BpfCode *code);

/*
 * Returns lines "load_ns address bytes" of all functions of programs, for g_free(); "" if there are
 * none, or the kernel shows none. load_ns is of CLOCK_BOOTTIME, which is never behind
 * CLOCK_MONOTONIC.
 */
char *bpfcode_text(void);

#endif
