// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/bpf_code.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROGRAMS_MAX  65536 /* more are not looked at */
#define FUNCTIONS_MAX 1024  /* of a program: the kernel's own limit is lower */

struct BpfCode {
	GHashTable *ids; /* a set */
};

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(__NR_bpf, command, attr, sizeof(*attr));
}

/* Returns the numbers of all programs. */
static GHashTable *read_ids(void)
{
	GHashTable *ids = g_hash_table_new(NULL, NULL);
	union bpf_attr attr = { 0 };

	while (g_hash_table_size(ids) < PROGRAMS_MAX && bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		guint32 id = attr.next_id;

		g_hash_table_add(ids, GUINT_TO_POINTER(id));
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
	}
	return ids;
}

gboolean bpfcode_is_known(void)
{
	union bpf_attr attr = { 0 };

	return bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0 || errno != EPERM;
}

BpfCode *bpfcode_new(void)
{
	BpfCode *code = g_new0(BpfCode, 1);

	code->ids = g_hash_table_new(NULL, NULL);
	return code;
}

void bpfcode_free(BpfCode *code)
{
	if (!code)
		return;
	g_hash_table_unref(code->ids);
	g_free(code);
}

void bpfcode_note(BpfCode *code)
{
	g_autoptr(GHashTable) now = read_ids();
	GHashTableIter iter;
	gpointer id;

	g_hash_table_iter_init(&iter, now);
	while (g_hash_table_iter_next(&iter, &id, NULL))
		g_hash_table_add(code->ids, id);
}

gboolean bpfcode_is_gone(const BpfCode *code)
{
	g_autoptr(GHashTable) now = read_ids();
	GHashTableIter iter;
	gpointer id;

	g_hash_table_iter_init(&iter, code->ids);
	while (g_hash_table_iter_next(&iter, &id, NULL)) {
		if (!g_hash_table_contains(now, id))
			return TRUE;
	}
	return FALSE;
}

static void append_program(guint32 id, GString *text)
{
	g_autofree guint64 *functions = g_new0(guint64, FUNCTIONS_MAX);
	g_autofree guint32 *bytes = g_new0(guint32, FUNCTIONS_MAX);
	struct bpf_prog_info info = {
		.jited_ksyms = (guint64)(guintptr)functions,
		.nr_jited_ksyms = FUNCTIONS_MAX,
		.jited_func_lens = (guint64)(guintptr)bytes,
		.nr_jited_func_lens = FUNCTIONS_MAX,
	};
	union bpf_attr attr = { .prog_id = id };
	int fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);

	if (fd < 0)
		return;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (guint64)(guintptr)&info;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0) {
		guint count = MIN(info.nr_jited_ksyms, info.nr_jited_func_lens);

		for (guint i = 0; i < MIN(count, FUNCTIONS_MAX); i++)
			g_string_append_printf(
				text, "%" G_GUINT64_FORMAT " 0x%" G_GINT64_MODIFIER "x %u\n",
				(guint64)info.load_time, functions[i], bytes[i]);
	}
	close(fd);
}

char *bpfcode_text(void)
{
	g_autoptr(GHashTable) ids = read_ids();
	GString *text = g_string_new(NULL);
	GHashTableIter iter;
	gpointer id;

	g_hash_table_iter_init(&iter, ids);
	while (g_hash_table_iter_next(&iter, &id, NULL))
		append_program(GPOINTER_TO_UINT(id), text);
	return g_string_free(text, FALSE);
}
