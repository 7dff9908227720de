/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that a recording runs. Its process is started early but held back, so that tracing is
 * on before its first instruction and its exec.
 */
#ifndef KMT_CAPTURE_PROCESS_WORKLOAD_H
#define KMT_CAPTURE_PROCESS_WORKLOAD_H

#include <glib.h>
#include <sys/types.h>

#include "capture/process/relay.h"
#include "capture/process/signals.h"

typedef struct {
	pid_t pid;    /* 0: not running */
	int go;       /* pipe: a byte starts the command */
	int failure;  /* pipe: receives the errno of a failed exec */
	int cause;    /* that errno, after the end; 0: none */
	Relay *relay; /* of its output to a terminal; NULL: it inherits this process's */
} Workload;

/*
 * Starts a process for @argv (NULL-terminated, searched in PATH) and holds it back. Its standard
 * output is @output. It runs as @user, a name or number, with that user's groups, HOME, USER and
 * LOGNAME, in a session without a terminal or a descriptor of one: this process copies its output
 * to the terminal until it has ended. NULL: with this process's user and terminal.
 */
gboolean workload_prepare(Workload *workload, char *const *argv, const char *user, int output,
			  GError **error);

/*
 * Starts the command, without waiting for the exec, as its user may stop it before that. If it
 * can't be executed, it ends.
 */
void workload_go(Workload *workload);

/* Returns FALSE with an error if it has ended because @name can't be executed. */
gboolean workload_check(const Workload *workload, const char *name, GError **error);

/* Returns TRUE once it has ended, with *@status from waitpid(). */
gboolean workload_has_ended(Workload *workload, int *status);

/*
 * Waits until it has ended; *@status is from waitpid(). Sends SIGTERM at once if @end, otherwise
 * when requested by @signals. Returns FALSE after a second request: the command still runs.
 */
gboolean workload_wait(Workload *workload, gboolean end, Signals *signals, int *status);

#endif
