/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links of the programs to tracepoints and functions: those of this process, or pinned ones.
 */
#ifndef KMT_CAPTURE_BPF_LINKS_H
#define KMT_CAPTURE_BPF_LINKS_H

#include "capture/bpf/programs.h"

#define LINKS_PIN "link_" /* prefix of the names of pinned links */

enum { LINKS_FIRST, LINKS_WAYS = KMT_BPF_TURNS }; /* the programs of a source */

/* Descriptors, by source and way; −1: none. */
typedef struct {
	int of[KMT_BPF_PROGRAMS][LINKS_WAYS];
} BpfFds;

/* Sets all to −1. */
void bpf_fds_clear(BpfFds *fds);
void bpf_fds_close(BpfFds *fds);

/* Returns the name under which a program is pinned, with @prefix before it, for g_free(). */
char *bpf_links_name(guint i, guint way, const char *prefix);

typedef struct BpfLinks BpfLinks;

/*
 * Returns an empty set, for bpf_links_free(). @are_pinned: the links outlive this process.
 * @were_pinned: they did so in an earlier process, too.
 */
BpfLinks *bpf_links_new(gboolean are_pinned, gboolean were_pinned);
void bpf_links_free(BpfLinks *links); /* NULL is allowed */

/*
 * Attaches those of @programs that are not attached yet. Functions for which the kernel waits are
 * noted in @kept.
 */
gboolean bpf_links_attach(BpfLinks *links, const BpfFds *programs, BpfKept *kept, GError **error);

/* Detaches all that are not pinned. */
void bpf_links_release(BpfLinks *links);

/* As bpf_programs_look(). */
void bpf_links_look(const BpfLinks *links, const BpfKept *kept);

#endif
