// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * User stacks in reports and call trees. The traced program is this test: its functions record
 * their own addresses.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "report/select/select.h"
#include "report/calltree/costs.h"
#include "report/html/page.h"
#include "report/summary/report.h"
#include "store/store.h"
#include "output-check.h"
#include "store-check.h"

#define MS	G_GUINT64_CONSTANT(1000000)
#define PROGRAM	100	/* tgid */
#define UNKNOWN	200	/* of an unknown process */

static const char kallsyms[] = "ffffffff81001000 T entry\n"
			       "ffffffff81002000 T reader\n"
			       "ffffffff81003000 T writer\n"
			       "ffffffff81004000 T _etext\n";

enum { ENTRY = 0x1010, READER = 0x2010, WRITER = 0x3010 };

/* ---- the program ---- */

#define KNOWN	static __attribute__((noinline, noclone))
#define AFTER()	__asm__ volatile("")	/* prevents tail calls */
#define ADDRS	4

KNOWN void inner(guint64 *addrs)
{
	addrs[0] = (guintptr)inner;
	addrs[1] = 0;
	addrs[2] = (guintptr)__builtin_return_address(0);
	AFTER();
}

KNOWN void middle(guint64 *addrs)
{
	addrs[3] = (guintptr)__builtin_return_address(0);
	inner(addrs);
	AFTER();
}

KNOWN void outer_one(guint64 *addrs)
{
	middle(addrs);
	AFTER();
}

KNOWN void outer_two(guint64 *addrs)
{
	middle(addrs);
	AFTER();
}

/* ---- its trace ---- */

typedef struct {
	struct check_store store;
	guint64 now;
} Fixture;

/* The code mappings of this test, as a recorder writes them. */
static void put_maps(Fixture *f)
{
	g_autofree char *exe = g_file_read_link("/proc/self/exe", NULL), *all = NULL, *elf = NULL;
	GString *text = g_string_new("process 100 1\n");
	g_auto(GStrv) lines = NULL;
	GStatBuf st;

	g_assert_true(g_file_get_contents("/proc/self/maps", &all, NULL, NULL));
	g_assert_cmpint(g_stat(exe, &st), ==, 0);
	lines = g_strsplit(all, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		unsigned long start, end, offset;
		char mode[5];

		if (sscanf(lines[i], "%lx-%lx %4s %lx", &start, &end, mode, &offset) == 4 &&
		    mode[2] == 'x' && g_str_has_suffix(lines[i], exe))
			g_string_append_printf(text, "%lx %lx %lx %" G_GUINT64_FORMAT " %s\n", start,
					       end, offset, (guint64)st.st_ino, exe);
	}
	elf = g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT
			      " - %s\n", (guint64)st.st_ino, (gint64)st.st_size,
			      (guint64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec, exe);
	builder_snapshot(f->store.builder, "process_maps", KMEMTRACE_PHASE_START, text->str);
	builder_snapshot(f->store.builder, "elf_files", KMEMTRACE_PHASE_END, elf);
	g_string_free(text, TRUE);
}

static void put_alloc(Fixture *f, guint32 tgid, guint8 type, guint64 addr, guint site,
		      guint32 bytes, void (*program)(guint64 *addrs))
{
	const guint64 kernel[] = { TEXT + site, TEXT + ENTRY };
	guint64 addrs[ADDRS];

	program(addrs);
	f->now += MS;
	builder_event(f->store.builder, 0, (struct trace_event){
		.event = type, .time_ns = f->now, .addr = addr, .call_site = TEXT + site,
		.bytes_req = bytes, .bytes_alloc = bytes, .tid = tgid, .tgid = tgid,
		.stack_id = builder_stack(f->store.builder, kernel, 2),
		.user_stack_id = builder_stack(f->store.builder, addrs, ADDRS),
		.node = KMEMTRACE_NODE_ANY });
}

/* reader: twice 128 from outer_one, one of which is freed; 64 and a page from outer_two. */
static void setup(Fixture *f, gconstpointer unused)
{
	const struct builder_options options = {
		.record_len = sizeof(struct kmemtrace_record_user),
	};

	check_store_init_with(&f->store, &options);
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\n");
	put_maps(f);
	put_alloc(f, PROGRAM, KMEMTRACE_EVENT_KMALLOC, BASE + 0x1000, READER, 128, outer_one);
	f->now += MS;
	builder_event(f->store.builder, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_KFREE, .time_ns = f->now, .addr = BASE + 0x1000,
		.tid = PROGRAM, .tgid = PROGRAM, .call_site = TEXT + WRITER });
	put_alloc(f, PROGRAM, KMEMTRACE_EVENT_KMALLOC, BASE + 0x2000, READER, 128, outer_one);
	put_alloc(f, PROGRAM, KMEMTRACE_EVENT_KMALLOC, BASE + 0x3000, READER, 64, outer_two);
	put_alloc(f, PROGRAM, KMEMTRACE_EVENT_PAGE_ALLOC, 0x90000, READER, 4096, outer_two);
	put_alloc(f, PROGRAM, KMEMTRACE_EVENT_KMALLOC, BASE + 0x4000, WRITER, 32, outer_one);
	put_alloc(f, UNKNOWN, KMEMTRACE_EVENT_KMALLOC, BASE + 0x5000, WRITER, 16, outer_one);
	check_store_load(&f->store);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* ---- report ---- */

#define TITLE	"\nTotal allocated, by user stack\n"

static char *report(Fixture *f, const char *site, int limit, gboolean json)
{
	const ReportOptions options = { .name = "t.kmt", .limit = limit, .site = site, .json = json,
					.older_ns = 3600000 * MS };
	gboolean incomplete;

	return CHECK_OUTPUT(report_print(f->store.db, &options, out, &incomplete, &error));
}

