/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another process that attaches programs to functions and holds the links, so that it alone waits
 * as they are detached, see apart.h. When this process ends in whatever way, it lets them go.
 */
#ifndef KMT_CAPTURE_BPF_LINKS_HOLDER_H
#define KMT_CAPTURE_BPF_LINKS_HOLDER_H

#include <glib.h>

typedef struct LinksHolder LinksHolder;

/* To be called while this process has little memory. NULL with an errno: it can't be started. */
LinksHolder *links_holder_new(void);

/*
 * Attaches a program, whose descriptor is @program. Returns 0 or an errno; ETIMEDOUT: the kernel
 * waits for another program to be detached. Then @holder attaches no more, but holds what it has.
 */
int links_holder_attach(LinksHolder *holder, int program);

/* FALSE: it was killed, and what it held is detached. */
gboolean links_holder_lives(const LinksHolder *holder);

/*
 * Pins the link that was attached last, so that it outlives @holder. Returns 0 or an errno. It is
 * asked for once the link is there: a link that came too late for this process is not pinned.
 */
int links_holder_pin(LinksHolder *holder, const char *path);

/* Detaches all that are not pinned, and waits for that, but not for long. NULL is allowed. */
void links_holder_free(LinksHolder *holder);

#endif
