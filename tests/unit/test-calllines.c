// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call trees with source lines, inlined functions and subsystems. The debug files are compiled here
 * from sources with known lines, in folders like those of the kernel source.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/compare.h"
#include "report/export/formats.h"
#include "report/export/pprof.pb-c.h"
#include "report/groups/subsystem.h"
#include "trace-check.h"

#define RELEASE	"6.1.0-test"
#define SLIDE	G_GUINT64_CONSTANT(0xffffffff20000000)
#define MODULE	G_GUINT64_CONSTANT(0xffffffffc0100000)
#define PLAIN	G_GUINT64_CONSTANT(0xffffffffc0900000)
#define SLAB	0
#define PAGE	1

/* at_… labels an instruction: a call there would return to the next byte. */
#define AT "#define AT(name) __asm__ volatile(\".globl at_\" #name \"\\nat_\" #name \": nop\" : \"+r\"(x))\n"

static const char file_c[] =
	AT
	"#define INLINE static inline __attribute__((always_inline))\n"
	"INLINE int kmalloc_noprof(int x)\n"
	"{\n"
	"	AT(kmalloc); return x;\n"	/* 5 */
	"}\n"
	"INLINE int inner(int x)\n"
	"{\n"
	"	AT(inner); return x;\n"	/* 9 */
	"}\n"
	"INLINE int middle(int x)\n"
	"{\n"
	"	return inner(x) + 1;\n"	/* 13 */
	"}\n"
	"int outer(int x);\n"
	"int outer(int x)\n"
	"{\n"
	"	x = middle(x) * 3;\n"	/* 18 */
	"	AT(again); return x;\n"	/* 19 */
	"}\n"
	"int taker(int x);\n"
	"int taker(int x)\n"
	"{\n"
	"	return kmalloc_noprof(x) * 5;\n"	/* 24 */
	"}\n";

static const char entry_c[] =
	AT
	"__asm__(\".globl _stext\\n_stext: nop\");\n"
	"int entry(int x);\n"
	"int entry(int x)\n"
	"{\n"
	"	AT(entry); return x;\n"	/* 6 */
	"}\n";

static const char low_c[] =
	AT
	"int low(int x);\n"
	"int low(int x)\n"
	"{\n"
	"	AT(low); return x;\n"	/* 5 */
	"}\n";

static const char link_c[] =
	AT
	"int link_up(int x);\n"
	"int link_up(int x)\n"
	"{\n"
	"	AT(link); return x;\n"	/* 5 */
	"}\n";

#define KERNEL_PATH	"usr/lib/debug/boot/vmlinux-" RELEASE
#define MODULE_PATH	"usr/lib/debug/lib/modules/" RELEASE "/kernel/net/mod/link.ko"

static char *folder;	/* with the sources and the debug files */

/* ---- files ---- */

static void run(const char *command)
{
	g_autofree char *line = g_strdup_printf("cd '%s' && %s", folder, command);
	const char *argv[] = { "/bin/sh", "-c", line, NULL };
	int status;

	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, NULL, NULL, &status,
				   NULL));
	if (status)
		g_error("%s: failed", command);
}

static char *path_of(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

static void put(const char *name, const char *text)
{
	g_autofree char *path = path_of(name);
	FILE *out = fopen(path, "w");

	g_assert_nonnull(out);
	g_assert_cmpint(fputs(text, out), >=, 0);
	g_assert_cmpint(fclose(out), ==, 0);
}

/* low.c is compiled elsewhere, so that its path is absolute. */
static void compile(void)
{
	g_autofree char *low = NULL;

	folder = g_dir_make_tmp("kmt-calllines-XXXXXX", NULL);
	run("mkdir -p usr/lib/debug/boot usr/lib/debug/lib/modules/" RELEASE
	    "/kernel/net/mod kernel fs/known arch/x86/low net/mod elsewhere");
	put("fs/known/file.c", file_c);
	put("kernel/entry.c", entry_c);
	put("arch/x86/low/low.c", low_c);
	put("net/mod/link.c", link_c);
	put("flags", "-g -O2 -ffreestanding -fno-pie -fno-stack-protector -fcf-protection=none");
	low = g_strdup_printf("(cd elsewhere && gcc @../flags -c -o ../low.o '%s/arch/x86/low/low.c')",
			      folder);
	run(low);
	run("gcc @flags -c -o entry.o kernel/entry.c && gcc @flags -c -o file.o fs/known/file.c && "
	    "gcc -nostdlib -static -no-pie -Wl,-e,entry -Wl,--build-id=sha1 -Wl,-Ttext=0x1000000 -o " KERNEL_PATH
	    " entry.o file.o low.o && "
	    "gcc @flags -c -o link.o net/mod/link.c && ld -r --build-id=sha1 -o " MODULE_PATH " link.o");
}

/* By nm, which is independent of our reader. */
static guint64 address_in(const char *file, const char *name)
{
	g_autofree char *path = path_of(file), *output = NULL;
	g_autofree char *ending = g_strconcat(" ", name, NULL);
	const char *argv[] = { "nm", path, NULL };
	g_auto(GStrv) lines = NULL;

	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
				   &output, NULL, NULL, NULL));
	lines = g_strsplit(output, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		if (g_str_has_suffix(lines[i], ending))
			return g_ascii_strtoull(lines[i], NULL, 16);
	}
	g_error("%s has no %s", path, name);
}

