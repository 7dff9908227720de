// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tries it with a program that does nothing. While the kernel detaches another program from the
 * function, it makes everyone else wait, so another process tries it.
 */
#include "capture/bpf/function_check.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/bpf/apart.h"

#define WAIT_MS 2000
#define LOOK_US 50000

static int load_nothing(gint32 id)
{
	const struct bpf_insn instructions[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = id);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", instructions,
			       G_N_ELEMENTS(instructions), &options);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static const char busy[] =
	"the kernel is still attaching or detaching another program, and a process delays that (RCU tasks)";

/* Stores the number that @run writes. Returns 0 or an errno; ETIMEDOUT: no number in time. */
static int ask(void (*run)(int socket, gpointer data), gpointer data, int *number)
{
	int socket = apart_start(run, data), code = 0;

	if (socket < 0)
		return errno;
	if (!apart_wait(socket, WAIT_MS))
		code = ETIMEDOUT;
	else if (read(socket, number, sizeof(*number)) != sizeof(*number))
		code = EAGAIN;
	close(socket);
	return code;
}

static void answer(int socket, int number)
{
	if (write(socket, &number, sizeof(number)) != sizeof(number))
		_exit(1);
}

static void try_load(int socket, gpointer data)
{
	answer(socket, load_nothing(*(const gint32 *)data));
}

static char *check(gint32 id)
{
	int result, code = ask(try_load, &id, &result);

	if (code == ETIMEDOUT)
		return g_strdup(busy);
	code = code ?: result;
	return code ? g_strdup_printf(
			      "BPF programs cannot be attached to functions of this kernel (%s)",
			      g_strerror(code))
		    : NULL;
}

/*
 * With ftrace off, the kernel still attaches programs, but never runs them. ftrace may be switched
 * off at any time. A function that could not be traced once lacks events.
 */
static const char ftrace_off[] = "ftrace is off: kernel.ftrace_enabled=1 switches it on";

static void read_ftrace(int socket, gpointer data)
{
	g_autofree char *text = NULL;

	(void)data;
	answer(socket, g_file_get_contents("/proc/sys/kernel/ftrace_enabled", &text, NULL, NULL) &&
			       text[0] == '0');
}

/*
 * While the kernel waits for RCU tasks, a reader of that file waits, too. Then the answer is
 * unknown, and the file is not read again.
 */
static gboolean ask_ftrace(void)
{
	static gboolean is_stuck;
	int is_off, code = is_stuck ? ETIMEDOUT : ask(read_ftrace, NULL, &is_off);

	is_stuck = code == ETIMEDOUT;
	return !code && is_off;
}

/* One answer serves all functions that are checked at the same time. */
static gboolean ftrace_is_off(void)
{
	static gint64 asked_us;
	static gboolean is_off;

	if (!asked_us || g_get_monotonic_time() - asked_us > LOOK_US)
		is_off = ask_ftrace();
	asked_us = g_get_monotonic_time();
	return is_off;
}

static GMutex lock;
static GHashTable *known; /* from ids to answers */

/* Finds the answer. FALSE: there is none. The lock must be held. */
static gboolean find(gint32 id, const char **answer)
{
	if (!known)
		known = g_hash_table_new(NULL, NULL);
	return g_hash_table_lookup_extended(known, GINT_TO_POINTER(id), NULL, (gpointer *)answer);
}

const char *function_check(gint32 id)
{
	const char *answer;

	g_mutex_lock(&lock);
	if (!find(id, &answer))
		answer = check(id);
	if (!answer && ftrace_is_off())
		answer = ftrace_off;
	g_hash_table_insert(known, GINT_TO_POINTER(id), (gpointer)answer);
	g_mutex_unlock(&lock);
	return answer;
}

/* Sets the reason, unless there is another one already. */
static void say(gint32 id, const char *why)
{
	const char *answer;

	g_mutex_lock(&lock);
	if (!find(id, &answer) || !answer)
		g_hash_table_insert(known, GINT_TO_POINTER(id), (gpointer)why);
	g_mutex_unlock(&lock);
}

void function_check_busy(gint32 id)
{
	say(id, busy);
}

void function_check_late(gint32 id)
{
	if (!function_check(id))
		say(id, "it could not be traced when tracing began");
}

void function_check_gone(gint32 id)
{
	say(id, "the process that held its program was killed");
}
