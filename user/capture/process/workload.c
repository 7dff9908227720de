// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/ioprio.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/process/child.h"
#include "capture/process/oom.h"
#include "capture/tracer/control.h"

#define WAIT_MS 1000

static gboolean find_user(const char *name, const struct passwd **user, GError **error)
{
	guint64 uid;

	*user = NULL;
	if (!name)
		return TRUE;
	*user = getpwnam(name);
	if (!*user && g_ascii_string_to_unsigned(name, 10, 0, G_MAXINT, &uid, NULL))
		*user = getpwuid(uid);
	if (*user)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "no such user: '%s'", name);
	return FALSE;
}

/*
 * Creates a new session keyring, as a login does: processes that have root's can use its keys.
 * Ignores a kernel without keyrings.
 */
static gboolean leave_keyring(void)
{
	return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0 || errno == ENOSYS ||
	       errno == EOPNOTSUPP;
}

/* Without CONFIG_BLOCK, a kernel has no priorities of disk access. */
static gboolean leave_disk_priority(void)
{
	long priority = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);

	return priority < 0 || IOPRIO_PRIO_CLASS(priority) != IOPRIO_CLASS_RT ||
	       syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, 0) == 0;
}

/*
 * Drops root's supplementary state: descriptors, priority, and capabilities that the user's
 * programs with inheritable ones would get. setuid() has dropped the other capabilities.
 */
static gboolean leave_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	const struct sched_param normal = { 0 };

	return syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0 &&
	       syscall(SYS_capset, &header, none) == 0 &&
	       sched_setscheduler(0, SCHED_OTHER, &normal) == 0 &&
	       (getpriority(PRIO_PROCESS, 0) >= 0 || setpriority(PRIO_PROCESS, 0, 0) == 0) &&
	       leave_disk_priority();
}

/* Changes the user permanently: the command cannot become root again. */
static gboolean become(const struct passwd *user)
{
	if (!user)
		return TRUE;
	setenv("HOME", user->pw_dir, TRUE);
	setenv("USER", user->pw_name, TRUE);
	setenv("LOGNAME", user->pw_name, TRUE);
	setsid(); /* with TIOCSTI, the command could type into root's terminal */
	oom_expose();
	return initgroups(user->pw_name, user->pw_gid) == 0 && setgid(user->pw_gid) == 0 &&
	       setuid(user->pw_uid) == 0 && leave_keyring() && leave_privileges();
}

/* In the child: waits for workload_go(), and executes the command. Never returns. */
static void run_child(int go, int failure, int output, const Relay *relay,
		      const struct passwd *user, char *const *argv)
{
	const int kept[] = { go, failure };
	sigset_t none;
	char byte;
	int saved;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (output != STDOUT_FILENO && dup2(output, STDOUT_FILENO) < 0)
		_exit(126);
	if (relay && !relay_enter(relay))
		_exit(126);
	/* Once the user is changed, that user may stop this process indefinitely. */
	child_begin(kept, G_N_ELEMENTS(kept));
	if (read(go, &byte, 1) == 1) { /* closed without a byte: don't execute */
		if (become(user))
			execvp(argv[0], argv);
		saved = errno;
		if (write(failure, &saved, sizeof(saved)) < 0)
			_exit(126);
	}
	_exit(127);
}

static gboolean fail_start(Workload *workload, GError **error, const char *what)
{
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "%s: %s", what, g_strerror(errno));
	g_clear_pointer(&workload->relay, relay_free);
	return FALSE;
}

gboolean workload_prepare(Workload *workload, char *const *argv, const char *user, int output,
			  GError **error)
{
	const struct passwd *found;
	int go[2], failure[2];

	if (!find_user(user, &found, error) ||
	    (found && !(workload->relay = relay_new(output, error))))
		return FALSE;
	if (pipe2(go, O_CLOEXEC))
		return fail_start(workload, error, "can't make a pipe");
	if (pipe2(failure, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return fail_start(workload, error, "can't make a pipe");
	}
	workload->pid = fork();
	if (workload->pid == 0) {
		close(go[1]);
		close(failure[0]);
		run_child(go[0], failure[1], output, workload->relay, found, argv);
	}
	close(go[0]);
	close(failure[1]);
	workload->go = go[1];
	workload->failure = failure[0];
	if (workload->pid > 0)
		return TRUE;
	workload->pid = 0;
	close(workload->go);
	close(workload->failure);
	return fail_start(workload, error, "can't fork");
}

void workload_go(Workload *workload)
{
	if (workload->relay)
		relay_start(workload->relay);
	/* If the process was killed meanwhile, that is noticed when it has ended. */
	if (write(workload->go, "", 1) < 0)
		return;
}

gboolean workload_check(const Workload *workload, const char *name, GError **error)
{
	if (!workload->cause)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't run '%s': %s", name,
		    g_strerror(workload->cause));
	return FALSE;
}

static void workload_forget(Workload *workload)
{
	workload->pid = 0;
	close(workload->go);
	close(workload->failure);
	g_clear_pointer(&workload->relay, relay_free);
}

gboolean workload_has_ended(Workload *workload, int *status)
{
	pid_t ended = workload->pid ? waitpid(workload->pid, status, WNOHANG) : 0;

	if (!ended || (ended < 0 && errno == EINTR))
		return FALSE;
	/* The pipe is empty if it was executed, or killed before. */
	if (read(workload->failure, &workload->cause, sizeof(workload->cause)) < 0)
		workload->cause = errno;
	workload_forget(workload);
	return TRUE;
}

gboolean workload_wait(Workload *workload, gboolean end, Signals *signals, int *status)
{
	struct pollfd pollfd = { .fd = signals->fd, .events = POLLIN };
	gboolean asked = FALSE;

	while (workload->pid) {
		end |= signals_take(signals) == SIGNALS_END;
		if (workload_has_ended(workload, status))
			break;
		if (end && !asked) {
			kill(workload->pid, SIGTERM);
			kill(workload->pid, SIGCONT); /* a stopped process handles no signal */
		}
		asked = end;
		if (signals_is_hurried(signals)) {
			workload_forget(workload);
			return FALSE;
		}
		poll(&pollfd, 1, WAIT_MS);
	}
	return TRUE;
}
