/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a mark gets to a recorder that traces with BPF programs: through a socket of its own, whose
 * abstract name goes with the process. One packet is the text of a mark; the answer is an errno of
 * 32 bits, or 0.
 *
 * Any user can have a socket with such a name, and connect to those of others. So nobody waits for
 * a process that isn't trusted, and a recorder's name has a random part: it can't be taken before.
 */
#ifndef KMT_CAPTURE_TRACER_MARK_SOCKET_H
#define KMT_CAPTURE_TRACER_MARK_SOCKET_H

#include <glib.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The name, without its first zero byte; the number of the process and a random one follow. */
#define MARK_SOCKET_PREFIX "kmemtrace-user/bpf/"

/* Returns the length of the address of the socket with this name. */
socklen_t mark_socket_address(const char *name, struct sockaddr_un *address);

/* Limits how long connect(), send() and recv() wait on @fd, in milliseconds, from 1 on. */
gboolean mark_socket_limit(int fd, guint ms);

/* Whether the other side of @fd is root or this process's user; *@pid is its process. */
gboolean mark_socket_trusts(int fd, pid_t *pid);

#endif
