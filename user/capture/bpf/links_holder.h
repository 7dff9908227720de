/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another process, which attaches programs to functions and holds the links. So only that process
 * waits when they are detached: see apart.h. However this process ends, the other one then closes
 * the links.
 */
#ifndef KMT_CAPTURE_BPF_LINKS_HOLDER_H
#define KMT_CAPTURE_BPF_LINKS_HOLDER_H

#include <glib.h>

typedef struct LinksHolder LinksHolder;

/* To be called while this process has little memory. NULL with an errno: it can't be started. */
LinksHolder *links_holder_new(void);

/*
 * Attaches a program, whose descriptor is @program. Returns 0 or an errno; ETIMEDOUT: the kernel
 * waits for another program to be detached. Then @holder attaches no more programs, but keeps its
 * links.
 */
int links_holder_attach(LinksHolder *holder, int program);

/* FALSE: it was killed, and its links are detached. */
gboolean links_holder_lives(const LinksHolder *holder);

/*
 * Pins the link that was attached last, so that it outlives @holder. Returns 0 or an errno. This is
 * a separate request, so that a link that came too late for this process is not pinned.
 */
int links_holder_pin(LinksHolder *holder, const char *path);

/* Detaches all links that are not pinned, and waits a limited time for that. NULL is allowed. */
void links_holder_free(LinksHolder *holder);

#endif
