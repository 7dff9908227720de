/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that a recording runs. Its process is started early but held back, so that tracing
 * is on before its first instruction and its exec.
 */
#ifndef KMT_CAPTURE_PROCESS_WORKLOAD_H
#define KMT_CAPTURE_PROCESS_WORKLOAD_H

#include <glib.h>
#include <sys/types.h>

#include "capture/process/relay.h"
#include "capture/process/signals.h"

typedef struct {
	pid_t pid;    /* 0: not running */
	int go;       /* pipe: closing it lets the command start */
	int failure;  /* pipe: brings the errno of a failed exec */
	int cause;    /* that errno, once it has ended; 0: none */
	Relay *relay; /* of its output to a terminal; NULL: it has what this process has */
} Workload;

/*
 * Starts @argv (NULL-terminated, searched in PATH) and holds it back. Its standard output is
 * @output. It runs as @user, a name or number, with that user's groups, HOME, USER and LOGNAME, in
 * a session without a terminal, and without a descriptor of one: this process copies its output
 * there until it has ended. NULL: as this process does.
 */
gboolean workload_prepare(Workload *workload, char *const *argv, const char *user, int output,
			  GError **error);

/*
 * Lets it go, and doesn't wait until it is executed: its user may stop it before. If it can't be
 * executed, it ends.
 */
void workload_go(Workload *workload);

/* FALSE: it has ended, as @name can't be executed. */
gboolean workload_check(const Workload *workload, const char *name, GError **error);

/* TRUE once it has ended; then *@status is what waitpid() gives. */
gboolean workload_has_ended(Workload *workload, int *status);

/*
 * Waits until it has ended; *@status is from waitpid(). Sends SIGTERM at once if @end, else when
 * @signals request it; after a second request it returns FALSE: the command still runs.
 */
gboolean workload_wait(Workload *workload, gboolean end, Signals *signals, int *status);

#endif
