// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps addresses to names, and tells which names are the allocators' own. */
#include <glib.h>
#include <time.h>

#include "symbols/moduletimes.h"
#include "symbols/symbols.h"

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81001000 t local_name\n"
	"ffffffff81001000 T global_name\n"
	"ffffffff81002000 W weak_name\n"
	"ffffffff81003000 D some_data\n"
	"ffffffff81004000 t last_name\n"
	"ffffffff81005000 T _etext\n"
	"ffffffffc0001000 t mod_first\t[mod]\n"
	"ffffffffc0001800 t mod_last\t[mod]\n"
	"ffffffffc0100000 t free_range\t[other]\n";

static const char modules[] = "mod 8192 0 - Live 0xffffffffc0001000 (OE)\n";

static void expect_symbol(const Symbols *symbols, guint64 addr, const char *name)
{
	Symbol symbol;
	gboolean known = symbols_resolve(symbols, addr, &symbol);

	g_assert_cmpstr(known ? symbol.name : NULL, ==, name);
}

/* ftrace keeps the names of init functions, where the next module may be. */
static void init_functions_of_live_modules_have_no_symbols(void)
{
	static const char names[] = "ffffffffc0001000 t one_work\t[one]\n"
				    "ffffffffc0003000 T one_init\t[one]\n"
				    "ffffffffc0003800 t two_work\t[two]\n"
				    "ffffffffc0004010 T one_init_too\t[one]\n";
	Symbols *live = symbols_new(names, "one 65536 0 - Live 0xffffffffc0001000\n"
					   "two 65536 0 - Live 0xffffffffc0002000\n");
	Symbols *loading = symbols_new(names, "one 4096 0 - Loading 0xffffffffc0001000\n");

	expect_symbol(live, 0xffffffffc0001010, "one_work");
	expect_symbol(live, 0xffffffffc0003010, NULL);
	expect_symbol(live, 0xffffffffc0004020, "two_work");
	expect_symbol(loading, 0xffffffffc0003010, "one_init");
	symbols_free(live);
	symbols_free(loading);
}

/* Each function costs memory, and its line may be short. */
static void number_of_functions_is_limited(void)
{
	const guint most = 1 << 20;
	g_autoptr(GString) text = g_string_new(NULL);
	Symbols *symbols;

	for (guint i = 1; i <= most + 3; i++)
		g_string_append_printf(text, "%x t a\n", i * 16);
	symbols = symbols_new(text->str, NULL);
	g_assert_cmpuint(symbols_skipped_lines(symbols), ==, 3);
	symbols_free(symbols);
}

static void expect(const Symbols *symbols, guint64 addr, const char *name, const char *module,
		   guint64 offset)
{
	Symbol symbol;

	g_assert_true(symbols_resolve(symbols, addr, &symbol));
	g_assert_cmpstr(symbol.name, ==, name);
	g_assert_cmpstr(symbol.module, ==, module);
	g_assert_cmpuint(symbol.offset, ==, offset);
	g_assert_cmpuint(symbol.start, ==, addr - offset);
}

static void expect_none(const Symbols *symbols, guint64 addr)
{
	Symbol symbol;

	g_assert_false(symbols_resolve(symbols, addr, &symbol));
}

static void global_name_wins_over_local(void)
{
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, modules);

	expect(symbols, 0xffffffff81001010, "global_name", NULL, 0x10);
}

/* A label at the start of a function, global or not. */
static void function_name_wins_over_label(void)
{
	g_autoptr(Symbols) symbols = symbols_new(
		"1000 T _stext\n1000 T _text\n1000 t first\n2000 T __sched_text_start\n"
		"2000 t second\n3000 T __sched_text_end\n3000 T __pfx_third\n3000 t third\n"
		"4000 T _sinittext\n4000 t fourth\n5000 T __cpuidle_text_start\n", NULL);

	expect(symbols, 0x1010, "first", NULL, 0x10);
	expect(symbols, 0x2010, "second", NULL, 0x10);
	expect(symbols, 0x3010, "third", NULL, 0x10);
	expect(symbols, 0x4010, "fourth", NULL, 0x10);
	expect(symbols, 0x5010, "__cpuidle_text_start", NULL, 0x10);	/* the only symbol there */
	g_assert_cmpuint(symbols_kernel_start(symbols), ==, 0x1000);
}

