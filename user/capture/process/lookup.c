// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buildid.h"
#include "base/message.h"
#include "base/owner.h"
#include "base/regular.h"
#include "capture/process/child.h"
#include "capture/process/device.h"
#include "capture/process/mapping.h"
#include "capture/tracer/control.h"

#define STALL_US (5 * G_USEC_PER_SEC) /* limit of a request */
/*
 * An answer that takes LONG_US is slow, because of another user's code. All slow answers about
 * processes may take WAIT_US in total, as may those about files.
 */
#define LONG_US      100000
#define WAIT_US      (180 * G_USEC_PER_SEC)
#define USER_WAIT_US (WAIT_US / 4) /* for the processes of one user */
#define END_MS       100           /* limit for a killed child to end */
#define PIECE        4096          /* lines of a part */
#define READ_MAX     (64 << 20)    /* bytes of /proc/PID/maps */
#define PATH_LEN     (4 * 4096)    /* bytes; the kernel escapes some bytes as four */

/* Kinds of requests: for a process, or for a file, which may wait for more and more. */
enum question { MAPS, CACHED_FILE, ROOTS_FILE, ANY_FILE, QUESTIONS };

static const RegularWait waits[QUESTIONS] = {
	[CACHED_FILE] = REGULAR_CACHED,
	[ROOTS_FILE] = REGULAR_ROOTS,
	[ANY_FILE] = REGULAR_ANY,
};

/*
 * Number of children for each kind of request; each replaces one that does not respond. Any user
 * can have processes and directories that stall, so each kind has its own.
 */
#define CHILDREN 10
static const guint first_child[QUESTIONS] = { 0, 4, 6, 8 };
static const guint children_end[QUESTIONS] = { 4, 6, 8, CHILDREN };

/* A user other than root. */
typedef struct {
	gint64 waited_us; /* for slow answers about processes */
	gboolean is_skipped;
} User;

struct Lookup {
	pid_t pid[CHILDREN];
	int fd[CHILDREN];            /* the recorder's ends of socket pairs, or -1 */
	guint current[QUESTIONS];    /* current child; children_end[]: none left */
	int asked;                   /* the socket of the last request */
	gint64 until_us;             /* end of the time for its answer; g_get_monotonic_time() */
	int hurry;                   /* or -1 */
	gboolean ended;              /* the child was killed */
	gint64 waited_us[QUESTIONS]; /* for slow answers */
	gboolean is_over[QUESTIONS]; /* no more requests */
	GHashTable *users;           /* uid to User */
};

/* A request for a process or, followed by @len bytes, a path. */
struct request {
	guint32 question; /* enum question */
	guint32 len;
	LookupKey file;
	guint64 most; /* limit in bytes */
};

enum { MORE = 1, FOUND = 2, CUT = 4, WAITS = 8 };

/* A part of the answer, followed by @len bytes of text. */
struct answer {
	guint32 flags; /* MORE: not the last part */
	guint32 len;
	TraceMoment time;
	gint64 wall_ns;
	guint64 read;
};

/* ---- in a child ---- */

static gboolean read_all(int fd, void *bytes, gsize len)
{
	ssize_t got;

	for (char *at = bytes; len; at += got, len -= got) {
		got = read(fd, at, len);
		if (got <= 0)
			return FALSE;
	}
	return TRUE;
}

static gint64 to_ns(struct timespec ts)
{
	return (gint64)ts.tv_sec * G_GINT64_CONSTANT(1000000000) + ts.tv_nsec;
}

static void send_answer(int fd, struct answer *answer, GString *text)
{
	answer->len = text->len;
	if (send(fd, answer, sizeof(*answer), MSG_NOSIGNAL) < 0 ||
	    send(fd, text->str, text->len, MSG_NOSIGNAL) < 0)
		_exit(1);
	g_string_truncate(text, 0);
}

/* @map_files: see mapping_append(). */
static void take_lines(int fd, const struct request *request, FILE *file, int map_files,
		       struct answer *answer, GString *text)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	gsize sent = 0;

	for (guint i = 1; (len = getline(&line, &size, file)) > 0; i++) {
		answer->read += len;
		mapping_append(map_files, line, text);
		if (sent + text->len > request->most || answer->read > READ_MAX) {
			answer->flags |= CUT;
			break;
		}
		if (i % PIECE)
			continue;
		sent += text->len;
		answer->flags |= MORE;
		send_answer(fd, answer, text);
		answer->flags &= ~MORE;
	}
	free(line);
}