static guint64 kernel(const char *name)
{
	return address_in(KERNEL_PATH, name) + SLIDE;
}

/* The return address of a call at the label @name. */
static guint64 after(const char *name)
{
	return kernel(name) + 1;
}

/* ---- a trace ---- */

typedef struct {
	struct check_file trace;
	char *db_path;
	StoreDb *db;
	CallCosts *data;
} Fixture;

static char *make_kallsyms(void)
{
	static const char *const names[] = { "_stext", "entry", "outer", "taker", "low" };
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		g_string_append_printf(text, "%" G_GINT64_MODIFIER "x T %s\n", kernel(names[i]),
				       names[i]);
	g_string_append_printf(text, "%" G_GINT64_MODIFIER "x t link_up\t[link]\n",
			       MODULE + address_in(MODULE_PATH, "link_up"));
	g_string_append_printf(text, "%" G_GINT64_MODIFIER "x t plain_take\t[plain]\n", PLAIN);
	return g_string_free(text, FALSE);
}

static void take(struct builder *b, guint8 event, guint64 bytes, const guint64 *addrs, guint depth)
{
	builder_event(b, 0, (struct trace_event){
		.event = event, .time_ns = bytes, .tid = 1, .node = KMEMTRACE_NODE_ANY,
		.addr = event == KMEMTRACE_EVENT_PAGE_ALLOC ? 0x90000 :
							      0xffff888000000000 + bytes * 4096,
		.call_site = addrs[0], .bytes_req = bytes, .bytes_alloc = bytes,
		.stack_id = builder_stack(b, addrs, depth) });
}

/*
 * In outer() 128 bytes where inner() is inlined through middle(), and 64; in taker() 32, by
 * kmalloc().
 */