/* On arm64, kallsyms has a mapping symbol wherever code or data begins in a module. */
static void mapping_symbols_are_no_functions(void)
{
	g_autoptr(Symbols) symbols = symbols_new("1000 T _stext\n1000 t $x\t[m]\n1000 t first\t[m]\n1020 t $d\t[m]\n"
						 "1030 t $x.12\t[m]\n2000 t $dollar\t[m]\n", NULL);

	expect(symbols, 0x1010, "first", "m", 0x10);
	expect(symbols, 0x1040, "first", "m", 0x40);
	expect(symbols, 0x2010, "$dollar", "m", 0x10);
}

/* What follows belongs to an unloaded module. */
static void code_that_the_kernel_made_has_one_page_or_no_name(void)
{
	g_autoptr(Symbols) symbols = symbols_new("1000 T _stext\n100000 t bpf_trampoline_6442487653\t[bpf]\n"
						 "200000 t bpf_prog_0123456789abcdef_probe\t[bpf]\n"
						 "300000 t ftrace_trampoline\t[__builtin__ftrace]\n"
						 "400000 t work\t[mod]\n", NULL);
	Symbol symbol;

	g_assert_false(symbols_resolve(symbols, 0x100116, &symbol));
	g_assert_true(symbols_is_trampoline(symbols, 0x100116));
	g_assert_false(symbols_is_trampoline(symbols, 0x101116));
	g_assert_false(symbols_is_trampoline(symbols, 0x200116));
	g_assert_false(symbols_is_trampoline(NULL, 0x100116));
	expect(symbols, 0x300046, "ftrace_trampoline", "__builtin__ftrace", 0x46);
	g_assert_false(symbols_resolve(symbols, 0x30c0b7, &symbol));
	expect(symbols, 0x200fff, "bpf_prog_0123456789abcdef_probe", "bpf", 0xfff);
	g_assert_false(symbols_resolve(symbols, 0x201010, &symbol));
	expect(symbols, 0x410010, "work", "mod", 0x10010);
}

static gboolean has_name(const Symbols *end, const Symbols *start, guint64 addr, const char *name)
{
	Symbol symbol;

	return symbols_resolve_both(end, start, addr, NULL, &symbol) &&
	       g_strcmp0(symbol.name, name) == 0;
}

/* A program may have been removed, and another one loaded at its place. */
static void bpf_program_that_is_not_at_both_ends_has_no_name(void)
{
	g_autoptr(Symbols) start = symbols_new("1000 T f\n9000 t bpf_prog_1_a\t[bpf]\n9100 t bpf_prog_2_b\t[bpf]\n"
					       "9200 t bpf_prog_3_c\t[bpf]\n9300 t bpf_prog_4_d\t[bpf]\na000 t bpf_prog_7_f\t[bpf]\n", NULL);
	g_autoptr(Symbols) end = symbols_new("1000 T f\n5000 t g\t[mod]\n9000 t bpf_prog_1_a\t[bpf]\n"
					     "9100 t bpf_prog_5_b\t[bpf]\n9210 t bpf_prog_3_c\t[bpf]\n"
					     "9400 t bpf_prog_6_e\t[bpf]\na000 t work\t[mod]\n", NULL);
	Symbol symbol;

	g_assert_true(has_name(end, start, 0x1010, "f"));
	g_assert_true(has_name(end, start, 0x5010, "g")); /* a module is known by its times */
	g_assert_true(has_name(end, start, 0x9010, "bpf_prog_1_a"));
	g_assert_false(symbols_resolve_both(end, start, 0x9110, NULL, &symbol)); /* replaced */
	g_assert_false(symbols_resolve_both(end, start, 0x9218, NULL, &symbol)); /* loaded again */
	g_assert_false(symbols_resolve_both(end, start, 0x9310, NULL, &symbol)); /* removed */
	g_assert_false(symbols_resolve_both(end, start, 0x9410, NULL, &symbol)); /* new */
	g_assert_false(symbols_resolve_both(end, start, 0xa010, NULL, &symbol)); /* a module now */
	/* No program was removed. */
	g_assert_true(has_name(NULL, start, 0x9110, "bpf_prog_2_b"));
	g_assert_true(has_name(end, NULL, 0x9110, "bpf_prog_5_b"));
	g_assert_false(symbols_resolve_both(NULL, NULL, 0x1010, NULL, &symbol));
	g_assert_false(symbols_resolve_both(end, start, 0x9010, "mod", &symbol));
	g_assert_true(symbols_resolve_both(end, start, 0x9010, "bpf", &symbol));
}