/* Opens the maps of the process whose folder in /proc is open as @process. */
static FILE *open_maps(int process)
{
	int fd = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* Returns FALSE if the process has ended: its pid may have been reused. */
static gboolean is_there(int process)
{
	return faccessat(process, "maps", F_OK, 0) == 0;
}

/*
 * Returns nothing for a process that ends meanwhile: at the time of the answer, its mappings would
 * be those of a new process with its pid.
 */
static void answer_maps(int fd, const struct request *request, const char *pid, GString *text)
{
	g_autofree char *path = g_build_filename("/proc", pid, NULL);
	struct answer answer = { 0 };
	struct timespec ts;
	int process, map_files;
	FILE *file;

	clock_gettime(CLOCK_REALTIME, &ts);
	answer.wall_ns = to_ns(ts);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	file = process >= 0 ? open_maps(process) : NULL;
	if (file) {
		map_files = openat(process, "map_files", O_PATH | O_DIRECTORY | O_CLOEXEC);
		take_lines(fd, request, file, map_files, &answer, text);
		if (map_files >= 0)
			close(map_files);
		fclose(file);
	}
	answer.time = trace_moment_now();
	if (file && is_there(process))
		answer.flags |= FOUND;
	if (process >= 0)
		close(process);
	send_answer(fd, &answer, text);
}

/* Returns FALSE if the file changes meanwhile. */
static gboolean read_identity(int file, struct stat *st, LookupFile *found, const char *build_id)
{
	gint64 before_ns = to_ns(st->st_ctim);

	found->device = st->st_dev;
	found->inode = st->st_ino;
	found->ctime_ns = before_ns;
	found->size = st->st_size;
	found->mtime_ns = to_ns(st->st_mtim);
	g_strlcpy(found->build_id, build_id ? build_id : "-", sizeof(found->build_id));
	return fstat(file, st) == 0 && to_ns(st->st_ctim) == before_ns;
}

/* Opens @file, which is open with O_PATH, if it is on the device of the mapping. Closes @file. */
static int open_on_device(int file, const struct stat *st, const LookupKey *key)
{
	DeviceMatch match = key->is_own ? (st->st_dev == key->device ? DEVICE_SAME : DEVICE_OTHER)
					: device_match(file, st, key->device);

	if (match == DEVICE_OTHER) {
		close(file);
		return -1;
	}
	file = regular_reopen(file);
	if (file < 0 || match == DEVICE_SAME || device_is_of_mapping(file, key->device))
		return file;
	close(file);
	return -1;
}

/* Returns the flags of the answer, whose text is a LookupFile. */
static guint32 identify(int file, RegularWait wait, struct stat *st, GString *text)
{
	gboolean is_locked = FALSE;
	g_autofree char *id = wait != REGULAR_ANY && !regular_is_roots(st)
				      ? buildid_read_cached(file, &is_locked)
				      : buildid_read(file);
	LookupFile found = { 0 };

	if (is_locked)
		return WAITS;
	if (!read_identity(file, st, &found, id))
		return 0;
	g_string_append_len(text, (const char *)&found, sizeof(found));
	return FOUND;
}

/* Checks the request's device and inode: the path may have another file now. */
static void answer_file(int fd, const struct request *request, const char *path, GString *text)
{
	struct answer answer = { 0 };
	struct stat st;
	RegularWait wait = waits[request->question];
	int file = regular_find_foreign(path, request->file.inode, wait, &st);

	if (file < 0 && errno == EAGAIN && wait != REGULAR_ANY)
		answer.flags = WAITS;
	if (file >= 0)
		file = open_on_device(file, &st, &request->file);
	if (file >= 0) {
		answer.flags = identify(file, wait, &st, text);
		close(file);
	}
	send_answer(fd, &answer, text);
}

/*
 * Ignores signals that a terminal sends to the whole group: a child ends when the recorder closes
 * the socket.
 */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE };

	for (guint i = 0; i < G_N_ELEMENTS(ignored); i++)
		signal(ignored[i], SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void serve(int fd)
{
	g_autoptr(GString) text = g_string_new(NULL);
	struct request request;
	char argument[PATH_LEN + 1];

	child_begin(&fd, 1);
	child_keep_only(fd);
	ignore_signals();
	while (read_all(fd, &request, sizeof(request)) && request.len <= PATH_LEN &&
	       read_all(fd, argument, request.len)) {
		argument[request.len] = '\0';
		if (request.question == MAPS)
			answer_maps(fd, &request, argument, text);
		else
			answer_file(fd, &request, argument, text);
	}
	_exit(0);
}

/* ---- in the recorder ---- */

static gboolean start_child(Lookup *lookup, guint i, GError **error)
{
	int fds[2];

	if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
		lookup->fd[i] = fds[0];
		lookup->pid[i] = fork();
		if (lookup->pid[i] == 0)
			serve(fds[1]);
		close(fds[1]);
		if (lookup->pid[i] > 0)
			return TRUE;
	}
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't start a process: %s",
		    g_strerror(errno));
	return FALSE;
}

