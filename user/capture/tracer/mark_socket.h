/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends a mark to a recorder that traces with BPF programs: through a socket of its own, whose
 * abstract name disappears with the process. One packet is the text of a mark; the answer is a
 * 32-bit errno, or 0.
 *
 * Any user can have a socket with such a name, and connect to those of others. So nobody waits for
 * a process that isn't trusted, and a recorder's name has a random part, so that it can't be taken
 * in advance.
 */
#ifndef KMT_CAPTURE_TRACER_MARK_SOCKET_H
#define KMT_CAPTURE_TRACER_MARK_SOCKET_H

#include <glib.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The name, without its first zero byte; the process id and a random number follow. */
#define MARK_SOCKET_PREFIX "kmemtrace-user/bpf/"

/* Returns the length of the address of the socket with this name. */
socklen_t mark_socket_address(const char *name, struct sockaddr_un *address);

/* Limits how long connect(), send() and recv() wait on @fd: @ms milliseconds, at least 1. */
gboolean mark_socket_limit(int fd, guint ms);

/* Returns whether the other side of @fd is root or this process's user. *@pid is its process. */
gboolean mark_socket_trusts(int fd, pid_t *pid);

#endif