static void bpf_program_has_its_length_and_no_name_before_it_was_loaded(void)
{
	g_autoptr(Symbols) symbols = symbols_new("1000 T f\n9000 t bpf_prog_1_a\t[bpf]\n9100 t bpf_prog_2_b\t[bpf]\n"
						 "9200 t bpf_prog_3_c\t[bpf]\nc000 t bpf_prog_4_d\t[bpf]\n", NULL);
	g_autoptr(Symbols) end = symbols_new("c000 t bpf_prog_4_d\t[bpf]\n", NULL);
	Symbol symbol;

	g_assert_cmpuint(symbols_set_programs(symbols, "500 0x9000 64\n501 0x9100 64\n1 0x9200 4096\n1 0xc000 8192\n1 0x1000 4\n1 0x9300 4\n"
				      "\nx 0x9000 1\n1 9000 1\n1 0x9000\n1 0x9000 -1\n", NULL, 500), ==, 4);
	expect(symbols, 0x9040, "bpf_prog_1_a", "bpf", 0x40);
	g_assert_false(symbols_resolve(symbols, 0x9041, &symbol));
	g_assert_false(symbols_resolve(symbols, 0x9110, &symbol)); /* loaded later */
	expect(symbols, 0x9210, "bpf_prog_3_c", "bpf", 0x10);
	expect(symbols, 0xe000, "bpf_prog_4_d", "bpf", 0x2000); /* longer than is assumed otherwise */
	g_assert_true(symbols_resolve_both(end, symbols, 0xe000, NULL, &symbol));
	g_assert_false(symbols_resolve_both(end, symbols, 0xe001, NULL, &symbol));
	expect(symbols, 0x1010, "f", NULL, 0x10); /* no BPF program */
	/* The first was loaded again meanwhile, the second removed. */
	symbols_set_programs(symbols, "500 0x9000 64\n1 0x9200 4096\n1 0xc000 8192\n",
			     "600 0x9000 64\n1 0xc000 8192\nodd\n", 500);
	g_assert_false(symbols_resolve(symbols, 0x9040, &symbol));
	g_assert_false(symbols_resolve(symbols, 0x9210, &symbol));
	expect(symbols, 0xe000, "bpf_prog_4_d", "bpf", 0x2000);
}

static void plain_name_has_no_suffix(void)
{
	static const char *const names[][2] = {
		{ "kmalloc_noprof", "kmalloc" },     { "f.isra.0", "f" },
		{ "f.constprop.0.isra.0", "f" },     { "f.cold", "f" },
		{ "f.part.0.cold", "f" },	     { "f_noprof.constprop.3", "f" },
		{ "f.llvm.1234567", "f" },	     { "f", "f" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *plain = symbols_plain_name(names[i][0]);

		g_assert_cmpstr(plain, ==, names[i][1]);
	}
}

static void call_at_the_end_belongs_to_its_function(void)
{
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, modules);

	expect(symbols, 0xffffffff81002000, "global_name", NULL, 0x1000);
	expect(symbols, 0xffffffff81002001, "weak_name", NULL, 1);
}

static void data_symbol_is_no_function(void)
{
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, modules);

	expect(symbols, 0xffffffff81003800, "weak_name", NULL, 0x1800);
}

static void address_beyond_text_has_no_name(void)
{
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, modules);

	expect(symbols, 0xffffffff81005000, "last_name", NULL, 0x1000);
	expect_none(symbols, 0xffffffff81005001);
	expect_none(symbols, 0xffffffffc0001000);
	expect_none(symbols, 0xffffffff81000000);
	expect_none(symbols, 0);
	expect_none(symbols, 1);
	expect_none(symbols, G_MAXUINT64);
}

static void address_beyond_module_has_no_name(void)
{
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, modules);

	expect(symbols, 0xffffffffc0001801, "mod_last", "mod", 1);
	expect(symbols, 0xffffffffc0003000, "mod_last", "mod", 0x1800);
	expect_none(symbols, 0xffffffffc0003001);
}

static void trampoline_has_its_name_at_first_byte(void)
{
	g_autoptr(Symbols) symbols = symbols_new("ffffffff81000000 T _stext\n"
						 "ffffffff81001000 t before\n"
						 "ffffffff81002000 T return_to_handler\n"
						 "ffffffff81003000 T arch_rethook_trampoline\n"
						 "ffffffff81004000 T behind\n"
						 "ffffffff81005000 T _etext\n", NULL);

	expect(symbols, 0xffffffff81002000, "return_to_handler", NULL, 0);
	expect(symbols, 0xffffffff81002001, "return_to_handler", NULL, 1);
	expect(symbols, 0xffffffff81003000, "arch_rethook_trampoline", NULL, 0);
	expect(symbols, 0xffffffff81004000, "arch_rethook_trampoline", NULL, 0x1000);
}

