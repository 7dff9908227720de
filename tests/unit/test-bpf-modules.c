// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BPF source's list of modules: when they were loaded and unloaded, also after the programs'
 * list was full.
 */
#include <glib.h>
#include <string.h>

#include "capture/bpf/module_views.h"

#define BASE	0xffffffffc0000000
#define BEFORE	"0 0 0xffffffffb0000000 0x2000 kmt_no_such_old\n"

static struct kmt_bpf_module modules[KMT_BPF_MODULES];
static struct kmt_bpf_state state;
static struct kmt_bpf_function functions[KMT_BPF_FUNCTIONS];
static const BpfMaps maps = { .modules = modules, .functions = functions, .state = &state };

/* Loads a module, unloads it and so on: @count changes, one each nanosecond. */
static void change(guint count)
{
	memset(modules, 0, sizeof(modules));
	state.modules = count;
	for (guint i = 0; i < MIN(count, KMT_BPF_MODULES); i++) {
		modules[i] = (struct kmt_bpf_module){
			.time_ns = i + 1, .base = BASE, .size = 4096, .is_unloaded = i % 2
		};
		strcpy(modules[i].name, "kmt_no_such_new");
	}
}

/* Returns the last line that is of no module of this machine. */
static char *last_line(const char *before)
{
	g_autofree char *text = bpf_view_modules(&maps, before);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = g_strv_length(lines); i-- > 0;) {
		if (strstr(lines[i], "kmt_no_such"))
			return g_strdup(lines[i]);
	}
	return NULL;
}

static void assert_last(const char *before, const char *expected)
{
	g_autofree char *line = last_line(before);

	g_assert_cmpstr(line, ==, expected);
}

static void changes_are_paired(void)
{
	change(3);
	assert_last(BEFORE, "3 0 0xffffffffc0000000 0x1000 kmt_no_such_new");
	change(4);
	assert_last(BEFORE, "3 4 0xffffffffc0000000 0x1000 kmt_no_such_new");
	change(0);
	assert_last(BEFORE, "0 0 0xffffffffb0000000 0x2000 kmt_no_such_old");
	g_assert_null(last_line(""));
}

/* Both modules have ended since: nothing that came later may have their names. */
static void modules_end_where_the_list_was_full(void)
{
	change(KMT_BPF_MODULES + 1);
	state.modules = 2;
	modules[1].base += 4096;
	modules[1].is_unloaded = FALSE;
	for (guint i = 2; i < KMT_BPF_MODULES; i++)
		modules[i].base += 8192;
	assert_last(BEFORE, "2 0 0xffffffffc0001000 0x1000 kmt_no_such_new");
	state.modules = KMT_BPF_MODULES + 1;
	for (guint i = 2; i < KMT_BPF_MODULES; i++)
		modules[i].name[0] = 'x';
	assert_last(BEFORE, "2 4096 0xffffffffc0001000 0x1000 kmt_no_such_new");
	change(1);
	state.modules = KMT_BPF_MODULES + 1;
	modules[0].name[0] = 'x';
	assert_last(BEFORE, "0 1 0xffffffffb0000000 0x2000 kmt_no_such_old");
}

static void set_function(guint at, guint64 addr, const char *name)
{
	functions[at] = (struct kmt_bpf_function){ .addr = addr, .type = 't' };
	strcpy(functions[at].name, name);
}

/* While a module was loaded, another one was unloaded: the functions of both are mixed. */
static void functions_are_those_at_its_addresses(void)
{
	g_autofree char *before = NULL, *after = NULL;

	change(2);
	modules[0].init_base = BASE + 8192;
	modules[0].init_size = 4096;
	modules[0].count = modules[1].count = 3;
	set_function(0, BASE + 8192 + 16, "begin");
	set_function(1, BASE + 16, "work");
	set_function(2, BASE + 8192 + 32, "begin_too");
	before = bpf_view_module_functions(&maps); /* it has not ended yet */
	g_assert_true(g_str_has_prefix(before, "init 1 "));
	g_assert_cmpuint(g_ascii_strtoull(before + strlen("init 1 "), NULL, 10), >, 7);
	modules[0].init_end_ns = 7;
	after = bpf_view_module_functions(&maps);
	g_assert_cmpstr(after, ==, "init 1 7 0xffffffffc0002000 0x1000 kmt_no_such_new\n"
				   "ffffffffc0002010 t begin\nffffffffc0002020 t begin_too\n"
				   "text 1 2 0xffffffffc0000000 0x1000 kmt_no_such_new\n"
				   "ffffffffc0000010 t work\n");
}

/* A function that is not there would have the name of the one before it. */
static void functions_are_all_there_or_none(void)
{
	g_autofree char *whole = NULL, *cut = NULL;

	change(2);
	set_function(KMT_BPF_FUNCTIONS - 1, BASE + 16, "last");
	modules[1].first = KMT_BPF_FUNCTIONS - 1;
	modules[1].count = 1;
	whole = bpf_view_module_functions(&maps);
	g_assert_cmpstr(whole, ==, "text 1 2 0xffffffffc0000000 0x1000 kmt_no_such_new\n"
				   "ffffffffc0000010 t last\n");
	modules[1].count = 2;
	cut = bpf_view_module_functions(&maps);
	g_assert_cmpstr(cut, ==, "");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf-modules/pairs", changes_are_paired);
	g_test_add_func("/bpf-modules/full", modules_end_where_the_list_was_full);
	g_test_add_func("/bpf-modules/mixed", functions_are_those_at_its_addresses);
	g_test_add_func("/bpf-modules/functions", functions_are_all_there_or_none);
	return g_test_run();
}
