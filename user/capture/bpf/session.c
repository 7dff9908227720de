// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/tracer/control_class.h"

#define MAGIC      G_GUINT64_CONSTANT(0x00736e6970746d6b)
#define VERSION    1
#define TEXTS_NAME "texts"
#define TEXTS_NEXT "texts_next"
#define STOPPED    "stopped"
#define PIECE      4096 /* bytes of a map value, so that the memory has no holes */
#define CPUS_MAX   65536
#define BYTES_MAX  (G_GUINT64_CONSTANT(1) << 31)

/* ---- memory ---- */

static void *map_shared(int fd, gsize bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void *make_memory(const char *name, gsize bytes, GError **error)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "kmt_session", 4, PIECE,
				(bytes + PIECE - 1) / PIECE, &options);
	void *memory = fd >= 0 ? map_shared(fd, bytes) : NULL;

	if (!memory)
		control_fail(error, CAPTURE_ERROR_FAILED, "can't make a map: %s",
			     g_strerror(errno));
	else if (!pins_put(name, fd, error))
		munmap(g_steal_pointer(&memory), bytes);
	if (fd >= 0)
		close(fd);
	return memory;
}

static gboolean is_memory(int fd, gsize *bytes)
{
	struct bpf_map_info info = { 0 };
	guint32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.value_size != PIECE || !(info.map_flags & BPF_F_MMAPABLE) ||
	    (guint64)info.max_entries * PIECE > BYTES_MAX)
		return FALSE;
	*bytes = (gsize)info.max_entries * PIECE;
	return TRUE;
}

static void *open_memory(const char *name, gsize *bytes, GError **error)
{
	int fd = pins_get(name, PINS_MAP);
	void *memory = fd >= 0 && is_memory(fd, bytes) ? map_shared(fd, *bytes) : NULL;

	if (fd >= 0)
		close(fd);
	if (!memory)
		pins_fail_content(name, error);
	return memory;
}

/* ---- the head ---- */

static gsize round_up(gsize bytes)
{
	return (bytes + sizeof(guint64) - 1) / sizeof(guint64) * sizeof(guint64);
}

static gsize readers_at(void)
{
	return round_up(sizeof(SessionHead));
}

static gsize flushed_at(guint64 cpus)
{
	return readers_at() + cpus * sizeof(BpfReader);
}

static gsize count_bytes(guint64 cpus, guint64 subbufs)
{
	return flushed_at(cpus) + cpus * subbufs * sizeof(guint64);
}

static void set_pointers(Session *session, guint64 cpus)
{
	session->head = session->memory;
	session->readers = (BpfReader *)((guint8 *)session->memory + readers_at());
	session->flushed = (guint64 *)((guint8 *)session->memory + flushed_at(cpus));
}

gboolean session_make(Session *session, const BpfMaps *maps, GError **error)
{
	session->bytes = count_bytes(maps->cpus, maps->subbuf_count);
	session->memory = make_memory(SESSION_NAME, session->bytes, error);
	if (!session->memory)
		return FALSE;
	set_pointers(session, maps->cpus);
	session->head->magic = MAGIC;
	session->head->version = VERSION;
	session->head->layout = KMT_BPF_LAYOUT;
	session->head->bytes = sizeof(SessionHead);
	session->head->kept_bytes = sizeof(BpfKept);
	return TRUE;
}

static gboolean has_end(const char text[SESSION_TEXT])
{
	return memchr(text, 0, SESSION_TEXT) != NULL;
}

static gboolean is_power_of_two(guint64 number)
{
	return number && !(number & (number - 1));
}

/*
 * Returns whether the numbers on which others depend are valid. Pinned sessions have no user
 * stacks.
 */