static void module_function_resolves_without_extents(void)
{
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, NULL);

	expect(symbols, 0xffffffffc0003001, "mod_last", "mod", 0x1801);
	expect(symbols, 0xffffffffc0100001, "free_range", "other", 1);
	expect_none(symbols, 0xffffffffc0900000);	/* no function is that long */
}

static void hidden_addresses_resolve_nothing(void)
{
	g_autoptr(Symbols) symbols =
		symbols_new("0000000000000000 T a\n0000000000000000 t b\t[m]\n",
			    "m 4096 0 - Live 0x0000000000000000\n");

	expect_none(symbols, 1);
	expect_none(symbols, 0xffffffff81000010);
	g_assert_cmpuint(symbols_skipped_lines(symbols), ==, 0);
}

static void malformed_lines_are_skipped(void)
{
	g_autoptr(Symbols) symbols = symbols_new(
		"\n \nzz T a\n10 T\nffff T b [\nffff T b c\n1000 T fine\n"
		"10000000000000000000 T c\n2000 TT d\n3000 T e",
		"m\nm x 0 - Live 0x10\nm 4096 0 - Live 10\nm 1 0 - Live 0xfffffffffffffffff\n");

	expect(symbols, 0x1001, "fine", NULL, 1);
	expect(symbols, 0x3001, "e", NULL, 1);
	g_assert_cmpuint(symbols_skipped_lines(symbols), >=, 6);
}

static void allocators_are_recognised(void)
{
	static const char *const names[] = {
		"__kmalloc",
		"__kmalloc_noprof",
		"kmalloc_trace",
		"__kmalloc_cache_noprof",
		"kmem_cache_alloc_lru_noprof",
		"kfree",
		"kvfree",
		"krealloc_noprof",
		"kmemdup_noprof",
		"kstrdup",
		"devm_kmalloc",
		"devm_kmalloc.cold",
		"__alloc_pages",
		"__alloc_pages_noprof",
		"alloc_pages_mpol",
		"alloc_pages_mpol_noprof",
		"__alloc_pages_slowpath.constprop.0",
		"vma_alloc_folio_noprof",
		"get_zeroed_page_noprof",
		"___slab_alloc",
		"__slab_alloc.isra.0",
		"allocate_slab",
		"new_slab",
		"__slab_free",
		"__folio_put",
		"free_unref_page",
		"__kmem_cache_free_bulk.part.0",
		"mempool_alloc_noprof",
		"__vmalloc_node_range_noprof",
		"alloc_pages_bulk_noprof",
		"kmalloc_array_noprof.constprop.0",
		"vrealloc_node_align_noprof",
		"free_slab.part.0.isra.0",
	};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (!symbols_is_allocator(names[i], NULL))
			g_error("%s is an allocator", names[i]);
	}
}

static void callers_are_no_allocators(void)
{
	static const char *const names[] = {
		"",
		".isra.0",
		"_noprof",
		".cold",
		"alloc_skb",
		"__alloc_skb",
		"getname_flags",
		"alloc_inode",
		"kfree_skb",
		"kmem_cache_create",
		"truth_take_freed",
		"kmalloc2",
		"pagecache_get_page",
		"__pmd_alloc",
		"0",
		"1.2",
	};
	g_autofree char *longest = g_strnfill(10000, 'k');

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (symbols_is_allocator(names[i], NULL) || symbols_is_slab_backing(names[i], NULL))
			g_error("%s is no allocator", names[i]);
	}
	g_assert_false(symbols_is_allocator(longest, NULL));
}

/* It is the caller of the array, but not of a slab's pages. */
static void user_of_sheaves_allocates_pages(void)
{
	static const char *const names[] = { "__pcs_replace_full_main", "barn_shrink",
					     "refill_sheaf.isra.0" };

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_assert_false(symbols_is_allocator(names[i], NULL));
		g_assert_true(symbols_is_page_allocator(names[i], NULL));
		g_assert_false(symbols_is_page_allocator(names[i], "driver"));
		g_assert_true(symbols_is_slab_backing(names[i], NULL));
	}
	g_assert_true(symbols_is_page_allocator("kfree", NULL));
	g_assert_false(symbols_is_page_allocator("alloc_skb", NULL));
}