Lookup *lookup_new(GError **error)
{
	Lookup *lookup = g_new0(Lookup, 1);

	lookup->hurry = -1;
	lookup->users = owner_table_new();
	memcpy(lookup->current, first_child, sizeof(first_child));
	for (guint i = 0; i < CHILDREN; i++)
		lookup->fd[i] = -1;
	for (guint i = 0; i < CHILDREN; i++) {
		if (!start_child(lookup, i, error)) {
			lookup_free(lookup);
			return NULL;
		}
	}
	return lookup;
}

/* Keeps the process id, which the trace lists as one of the recorder's. */
static void end_child(Lookup *lookup, guint i)
{
	if (lookup->fd[i] < 0)
		return;
	close(lookup->fd[i]);
	lookup->fd[i] = -1;
	if (lookup->pid[i] > 0)
		kill(lookup->pid[i], SIGKILL);
}

/* Waits only briefly: a child blocked in the kernel may never end. */
static void reap_child(const Lookup *lookup, guint i)
{
	if (lookup->pid[i] <= 0)
		return;
	for (guint ms = 0; ms < END_MS && !waitpid(lookup->pid[i], NULL, WNOHANG); ms++)
		g_usleep(1000);
}

void lookup_free(Lookup *lookup)
{
	if (!lookup)
		return;
	for (guint i = 0; i < CHILDREN; i++)
		end_child(lookup, i);
	for (guint i = 0; i < CHILDREN; i++)
		reap_child(lookup, i);
	g_hash_table_unref(lookup->users);
	g_free(lookup);
}

const pid_t *lookup_children(const Lookup *lookup, guint *count)
{
	*count = lookup ? CHILDREN : 0;
	return lookup ? lookup->pid : NULL;
}

void lookup_hurry_by(Lookup *lookup, int fd)
{
	if (lookup)
		lookup->hurry = fd;
}

static gboolean is_hurried(const Lookup *lookup)
{
	struct pollfd fd = { .fd = lookup->hurry, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Returns FALSE on timeout, if the child ended, or if no answer is expected. */
static gboolean receive(Lookup *lookup, void *bytes, gsize len)
{
	struct pollfd fds[] = {
		{ .fd = lookup->asked, .events = POLLIN },
		{ .fd = lookup->hurry, .events = POLLIN },
	};
	ssize_t got;

	for (char *at = bytes; len; at += got, len -= got) {
		gint64 left_us = lookup->until_us - g_get_monotonic_time();

		/* A process can be slow without stalling. */
		if (left_us <= 0 || poll(fds, G_N_ELEMENTS(fds), (int)(left_us / 1000 + 1)) <= 0 ||
		    !fds[0].revents)
			return FALSE;
		got = recv(fds[0].fd, at, len, MSG_DONTWAIT);
		lookup->ended = got == 0 || (got < 0 && errno == ECONNRESET);
		if (got <= 0)
			return FALSE;
	}
	return TRUE;
}

static gboolean receive_answer(Lookup *lookup, GString *text, struct answer *answer)
{
	do {
		gsize before = text->len;

		if (!receive(lookup, answer, sizeof(*answer)))
			return FALSE;
		g_string_set_size(text, before + answer->len);
		if (!receive(lookup, text->str + before, answer->len))
			return FALSE;
	} while (answer->flags & MORE);
	return TRUE;
}

/* ---- skipping ---- */

/* Returns NULL for root, who has no limits. */
static User *get_user(Lookup *lookup, guint32 uid)
{
	return owner_table_get(lookup->users, uid, sizeof(User));
}

static gboolean is_over(const Lookup *lookup, enum question question)
{
	return lookup->is_over[question] || lookup->current[question] >= children_end[question];
}

static void end_question(Lookup *lookup, enum question question)
{
	static const char *const subjects[QUESTIONS] = {
		[MAPS] = "processes",
		[CACHED_FILE] = "files",
		[ROOTS_FILE] = "files whose names are not in memory",
		[ANY_FILE] = "files in directories of users",
	};

	lookup->is_over[question] = TRUE;
	message("inspecting %s takes too long: user stacks of others may be only addresses, too",
		subjects[question]);
}

/* Stops inspecting the user's processes, so that those of others are still inspected. */
static void skip_user(User *user, guint32 uid)
{
	user->is_skipped = TRUE;
	message("all other processes of user %u are skipped: their user stacks may be only addresses",
		uid);
}

/* Gives up a child that does not respond. */
static void give_up(Lookup *lookup, enum question question, const char *argument)
{
	if (is_hurried(lookup)) {
		memcpy(lookup->current, children_end, sizeof(children_end));
		return;
	}
	end_child(lookup, lookup->current[question]++);
	message("%s%s cannot be inspected: its user stacks may be only addresses",
		question == MAPS ? "process " : "", argument);
}

/* Charges an answer that took @took_us; @is_stall: it never came. */
static void charge(Lookup *lookup, enum question question, guint32 uid, gint64 took_us,
		   gboolean is_stall)
{
	User *user = get_user(lookup, uid);

	if (is_hurried(lookup))
		return;
	if (took_us > LONG_US)
		lookup->waited_us[question] += took_us;
	if (user && took_us > LONG_US)
		user->waited_us += took_us;
	if (user && !user->is_skipped && (is_stall || user->waited_us > USER_WAIT_US))
		skip_user(user, uid);
	if (!lookup->is_over[question] &&
	    (is_over(lookup, question) || lookup->waited_us[question] > WAIT_US))
		end_question(lookup, question);
}

/* ---- requests ---- */

static gboolean query_child(Lookup *lookup, const struct request *request, const char *argument,
			    GString *text, struct answer *answer)
{
	int fd = lookup->fd[lookup->current[request->question]];

	lookup->asked = fd;
	lookup->ended = FALSE;
	if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) > 0 &&
	    send(fd, argument, request->len, MSG_NOSIGNAL) >= 0)
		return receive_answer(lookup, text, answer);
	lookup->ended = TRUE;
	return FALSE;
}