static gboolean check_numbers(const BpfKept *kept)
{
	const struct kmt_bpf_config *config = &kept->config;

	return config->cpus && config->cpus <= CPUS_MAX && kept->ring_count >= config->cpus &&
	       kept->ring_count <= CPUS_MAX && is_power_of_two(config->subbufs) &&
	       config->records && config->records <= KMT_BPF_HEAD_USED && !config->user_stacks &&
	       config->record_bytes == sizeof(struct kmemtrace_record) &&
	       config->stack_words >= BPF_MAPS_STACKS_FIRST;
}

/* The first fields are the same in all versions. */
static gboolean check_version(const SessionHead *head, GError **error)
{
	if (head->magic != MAGIC)
		return pins_fail_content(SESSION_NAME, error);
	if (head->version == VERSION && head->layout == KMT_BPF_LAYOUT &&
	    head->bytes == sizeof(SessionHead) && head->kept_bytes == sizeof(BpfKept))
		return TRUE;
	return control_fail(
		error, CAPTURE_ERROR_FAILED,
		"another version of kmemtrace-user (%u.%u, not %u.%u) pinned %s: extract its events with that one, or discard them: kmemtrace-user stop --source bpf --discard",
		head->version, head->layout, VERSION, KMT_BPF_LAYOUT, PINS_FOLDER);
}

static gboolean check(Session *session, gsize bytes, GError **error)
{
	const SessionHead *head = session->memory;
	const struct kmt_bpf_config *config = &head->kept.config;

	if (bytes < sizeof(*head))
		return pins_fail_content(SESSION_NAME, error);
	if (!check_version(head, error))
		return FALSE;
	if (!head->is_complete)
		return TRUE;
	if (!has_end(head->events) || !has_end(head->pids) || !has_end(head->cache) ||
	    !check_numbers(&head->kept) || count_bytes(config->cpus, config->subbufs) > bytes)
		return pins_fail_content(SESSION_NAME, error);
	set_pointers(session, config->cpus);
	return TRUE;
}

gboolean session_open(Session *session, GError **error)
{
	session->memory = open_memory(SESSION_NAME, &session->bytes, error);
	if (!session->memory)
		return FALSE;
	session->head = session->memory;
	if (check(session, session->bytes, error))
		return TRUE;
	session_close(session);
	return FALSE;
}

void session_close(Session *session)
{
	if (session->memory)
		munmap(session->memory, session->bytes);
	*session = (Session){ NULL };
}

/* ---- texts ---- */

gboolean session_put_texts(const char *modules, const char *tasks, GError **error)
{
	gsize first = strlen(modules) + 1, second = strlen(tasks) + 1;
	char *memory;

	/* A process that was killed before it replaced the old texts left these. */
	pins_remove(TEXTS_NEXT);
	memory = make_memory(TEXTS_NEXT, first + second, error);
	if (!memory)
		return FALSE;
	memcpy(memory, modules, first);
	memcpy(memory + first, tasks, second);
	munmap(memory, first + second);
	return pins_rename(TEXTS_NEXT, TEXTS_NAME, error);
}

void session_put_stopped(const char *tasks)
{
	gsize bytes = strlen(tasks) + 1;
	char *memory;

	pins_remove(STOPPED);
	memory = make_memory(STOPPED, bytes, NULL);
	if (!memory)
		return;
	memcpy(memory, tasks, bytes);
	munmap(memory, bytes);
}

char *session_take_stopped(void)
{
	gsize bytes;
	char *memory = open_memory(STOPPED, &bytes, NULL), *tasks;

	if (!memory)
		return NULL;
	tasks = g_strndup(memory, bytes);
	munmap(memory, bytes);
	pins_remove(STOPPED);
	return tasks;
}

gboolean session_get_texts(char **modules, char **tasks, GError **error)
{
	gsize bytes, first;
	char *memory = open_memory(TEXTS_NAME, &bytes, error);

	if (!memory)
		return FALSE;
	*modules = g_strndup(memory, bytes);
	first = MIN(strlen(*modules) + 1, bytes);
	*tasks = g_strndup(memory + first, bytes - first);
	munmap(memory, bytes);
	return TRUE;
}
