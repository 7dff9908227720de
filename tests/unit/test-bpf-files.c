// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BPF source's list of mapped files: builds their paths from the names that the programs found,
 * the file's own name first.
 */
#include <glib.h>
#include <string.h>

#include "capture/bpf/views.h"

static struct kmt_bpf_file files[KMT_BPF_FILES];
static struct kmt_bpf_state state;
static const BpfMaps maps = { .files = files, .state = &state };

/* @names: NUL-terminated, @len bytes altogether. */
static void add(const char *names, gsize len, guint32 flags)
{
	struct kmt_bpf_file *file = &files[state.files++];

	*file = (struct kmt_bpf_file){
		.key = { .inode = 7, .ctime_ns = -1, .size = 4096, .dev = 8 << 20 | 1 },
		.flags = flags,
		.path_len = len,
	};
	memcpy(file->path, names, len);
}

#define ADD(names, flags) add(names, sizeof(names), flags)

static void assert_list(const char *expected)
{
	g_autofree char *text = bpf_view_files(&maps);

	g_assert_cmpstr(text, ==, expected);
	state.files = 0;
}

static void paths_begin_with_the_outermost_folder(void)
{
	ADD("libc.so.6\0lib\0usr", KMT_BPF_FILE_READY);
	ADD("init", KMT_BPF_FILE_READY);
	assert_list("1 7 -1 4096 8:1 /usr/lib/libc.so.6\n2 7 -1 4096 8:1 /init\n");
}

static void removed_files_are_marked(void)
{
	ADD("program\0tmp", KMT_BPF_FILE_READY | KMT_BPF_FILE_REMOVED);
	assert_list("1 7 -1 4096 8:1 /tmp/program (deleted)\n");
}

static void names_may_have_any_bytes(void)
{
	ADD("a\nb\\", KMT_BPF_FILE_READY);
	assert_list("1 7 -1 4096 8:1 /a\\012b\\134\n");
}

static void unknown_paths_are_a_question_mark(void)
{
	add("", 0, KMT_BPF_FILE_READY);
	assert_list("1 7 -1 4096 8:1 ?\n");
}

/* Another CPU has added the file at the same time, or the program is still running. */
static void files_without_events_are_left_out(void)
{
	ADD("first", 0);
	ADD("second", KMT_BPF_FILE_READY);
	assert_list("2 7 -1 4096 8:1 /second\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf-files/order", paths_begin_with_the_outermost_folder);
	g_test_add_func("/bpf-files/removed", removed_files_are_marked);
	g_test_add_func("/bpf-files/bytes", names_may_have_any_bytes);
	g_test_add_func("/bpf-files/unknown", unknown_paths_are_a_question_mark);
	g_test_add_func("/bpf-files/unused", files_without_events_are_left_out);
	return g_test_run();
}