/* A driver's own function is a caller, whatever its name, but not its copy of kzalloc(). */
static void function_of_module_is_no_allocator(void)
{
	static const char *const own[] = { "alloc_pages", "kmalloc", "new_slab", "vb_alloc.isra.0", "free_slab" };
	static const char *const copies[] = { "kzalloc.constprop.0", "kmalloc_array", "put_page", "kvmalloc_array_node_noprof",
					      "_kzalloc_noprof.constprop.0" };

	for (guint i = 0; i < G_N_ELEMENTS(own); i++) {
		g_assert_true(symbols_is_allocator(own[i], NULL));
		if (symbols_is_allocator(own[i], "driver"))
			g_error("%s [driver] is no allocator", own[i]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(copies); i++) {
		if (!symbols_is_allocator(copies[i], "driver"))
			g_error("%s [driver] is the kernel's", copies[i]);
	}
	g_assert_false(symbols_is_allocator("alloc_skb", "driver"));
	/* BPF's own frame between an allocator and its caller. */
	g_assert_true(symbols_is_allocator("bpf_trampoline_6442487653", "bpf"));
	g_assert_false(symbols_is_allocator("bpf_trampoline_6442487653", "driver"));
	g_assert_false(symbols_is_allocator("bpf_prog_0123456789abcdef_probe", "bpf"));
	g_assert_false(symbols_is_slab_backing("new_slab", "driver"));
	g_assert_false(symbols_is_percpu_backing("pcpu_free_pages", "driver"));
	g_assert_true(symbols_is_page_taker("release_freepages", NULL));
	g_assert_false(symbols_is_page_taker("release_freepages", "driver"));
	g_assert_true(symbols_is_page_taker("virtio_mem_fake_online", "virtio_mem"));
}

static void slab_backing_is_recognised(void)
{
	g_assert_true(symbols_is_slab_backing("allocate_slab", NULL));
	g_assert_true(symbols_is_slab_backing("new_slab", NULL));
	g_assert_true(symbols_is_slab_backing("___slab_alloc", NULL));
	g_assert_true(symbols_is_slab_backing("alloc_slab_page.isra.0", NULL));
	g_assert_true(symbols_is_slab_backing("__free_slab", NULL));
	g_assert_false(symbols_is_slab_backing("__alloc_pages", NULL));
	g_assert_false(symbols_is_slab_backing("__kmalloc", NULL));
}

static void percpu_backing_is_recognised(void)
{
	g_assert_true(symbols_is_percpu_backing("pcpu_populate_chunk", NULL));
	g_assert_true(symbols_is_percpu_backing("pcpu_alloc_pages.constprop.0", NULL));
	g_assert_true(symbols_is_percpu_backing("pcpu_alloc_noprof", NULL));
	g_assert_true(symbols_is_percpu_backing("pcpu_balance_workfn", NULL));
	g_assert_false(symbols_is_percpu_backing("pcpu_mem_zalloc", NULL));
	g_assert_false(symbols_is_percpu_backing("__alloc_pages", NULL));
	g_assert_false(symbols_is_slab_backing("pcpu_populate_chunk", NULL));
	g_assert_true(symbols_is_allocator("__alloc_percpu_gfp", NULL));
	g_assert_true(symbols_is_allocator("kvfree_call_rcu", NULL));
	g_assert_true(symbols_is_allocator("__get_vm_area_node", NULL));
}

/* ---- modules that are loaded and unloaded ---- */

static const char *module_at(const ModuleTimes *times, guint64 addr, guint64 time_ns)
{
	guint number = moduletimes_at(times, addr, moduletimes_era(times, time_ns), NULL);

	return number ? moduletimes_get(times, number).name : NULL;
}

static void no_module_times_give_one_era(void)
{
	g_autoptr(ModuleTimes) times = moduletimes_new(NULL, NULL);

	g_assert_cmpuint(moduletimes_eras(times), ==, 1);
	g_assert_cmpuint(moduletimes_era(times, 5), ==, 0);
	g_assert_null(module_at(times, 0x1000, 5));
	g_assert_null(module_at(times, 0, 5));
	g_assert_null(module_at(times, G_MAXUINT64, 5));
}

static void a_module_has_code_from_its_load_until_a_second_after_its_unload(void)
{
	g_autoptr(ModuleTimes) times =
		moduletimes_new("0 0 0x1000 0x1000 old\n100 200 0x3000 0x1000 guest\n", NULL);

	g_assert_cmpuint(moduletimes_eras(times), ==, 3);
	g_assert_null(module_at(times, 0x1000, 1));	/* a return address follows its call */
	g_assert_cmpstr(module_at(times, 0x1001, 1), ==, "old");
	g_assert_cmpstr(module_at(times, 0x2000, 1), ==, "old");
	g_assert_null(module_at(times, 0x2001, 1));
	g_assert_null(module_at(times, 0x3800, 99));
	g_assert_cmpstr(module_at(times, 0x3800, 100), ==, "guest");
	g_assert_cmpstr(module_at(times, 0x3800, 900), ==, "guest");	/* a thread may still return there */
	g_assert_cmpstr(module_at(times, 0x3800, 1000000199), ==, "guest");
	g_assert_null(module_at(times, 0x3800, 1000000200));
	g_assert_cmpuint(moduletimes_get(times, 2).base, ==, 0x3000);
}

static void expect_named(const ModuleTimes *times, const Symbols *symbols, guint64 addr,
			 guint64 time_ns, const char *name)
{
	guint number = moduletimes_at(times, addr, moduletimes_era(times, time_ns), NULL);
	Symbol symbol;
	gboolean known = moduletimes_symbol(times, number, symbols, NULL, addr, &symbol);

	g_assert_cmpstr(known ? symbol.name : NULL, ==, name);
}

/* Of a module that is not in the list, nothing else is known than its symbols. */
static void symbols_count_while_their_module_is_loaded_or_if_it_is_not_listed(void)
{
	g_autoptr(ModuleTimes) times = moduletimes_new("100 0 0x3000 0x1000 listed\n", NULL);
	Symbols *symbols = symbols_new("3010 t of_listed\t[listed]\n5010 t of_other\t[other]\n"
				       "7000 t of_kernel\n", NULL);

	expect_named(times, symbols, 0x3020, 99, NULL);
	expect_named(times, symbols, 0x3020, 100, "of_listed");
	expect_named(times, symbols, 0x5020, 100, "of_other");
	expect_named(times, symbols, 0x7010, 100, "of_kernel");
	symbols_free(symbols);
}

static void reused_address_belongs_to_latest_module(void)
{
	g_autoptr(ModuleTimes) times = moduletimes_new(
		"500 0 0x1800 0x1000 third\n0 100 0x1000 0x1000 first\n"
		"200 400 0x1000 0x1000 second\n0 0 0x9000 0x1000 other\n", NULL);

	g_assert_cmpuint(moduletimes_eras(times), ==, 7);
	g_assert_cmpstr(module_at(times, 0x1900, 99), ==, "first");
	g_assert_cmpstr(module_at(times, 0x1900, 100), ==, "first");	/* the last one unloaded */
	g_assert_cmpstr(module_at(times, 0x1900, 200), ==, "second");
	g_assert_cmpstr(module_at(times, 0x1900, 450), ==, "second");
	g_assert_cmpstr(module_at(times, 0x1900, 500), ==, "third");
	g_assert_cmpstr(module_at(times, 0x1100, 600), ==, "second");
	g_assert_cmpstr(module_at(times, 0x9100, 600), ==, "other");
}

static void damaged_module_times_are_skipped(void)
{
	g_autoptr(ModuleTimes) times = moduletimes_new(
		"\n0 0 0x1000 0x1000\n0 0 1000 0x1000 a\n0 0 0x1000 4096 b\nx 0 0x1 0x1 c\n"
		"0 0 0xffffffffffffffff 0x2 d\n0 0 0x1000 0x1000 \n-1 0 0x1 0x1 e\n"
		"0 0 0x5000 0x1000 fine (OE)\n", NULL);

	g_assert_cmpuint(moduletimes_count(times), ==, 1);
	g_assert_cmpuint(moduletimes_skipped_lines(times), ==, 7);
	g_assert_cmpstr(module_at(times, 0x5001, 0), ==, "fine (OE)");
}

static void expect_gone(const ModuleTimes *times, guint64 addr, guint64 time_ns, const char *name)
{
	guint number = moduletimes_at(times, addr, moduletimes_era(times, time_ns), NULL);
	g_autofree char *found = NULL;
	Symbol symbol;

	if (number && moduletimes_resolve(times, number, addr, &symbol))
		found = g_strdup_printf("%s+%d [%s]", symbol.name, (int)symbol.offset,
					symbol.module);
	g_assert_cmpstr(found, ==, name);
}

static const char times_of_gone[] = "100 300 0x1000 0x1000 first\n350 0 0x1000 0x1000 second\n";

static void unloaded_modules_keep_their_functions(void)
{
	g_autoptr(ModuleTimes) times = moduletimes_new(times_of_gone,
		"init 100 200 0x5000 0x1000 first\n5010 t first_init\n"
		"text 100 300 0x1000 0x1000 first\n1000 t one\n1800 T two\n"
		"init 350 360 0x5000 0x800 second\n5010 t second_init\n");

	g_assert_cmpuint(moduletimes_skipped_lines(times), ==, 0);
	g_assert_cmpuint(moduletimes_count(times), ==, 4);
	expect_gone(times, 0x1010, 150, "one+16 [first]");
	expect_gone(times, 0x1801, 299, "two+1 [first]");
	expect_gone(times, 0x1010, 320, "one+16 [first]");	/* being unloaded */
	expect_gone(times, 0x1010, 400, NULL);			/* the second is still loaded */
	expect_gone(times, 0x5020, 199, "first_init+16 [first]");
	expect_gone(times, 0x5020, 355, "second_init+16 [second]");
	g_assert_cmpstr(module_at(times, 0x5020, 355), ==, "second");
}

/* Its memory is reused at once, perhaps by an unknown module. */
static void init_functions_end_with_init(void)
{
	g_autoptr(ModuleTimes) times = moduletimes_new(times_of_gone,
		"init 100 200 0x5000 0x1000 first\n5010 t first_init\n");

	expect_gone(times, 0x5020, 99, NULL);
	expect_gone(times, 0x5020, 200, NULL);
	g_assert_null(module_at(times, 0x5020, 200));
	g_assert_null(module_at(times, 0x5020, 99));
	g_assert_cmpstr(module_at(times, 0x5020, 100), ==, "first");
}

static void damaged_module_functions_are_skipped(void)
{
	g_autoptr(ModuleTimes) times = moduletimes_new(times_of_gone,
		"1000 t lost\n"					/* no head */
		"text 1 300 0x1000 0x1000 first\n1000 t a\n"		/* no such module */
		"text 100 300 0x1000 0x1000 other\n1000 t a\n"
		"text 100 300 1000 0x1000 first\n1000 t a\n"
		"init 100 0 0x5000 0x1000 first\n5000 t a\n"		/* without an end */
		"init \n"
		"init init 100 200 0x5000 0x1000 first\n5000 t a\n"	/* one line, one head */
		"text 100 300 0x1000 0x1000 first\nzzz\n1000 t fine\n"
		"text 100 300 0x1000 0x1000 first\n1000 t twice\n");

	g_assert_cmpuint(moduletimes_count(times), ==, 2);
	g_assert_cmpuint(moduletimes_skipped_lines(times), ==, 9);
	expect_gone(times, 0x1010, 150, "fine+16 [first]");
}

#define SECOND 1000000000

/* The answer of moduletimes_at(), by a check of each module. */
static guint find_module(const ModuleTimes *times, guint64 addr, guint64 time_ns)
{
	guint last = 0;

	for (guint i = 1; i <= moduletimes_count(times); i++) {
		ModuleTime module = moduletimes_get(times, i);

		if (addr - 1 < module.base || addr - 1 - module.base >= module.size)
			continue;
		if (module.load_ns <= time_ns && (!module.unload_ns || module.unload_ns > time_ns))
			return i;
		if (module.is_init)
			continue;
		if (module.load_ns <= time_ns &&
		    (!last || module.load_ns > moduletimes_get(times, last).load_ns))
			last = i;
	}
	return last && time_ns < moduletimes_get(times, last).unload_ns + SECOND ? last : 0;
}

static void check_eras(const ModuleTimes *times, guint64 addr, const guint64 *starts)
{
	guint answers[256];

	g_assert_cmpuint(moduletimes_eras(times), <=, G_N_ELEMENTS(answers));
	for (guint era = 0; era < moduletimes_eras(times); era++) {
		answers[era] = moduletimes_at(times, addr, era, NULL);
		g_assert_cmpuint(answers[era], ==, find_module(times, addr, starts[era]));
	}
	for (guint era = 0; era < moduletimes_eras(times); era++) {
		ModuleEras same = { 0, moduletimes_eras(times) };

		g_assert_cmpuint(moduletimes_at(times, addr, era, &same), ==, answers[era]);
		g_assert_cmpuint(same.first, <=, era);
		g_assert_cmpuint(same.end, >, era);
		for (guint i = same.first; i < same.end; i++)
			g_assert_cmpuint(answers[i], ==, answers[era]);
	}
}

/* Modules that share addresses and times in all ways. */
static void moduletimes_finds_what_a_look_at_each_finds(void)
{
	enum { PLACES = 40, TIMES = 60 };
	g_autoptr(GRand) rand = g_rand_new_with_seed(4);

	for (guint round = 0; round < 200; round++) {
		g_autoptr(GString) list = g_string_new(NULL), functions = g_string_new(NULL);
		g_autoptr(ModuleTimes) times = NULL;
		guint64 starts[2 * TIMES + 1] = { 0 };

		for (guint i = round % 40; i > 0; i--) {
			guint load = g_rand_int_range(rand, 0, TIMES);
			guint unload = g_rand_int_range(rand, 0, TIMES);
			guint base = g_rand_int_range(rand, 0, PLACES);
			guint size = g_rand_int_range(rand, 0, 1 + (PLACES - base) / 2);
			gboolean init = unload && !g_rand_int_range(rand, 0, 4);

			g_string_append_printf(init ? functions : list, "%s%u %u 0x%x 0x%x m\n",
					       init ? "init " : "", load, unload, base, size);
		}
		times = moduletimes_new(list->str, functions->str);
		for (guint i = 2 * TIMES; i-- > 0;) {
			guint64 time_ns = i < TIMES ? i : SECOND + i - TIMES;

			starts[moduletimes_era(times, time_ns)] = time_ns;
		}
		for (guint64 addr = 0; addr < PLACES + 2; addr++)
			check_eras(times, addr, starts);
	}
}

/* CPU time, as other processes may keep the CPUs busy. */
static clock_t time_to_load(guint loaded, const char *functions)
{
	g_autoptr(GString) list = g_string_new(NULL);
	clock_t start;

	for (guint i = 0; i < loaded; i++)
		g_string_append_printf(list, "1 2 0x%x 0x10 m\n", 0x10000 + 16 * i);
	start = clock();
	moduletimes_free(moduletimes_new(list->str, functions));
	return clock() - start;
}

/*
 * The maximum number of modules, and functions of many unknown ones. A search for each function
 * costs three times as much as either alone, a check of each module a hundred times.
 */
static void many_module_functions_load_fast(void)
{
	g_autoptr(GString) functions = g_string_new(NULL);
	clock_t either;

	for (guint i = 0; i < 2000000; i++)
		g_string_append(functions, "text 9 9 0x1 0x1 m\n");
	either = time_to_load(16384, "") + time_to_load(1, functions->str);
	g_assert_cmpint(time_to_load(16384, functions->str), <, 30 * either);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add_func("/symbols/" #test, test)
	ADD(init_functions_of_live_modules_have_no_symbols);
	ADD(number_of_functions_is_limited);
	ADD(global_name_wins_over_local);
	ADD(function_name_wins_over_label);
	ADD(mapping_symbols_are_no_functions);
	ADD(plain_name_has_no_suffix);
	ADD(code_that_the_kernel_made_has_one_page_or_no_name);
	ADD(bpf_program_that_is_not_at_both_ends_has_no_name);
	ADD(bpf_program_has_its_length_and_no_name_before_it_was_loaded);
	ADD(call_at_the_end_belongs_to_its_function);
	ADD(data_symbol_is_no_function);
	ADD(address_beyond_text_has_no_name);
	ADD(address_beyond_module_has_no_name);
	ADD(trampoline_has_its_name_at_first_byte);
	ADD(module_function_resolves_without_extents);
	ADD(hidden_addresses_resolve_nothing);
	ADD(malformed_lines_are_skipped);
	ADD(allocators_are_recognised);
	ADD(callers_are_no_allocators);
	ADD(function_of_module_is_no_allocator);
	ADD(user_of_sheaves_allocates_pages);
	ADD(slab_backing_is_recognised);
	ADD(percpu_backing_is_recognised);
	ADD(no_module_times_give_one_era);
	ADD(a_module_has_code_from_its_load_until_a_second_after_its_unload);
	ADD(symbols_count_while_their_module_is_loaded_or_if_it_is_not_listed);
	ADD(reused_address_belongs_to_latest_module);
	ADD(damaged_module_times_are_skipped);
	ADD(unloaded_modules_keep_their_functions);
	ADD(init_functions_end_with_init);
	ADD(damaged_module_functions_are_skipped);
	ADD(many_module_functions_load_fast);
	ADD(moduletimes_finds_what_a_look_at_each_finds);
	return g_test_run();
}