/* Replaces a child, which may have been killed by the OOM killer, and repeats its request. */
static gboolean replace_child(Lookup *lookup, enum question question)
{
	if (!lookup->ended || is_hurried(lookup) ||
	    lookup->current[question] + 1 >= children_end[question])
		return FALSE;
	end_child(lookup, lookup->current[question]++);
	message("a helper that inspects processes was killed; another one replaces it");
	return TRUE;
}

/*
 * @uid: owner of the process or file, or 0. @most_us: the time for the answer. @text is unchanged
 * if nothing is found.
 */
static LookupResult send_request(Lookup *lookup, struct request *request, guint32 uid,
				 gint64 most_us, const char *argument, GString *text,
				 struct answer *answer)
{
	enum question question = request->question;
	gint64 began_us = g_get_monotonic_time();
	gsize before = text->len;
	gboolean fine;

	request->len = strlen(argument);
	lookup->until_us = began_us + MIN(most_us, STALL_US);
	if (is_over(lookup, question) || request->len > PATH_LEN)
		return LOOKUP_NO_ANSWER;
	do {
		g_string_truncate(text, before);
		fine = query_child(lookup, request, argument, text, answer);
	} while (!fine && replace_child(lookup, question));
	if (!fine) {
		g_string_truncate(text, before);
		give_up(lookup, question, argument);
	}
	charge(lookup, question, uid, g_get_monotonic_time() - began_us, !fine);
	if (!fine)
		return LOOKUP_NO_ANSWER;
	if (answer->flags & FOUND)
		return LOOKUP_FOUND;
	g_string_truncate(text, before);
	return answer->flags & WAITS ? LOOKUP_WAITS : LOOKUP_NONE;
}

gboolean lookup_maps(Lookup *lookup, const char *pid, guint32 uid, const LookupLimits *limits,
		     GString *text, LookupMaps *maps)
{
	struct request request = { .question = MAPS, .most = limits->bytes };
	const User *user = get_user(lookup, uid);
	struct answer answer;

	if ((user && user->is_skipped) ||
	    send_request(lookup, &request, uid, limits->us, pid, text, &answer) != LOOKUP_FOUND)
		return FALSE;
	maps->time = answer.time;
	maps->wall_ns = answer.wall_ns;
	maps->read = answer.read;
	maps->cut = !!(answer.flags & CUT);
	return TRUE;
}

LookupResult lookup_file(Lookup *lookup, const LookupKey *key, const char *path, RegularWait wait,
			 LookupFile *file)
{
	struct request request = { .question = CACHED_FILE + wait, .file = *key };
	g_autoptr(GString) text = g_string_new(NULL);
	struct answer answer = { 0 };
	LookupResult result = send_request(lookup, &request, 0, STALL_US, path, text, &answer);

	if (result != LOOKUP_FOUND)
		return result;
	memcpy(file, text->str, sizeof(*file));
	file->build_id[LOOKUP_ID_MAX] = '\0';
	return LOOKUP_FOUND;
}