static void setup(Fixture *f, gconstpointer unused)
{
	g_autofree char *kallsyms = make_kallsyms();
	guint64 entry = after("at_entry"), link = MODULE + address_in(MODULE_PATH, "at_link") + 1;
	StoreLoadResult result;
	GError *error = NULL;
	struct builder *b;

	f->trace = check_file_make();
	f->db_path = g_strconcat(f->trace.path, ".db", NULL);
	b = builder_new(f->trace.path);
	take(b, KMEMTRACE_EVENT_KMALLOC, 32, (guint64[]){ after("at_kmalloc"), entry }, 2);
	take(b, KMEMTRACE_EVENT_KMALLOC, 64, (guint64[]){ after("at_again"), entry }, 2);
	take(b, KMEMTRACE_EVENT_KMALLOC, 128, (guint64[]){ after("at_inner"), entry }, 2);
	take(b, KMEMTRACE_EVENT_KMALLOC, 256, (guint64[]){ PLAIN + 9, after("at_low"), entry }, 3);
	take(b, KMEMTRACE_EVENT_PAGE_ALLOC, 4096, (guint64[]){ link, entry }, 2);
	builder_snapshot(b, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\n");
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "release=" RELEASE "\n");
	builder_snapshot(b, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_finish(b);
	store_load(f->trace.path, f->db_path, NULL, NULL, &result, &error);
	g_assert_no_error(error);
	f->db = store_open(f->db_path, &error);
	g_assert_no_error(error);
	f->data = call_costs_read(f->db, CALL_METRICS_BIT(CALL_BYTES), -1, -1, &error);
	g_assert_no_error(error);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	call_costs_free(f->data);
	store_close(f->db);
	g_unlink(f->db_path);
	g_free(f->db_path);
	check_file_clear(&f->trace);
}

static void add_lines(Fixture *f, int kind)
{
	DebugPlaces places = { .symfs = folder };
	GError *error = NULL;

	g_assert_true(store_open_lines(f->db, &places, TRUE, &error));
	g_assert_no_error(error);
	call_costs_add_lines(f->data, f->db, kind);
}

/*
 * ---- trees as text: "function [module] (place) self/total", indented by depth, ordered by bytes
 * ----
 */

static char *name_of(const CallCosts *data, guint32 frame)
{
	g_autofree char *place = call_costs_describe_place(data, frame);
	const char *module = call_costs_module(data, frame);

	return g_strconcat(call_costs_function(data, frame), module ? " " : "", module ?: "",
			   place ? " " : "", place, NULL);
}

static char *text_of(const CallCosts *data, const CallTree *tree)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	for (guint32 i = 0; i < calltree_count(tree); i++) {
		const CallNode *node = calltree_node(tree, i);
		g_autoptr(GString) path = g_string_new(NULL);

		for (guint32 at = i; at; at = calltree_node(tree, at)->parent) {
			g_autofree char *name = name_of(data, calltree_node(tree, at)->frame);

			g_string_prepend(path, name);
			g_string_prepend_c(path, ';');
		}
		g_ptr_array_add(lines, g_strdup_printf("%s %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT,
						       path->str, node->self.of[CALL_BYTES],
						       node->total.of[CALL_BYTES]));
	}
	g_ptr_array_sort(lines, compare_texts);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

static void expect_tree(Fixture *f, guint kind, const CallView *view, const char *expected)
{
	g_autoptr(CallTree) tree = call_costs_tree(f->data, kind, view);
	g_autofree char *text = text_of(f->data, tree);

	g_assert_cmpstr(text, ==, expected);
}

#define ENTRY	"entry (kernel/entry.c:6)"
#define OUTER	"outer (fs/known/file.c:18)"
#define AGAIN	"outer (fs/known/file.c:19)"
#define MIDDLE	"middle (fs/known/file.c:13, inlined)"
#define INNER	"inner (fs/known/file.c:9, inlined)"
#define TAKER	"taker (fs/known/file.c:24)"

static void tree_has_lines_and_inlined_functions(Fixture *f, gconstpointer unused)
{
	g_autofree char *low = g_strdup_printf("low (%s/arch/x86/low/low.c:5)", folder);
	g_autofree char *expected = g_strdup_printf(
		" 0/480\n"
		";" ENTRY " 0/480\n"
		";" ENTRY ";%s 0/256\n"
		";" ENTRY ";%s;plain_take plain 256/256\n"
		";" ENTRY ";" OUTER " 0/128\n"
		";" ENTRY ";" OUTER ";" MIDDLE " 0/128\n"
		";" ENTRY ";" OUTER ";" MIDDLE ";" INNER " 128/128\n"
		";" ENTRY ";" AGAIN " 64/64\n"
		";" ENTRY ";" TAKER " 32/32", low, low);

	add_lines(f, -1);
	g_assert_true(call_costs_has_lines(f->data));
	expect_tree(f, SLAB, &(CallView){ .allocators = FALSE }, expected);
	expect_tree(f, PAGE, &(CallView){ .allocators = FALSE },
		    " 0/4096\n;" ENTRY " 0/4096\n;" ENTRY ";link_up link (net/mod/link.c:5) 4096/4096");
}

static void tree_has_no_lines_without_debug_files(Fixture *f, gconstpointer unused)
{
	call_costs_add_lines(f->data, f->db, -1);
	g_assert_false(call_costs_has_lines(f->data));
	expect_tree(f, SLAB, &(CallView){ .allocators = FALSE },
		    " 0/480\n;entry 0/480\n;entry;low 0/256\n;entry;low;plain_take plain 256/256\n"
		    ";entry;outer 192/192\n;entry;taker 32/32");
}

/* An inlined allocator is shown only with the allocators. */
static void inlined_allocator_is_no_caller(Fixture *f, gconstpointer unused)
{
	add_lines(f, -1);
	expect_tree(f, SLAB, &(CallView){ .from = "taker" }, " 0/32\n;" TAKER " 32/32");
	expect_tree(f, SLAB, &(CallView){ .from = "taker", .allocators = TRUE },
		    " 0/32\n;" TAKER " 0/32\n;" TAKER ";kmalloc (fs/known/file.c:5, inlined) 32/32");
}

static void tree_begins_at_inlined_function(Fixture *f, gconstpointer unused)
{
	add_lines(f, -1);
	expect_tree(f, SLAB, &(CallView){ .from = "middle" },
		    " 0/128\n;" MIDDLE " 0/128\n;" MIDDLE ";" INNER " 128/128");
	expect_tree(f, SLAB, &(CallView){ .from = "middle", .callers = TRUE },
		    " 0/128\n;" MIDDLE " 0/128\n;" MIDDLE ";" OUTER " 0/128\n;" MIDDLE ";" OUTER
		    ";" ENTRY " 128/128");
	expect_tree(f, SLAB, &(CallView){ .callers = TRUE, .from = "outer" },
		    " 0/192\n;" OUTER " 0/128\n;" OUTER ";" ENTRY " 128/128\n"
		    ";" AGAIN " 0/64\n;" AGAIN ";" ENTRY " 64/64");
	expect_tree(f, SLAB, &(CallView){ .from = "kmalloc*" },
		    " 0/32\n;kmalloc (fs/known/file.c:5, inlined) 32/32");
}

static gint64 chosen(Fixture *f, const char *focus)
{
	GError *error = NULL;
	g_autoptr(StackExpr) expr = stackexpr_parse(focus, &error);

	g_assert_no_error(error);
	g_autoptr(CallTree) only = call_costs_tree(f->data, SLAB, &(CallView){ .focus = expr });
	g_autoptr(CallTree) rest = call_costs_tree(f->data, SLAB, &(CallView){ .ignore = expr });

	g_assert_cmpint(calltree_node(only, 0)->total.of[CALL_BYTES] +
			calltree_node(rest, 0)->total.of[CALL_BYTES], ==, 480);
	return calltree_node(only, 0)->total.of[CALL_BYTES];
}

static void focus_matches_inlined_names(Fixture *f, gconstpointer unused)
{
	g_assert_cmpint(chosen(f, "inner"), ==, 0);
	g_assert_cmpint(chosen(f, "[fs/known]"), ==, 0);
	add_lines(f, -1);
	g_assert_cmpint(chosen(f, "inner"), ==, 128);
	g_assert_cmpint(chosen(f, "mid*"), ==, 128);
	g_assert_cmpint(chosen(f, "outer and not middle"), ==, 64);
	g_assert_cmpint(chosen(f, "kmalloc_noprof"), ==, 32);
	g_assert_cmpint(chosen(f, "taker or [plain]"), ==, 288);
	g_assert_cmpint(chosen(f, "[fs/known] and not taker"), ==, 192);
	g_assert_cmpint(chosen(f, "[arch/*]"), ==, 256);
}

/* The module that only the other kind uses is not opened. */
static void lines_are_added_to_one_kind_only(Fixture *f, gconstpointer unused)
{
	add_lines(f, SLAB);
	expect_tree(f, PAGE, &(CallView){ .allocators = FALSE },
		    " 0/4096\n;" ENTRY " 0/4096\n;" ENTRY ";link_up link 4096/4096");
}

static void modules_have_no_lines(Fixture *f, gconstpointer unused)
{
	add_lines(f, -1);
	expect_tree(f, SLAB, &(CallView){ .by_module = TRUE },
		    " 0/480\n;[kernel] 224/480\n;[kernel];[plain] 256/256");
}

static void frames_fold_by_subsystem(Fixture *f, gconstpointer unused)
{
	add_lines(f, -1);
	expect_tree(f, SLAB, &(CallView){ .by_subsystem = TRUE },
		    " 0/480\n;[kernel] 0/480\n;[kernel];[arch/x86] 0/256\n"
		    ";[kernel];[arch/x86];[plain] 256/256\n;[kernel];[fs/known] 224/224");
	expect_tree(f, PAGE, &(CallView){ .by_subsystem = TRUE },
		    " 0/4096\n;[kernel] 0/4096\n;[kernel];[net/mod] 4096/4096");
	expect_tree(f, SLAB, &(CallView){ .by_subsystem = TRUE, .callers = TRUE, .from = "inner" },
		    " 0/128\n;[fs/known] 0/128\n;[fs/known];[kernel] 128/128");
	g_assert_cmpuint(call_costs_unknown_subsystems(f->data), ==, 0);
}

/* The kernel has no debug file, but the module has. */
static void unknown_subsystem_is_shown(Fixture *f, gconstpointer unused)
{
	g_autofree char *from = path_of(KERNEL_PATH), *to = path_of("moved");

	g_assert_cmpint(g_rename(from, to), ==, 0);
	add_lines(f, -1);
	g_assert_cmpint(g_rename(to, from), ==, 0);
	expect_tree(f, PAGE, &(CallView){ .by_subsystem = TRUE },
		    " 0/4096\n;(unknown subsystem) 0/4096\n;(unknown subsystem);[net/mod] 4096/4096");
	expect_tree(f, SLAB, &(CallView){ .by_subsystem = TRUE },
		    " 0/480\n;(unknown subsystem) 224/480\n;(unknown subsystem);[plain] 256/256");
	/* entry, outer, taker, low */
	g_assert_cmpuint(call_costs_unknown_subsystems(f->data), ==, 4);
}

/* ---- exports ---- */

static char *export_to(Fixture *f, const char *format, const CallsOptions *options, gsize *len)
{
	Export export = { .db = f->db, .name = "t", .completeness = "complete", .options = options };
	GError *error = NULL;
	char *text = NULL;

	export.out = open_memstream(&text, len);
	g_assert_nonnull(export.out);
	g_assert_true(export_find(format)->print(&export, &error));
	g_assert_no_error(error);
	g_assert_cmpint(fclose(export.out), ==, 0);
	return text;
}

static char *export_as(Fixture *f, const char *format, const CallsOptions *options)
{
	gsize len;

	return export_to(f, format, options, &len);
}

static void export_has_lines(Fixture *f, gconstpointer unused)
{
	CallsOptions options = { .kind = SLAB,
				 .view.from = "middle" };
	g_autofree char *folded = NULL, *scope = NULL;

	add_lines(f, -1);
	folded = export_as(f, "folded", &options);
	g_assert_cmpstr(folded, ==, MIDDLE ";" INNER " 128\n");
	scope = export_as(f, "speedscope", &options);
	g_assert_nonnull(strstr(scope, "{\"name\": \"" INNER "\", \"file\": \"fs/known/file.c\", \"line\": 9}"));
	options.view = (CallView){ .by_subsystem = TRUE, .from = "outer" };
	g_free(folded);
	folded = export_as(f, "folded", &options);
	g_assert_cmpstr(folded, ==, "[fs/known] 192\n");
}

static Kmt__Pprof__Profile *unpack(char *packed, gsize len)
{
	g_autofree guint8 *bytes = g_malloc(1 << 20);
	z_stream stream = { .next_in = (Bytef *)(gpointer)packed, .avail_in = len,
			    .next_out = bytes, .avail_out = 1 << 20 };

	g_assert_cmpint(inflateInit2(&stream, 15 + 16), ==, Z_OK);
	g_assert_cmpint(inflate(&stream, Z_FINISH), ==, Z_STREAM_END);
	inflateEnd(&stream);
	return kmt__pprof__profile__unpack(NULL, stream.total_out, bytes);
}

static void pprof_has_lines(Fixture *f, gconstpointer unused)
{
	CallsOptions options = { .kind = SLAB };
	g_autofree char *packed = NULL;
	Kmt__Pprof__Profile *profile;
	guint found = 0;
	gsize len;

	add_lines(f, -1);
	packed = export_to(f, "pprof", &options, &len);
	profile = unpack(packed, len);
	g_assert_nonnull(profile);
	for (size_t i = 0; i < profile->n_function; i++) {
		const Kmt__Pprof__Function *function = profile->function[i];

		g_assert_cmpuint(profile->location[i]->line[0]->function_id, ==, function->id);
		if (strcmp(profile->string_table[function->name], "inner"))
			continue;
		g_assert_cmpstr(profile->string_table[function->filename], ==, "fs/known/file.c");
		g_assert_cmpint(profile->location[i]->line[0]->line, ==, 9);
		found++;
	}
	g_assert_cmpuint(found, ==, 1);
	kmt__pprof__profile__free_unpacked(profile, NULL);
}

/* ---- paths ---- */

static void path_gives_its_subsystem(void)
{
	static const struct {
		const char *path, *root;
		gboolean module;
		const char *expected;
	} cases[] = {
		{ "mm/slub.c", NULL, FALSE, "mm" },
		{ "mm/kasan/common.c", NULL, FALSE, "mm" },
		{ "fs/libfs.c", NULL, FALSE, "fs" },
		{ "fs/ext4/inode.c", NULL, TRUE, "fs/ext4" },
		{ "drivers/net/ethernet/x/y.c", NULL, TRUE, "drivers/net" },
		{ "net/ipv4/tcp.c", NULL, FALSE, "net/ipv4" },
		{ "arch/x86/entry/common.c", NULL, FALSE, "arch/x86" },
		{ "sound//x.c", NULL, FALSE, "sound" },
		{ "../../fs/ext4/inode.c", NULL, TRUE, "fs/ext4" },
		{ "./fs/ext4/inode.c", NULL, TRUE, "fs/ext4" },
		{ "newfolder/x.c", NULL, FALSE, "newfolder" },
		{ "newfolder/x.c", NULL, TRUE, NULL },
		{ "x.c", NULL, FALSE, NULL },
		{ "", NULL, FALSE, NULL },
		{ "/", NULL, FALSE, NULL },
		{ "/b/linux/fs/ext4/inode.c", NULL, FALSE, NULL },
		{ "/b/linux/fs/ext4/inode.c", "/b/linux/", FALSE, "fs/ext4" },
		{ "/b/linux/fs/ext4/inode.c", "/b/linux/", TRUE, "fs/ext4" },
		{ "/build/kernel/mine/x.c", "/b/linux/", TRUE, NULL },
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *found =
			subsystem_of(cases[i].path, cases[i].root, cases[i].module);

		g_assert_cmpstr(found, ==, cases[i].expected);
	}
}

static void expect_root(const char *const *paths, const char *expected)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	g_autofree char *root = NULL;

	for (; *paths; paths++)
		g_ptr_array_add(all, (gpointer)*paths);
	root = subsystem_root(all);
	g_assert_cmpstr(root, ==, expected);
}