/* The text after the title, without function offsets. */
static void expect_chains(const char *text, const char *expected)
{
	g_autoptr(GRegex) offset = g_regex_new("\\+0x[0-9a-f]+ \\[test-userstacks\\]", 0, 0, NULL);
	const char *found = strstr(text, TITLE);
	g_autofree char *plain = NULL;

	g_assert_nonnull(found);
	plain = g_regex_replace_literal(offset, found + strlen(TITLE), -1, 0, "", 0, NULL);
	g_assert_cmpstr(plain, ==, expected);
}

static void report_of_site_has_its_user_stacks(Fixture *f, gconstpointer unused)
{
	g_autofree char *all = report(f, "reader", 20, FALSE);
	g_autofree char *few = report(f, "reader", 2, FALSE);
	g_autofree char *json = report(f, "reader", 20, TRUE);

#define TWO	"4.0K in 1, live 4.0K in 1: page\n    inner\n    middle\n    outer_two\n" \
		"256 in 2, live 128 in 1: slab\n    inner\n    middle\n    outer_one\n"
	expect_chains(few, TWO);
	expect_chains(all, TWO "64 in 1, live 64 in 1: slab\n    inner\n    middle\n    outer_two\n");
	g_assert_nonnull(strstr(json, "\"user_stacks\": [\n{\"total_bytes\":4096,\"count\":1,"
				      "\"live_bytes\":4096,\"live_count\":1,\"kind\":\"page\","));
}

static void report_of_all_sites_has_no_user_stacks(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = report(f, "", 20, FALSE), *json = report(f, "", 20, TRUE);

	g_assert_null(strstr(text, TITLE));
	g_assert_null(strstr(json, "\"user_stacks\""));
}

static void report_counts_unresolved_user_stacks(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = report(f, "", 20, FALSE);

	g_assert_nonnull(strstr(text, "USER STACKS: 1 of 6 are only addresses: the code there is "
				      "unknown\n"));
}

/* The second allocation of outer_one, and the 64. */
static void report_of_interval_has_its_user_stacks(Fixture *f, gconstpointer unused)
{
	Selection selection = { .from = "2ms", .to = "4ms" };
	GError *error = NULL;
	g_autofree char *text = NULL;

	g_assert_true(select_restrict(f->store.db, &selection, &error));
	g_assert_no_error(error);
	text = report(f, "reader", 20, FALSE);
	expect_chains(text, "128 in 1, live 128 in 1: slab\n    inner\n    middle\n    outer_one\n"
			    "64 in 1, live 64 in 1: slab\n    inner\n    middle\n    outer_two\n");
}

/* ---- trees ---- */

/* "path bytes" of all nodes with self bytes, sorted. */
static char *leaves_of(const CallCosts *data, guint kind, gboolean callers)
{
	CallTree *tree = call_costs_tree(data, kind, &(CallView){ .callers = callers });
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	for (guint32 i = 0; i < calltree_count(tree); i++) {
		const CallNode *node = calltree_node(tree, i);
		g_autoptr(GString) path = g_string_new(NULL);

		if (!node->self.of[CALL_BYTES])
			continue;
		for (guint32 at = i; at; at = calltree_node(tree, at)->parent) {
			guint32 frame = calltree_node(tree, at)->frame;
			const char *module = call_costs_module(data, frame);

			if (module)
				g_assert_cmpstr(module, ==, "test-userstacks");
			g_string_prepend(path, call_costs_function(data, frame));
			g_string_prepend(path, module ? " *" : " ");
		}
		g_ptr_array_add(lines, g_strdup_printf("%s %d", path->str + 1,
						       (int)node->self.of[CALL_BYTES]));
	}
	calltree_free(tree);
	g_ptr_array_sort(lines, compare_texts);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

static void trees_begin_with_user_frames(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;
	g_autoptr(CallCosts) data = call_costs_read(f->store.db, CALL_METRICS_ALL, -1, -1, &error);
	g_autofree char *slab = leaves_of(data, 0, FALSE), *page = leaves_of(data, 1, FALSE);
	g_autofree char *up = leaves_of(data, 1, TRUE);

	g_assert_cmpstr(slab, ==, "(unknown) (unknown) (unknown) entry writer 16\n"
				  "*outer_one *middle *inner entry reader 256\n"
				  "*outer_one *middle *inner entry writer 32\n"
				  "*outer_two *middle *inner entry reader 64");
	g_assert_cmpstr(page, ==, "*outer_two *middle *inner entry reader 4096");
	g_assert_cmpstr(up, ==, "reader entry *inner *middle *outer_two 4096");
}

static void page_has_user_frames(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;
	g_autoptr(HtmlData) data = htmldata_read(f->store.db, "t.kmt", NULL, &error);
	g_autofree char *json = htmldata_json(data, HTML_MAX_BYTES, NULL, &error);

	g_assert_no_error(error);
	g_assert_nonnull(strstr(json, "[\"outer_one\",\"test-userstacks\"]"));
	g_assert_nonnull(strstr(json, "[\"outer_two\",\"test-userstacks\"]"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add("/userstacks/" #name, Fixture, NULL, setup, name, teardown)
	TEST(report_of_site_has_its_user_stacks);
	TEST(report_of_all_sites_has_no_user_stacks);
	TEST(report_counts_unresolved_user_stacks);
	TEST(report_of_interval_has_its_user_stacks);
	TEST(trees_begin_with_user_frames);
	TEST(page_has_user_frames);
	return g_test_run();
}