static void source_root_is_found(void)
{
	expect_root((const char *const[]){ "mm/slub.c", "x.c", "/x.c", "", NULL }, NULL);
	expect_root((const char *const[]){ "/build/kernel/linux/fs/namei.c",
					   "/build/kernel/linux/mm/slub.c", NULL },
		    "/build/kernel/linux/");
	expect_root((const char *const[]){ "/b/drivers/net/x.c", "/b/fs/x.c", "/b/mm/x.c", NULL },
		    "/b/");
	expect_root((const char *const[]){ "/arch/x86/a.S", NULL }, "/");
}

#define ADD(name) g_test_add("/calllines/" #name, Fixture, NULL, setup, name, teardown)

int main(int argc, char **argv)
{
	g_autofree char *remove = NULL;
	int result;

	g_test_init(&argc, &argv, NULL);
	g_unsetenv("DEBUGINFOD_URLS");
	ADD(tree_has_lines_and_inlined_functions);
	ADD(tree_has_no_lines_without_debug_files);
	ADD(inlined_allocator_is_no_caller);
	ADD(tree_begins_at_inlined_function);
	ADD(focus_matches_inlined_names);
	ADD(lines_are_added_to_one_kind_only);
	ADD(modules_have_no_lines);
	ADD(frames_fold_by_subsystem);
	ADD(unknown_subsystem_is_shown);
	ADD(export_has_lines);
	ADD(pprof_has_lines);
	g_test_add_func("/calllines/path_gives_its_subsystem", path_gives_its_subsystem);
	g_test_add_func("/calllines/source_root_is_found", source_root_is_found);
	compile();
	result = g_test_run();
	remove = g_strdup_printf("rm -rf '%s'", folder);
	run(remove);
	g_free(folder);
	return result;
}
