// SPDX-License-Identifier: GPL-2.0-or-later
/* The figures of a page of a known trace, and their encoding in the page. */
#include <glib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "report/html/page.h"
#include "store/store.h"
#include "store-check.h"

#define START G_GUINT64_CONSTANT(1000000)
#define MS    G_GUINT64_CONSTANT(1000000)
#define SPAN  (60 * MS)
#define WIDTH (SPAN / 200 + 1)
#define STEP(ms) ((gint64)((ms) * MS / WIDTH))
#define EDGE_10MS 22	/* 0, 1 ns, 2 ns, 5 ns, 10 ns … */

static const char kallsyms[] = "ffffffff81001000 T entry\n"
			       "ffffffff81002000 t open_file\t[ext]\n"
			       "ffffffff81003000 T walk\n"
			       "ffffffff81004000 T reader.isra.0\n"
			       "ffffffff81005000 T __kmalloc\n"
			       "ffffffff81007000 t close_file\t[ext]\n"
			       "ffffffff81008000 T last\n";

enum {
	ENTRY = 0x1010, OPEN = 0x2010, WALK = 0x3010, READER = 0x4010, KMALLOC = 0x5010,
	CLOSE = 0x7010,
};

typedef struct {
	struct check_store store;
	gboolean more;
	HtmlData *data;
	JsonParser *parser;
	JsonObject *json;
} Fixture;

/* With @more, there are also these functions, each of which allocates 32 bytes at 40 ms. */
#define MORE	  60
#define MORE_SITE 0x9000

/* @width: digits in their names. */
static char *make_kallsyms(gboolean more, int width)
{
	GString *text = g_string_new(kallsyms);

	for (guint i = 0; more && i < MORE; i++)
		g_string_append_printf(text, "%lx T another_function_of_a_name_that_is_rather_long_%0*u\n",
				       (gulong)(TEXT + MORE_SITE + i * 0x100), width, i);
	g_string_append(text, "ffffffff81100000 T _etext\n");
	return g_string_free(text, FALSE);
}

static void setup(Fixture *f, gconstpointer more)
{
	g_autofree char *symbols = make_kallsyms(more != NULL, more ? *(const int *)more : 0);

	f->more = more != NULL;
	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, symbols);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\n");
	builder_snapshot(f->store.builder, "caches", KMEMTRACE_PHASE_END,
			 "1 64 </script>@SCRIPT@\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	g_clear_object(&f->parser);
	htmldata_free(f->data);
	check_store_clear(&f->store);
}

static guint32 stack_of(Fixture *f, const guint *offsets)
{
	return builder_text_stack(f->store.builder, offsets);
}

static void put(Fixture *f, guint64 ms, guint8 type, guint slot, guint32 stack, guint site,
		guint32 asked, guint32 got)
{
	gboolean page = type == KMEMTRACE_EVENT_PAGE_ALLOC || type == KMEMTRACE_EVENT_PAGE_FREE;

	builder_event(f->store.builder, 0,
		      (struct trace_event){
			      .event = type,
			      .time_ns = START + ms * MS,
			      .tid = 7,
			      .node = KMEMTRACE_NODE_ANY,
			      .addr = page ? 0x90000 + slot : BASE + 0x1000000 + slot * 64,
			      .call_site = TEXT + site,
			      .stack_id = stack,
			      .cache = type == KMEMTRACE_EVENT_CACHE_ALLOC,
			      .bytes_req = asked,
			      .bytes_alloc = got,
		      });
}

/*
 * slab: reader 100 of 128 at 0 and 20 ms, the first freed after 10 ms, the second live; close_file
 * 64 at 10 ms, freed after 20 ms. page: one by reader from 40 to 50 ms, another at 60 ms.
 */
static void load(Fixture *f)
{
	guint32 deep = stack_of(f, (guint[]){ KMALLOC, READER, WALK, ENTRY, 0 });
	guint32 flat = stack_of(f, (guint[]){ KMALLOC, CLOSE, OPEN, ENTRY, 0 });
	GError *error = NULL;

	put(f, 0, KMEMTRACE_EVENT_KMALLOC, 1, deep, READER, 100, 128);
	put(f, 10, KMEMTRACE_EVENT_KFREE, 1, 0, CLOSE, 0, 0);
	put(f, 10, KMEMTRACE_EVENT_CACHE_ALLOC, 2, flat, CLOSE, 64, 64);
	put(f, 20, KMEMTRACE_EVENT_KMALLOC, 3, deep, READER, 100, 128);
	put(f, 30, KMEMTRACE_EVENT_CACHE_FREE, 2, 0, CLOSE, 0, 0);
	put(f, 40, KMEMTRACE_EVENT_PAGE_ALLOC, 1, deep, READER, 4096, 4096);
	for (guint i = 0; f->more && i < MORE; i++)
		put(f, 40, KMEMTRACE_EVENT_KMALLOC, 100 + i,
		    stack_of(f, (guint[]){ KMALLOC, MORE_SITE + i * 0x100 + 16, ENTRY, 0 }),
		    MORE_SITE + i * 0x100 + 16, 32, 32);
	put(f, 50, KMEMTRACE_EVENT_PAGE_FREE, 1, deep, CLOSE, 4096, 4096);
	put(f, 60, KMEMTRACE_EVENT_PAGE_ALLOC, 2, deep, READER, 4096, 4096);
	check_store_load(&f->store);
	f->data = htmldata_read(f->store.db, "t.kmt", NULL, &error);
	g_assert_no_error(error);
}

/* The figures as an object, limited to @max_bytes. Returns the number of shortened lists. */
static guint read_json(Fixture *f, gsize max_bytes)
{
	GError *error = NULL;
	guint cut = 99;
	g_autofree char *json = htmldata_json(f->data, max_bytes, &cut, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(strlen(json), <=, max_bytes);
	g_clear_object(&f->parser);
	f->parser = json_parser_new();
	json_parser_load_from_data(f->parser, json, -1, &error);
	g_assert_no_error(error);
	f->json = json_node_get_object(json_parser_get_root(f->parser));
	return cut;
}

/* ---- figures ---- */

/* "name: 1,2,3", a line each. */
static char *steps_of(JsonArray *entries)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < json_array_get_length(entries); i++) {
		JsonObject *entry = json_array_get_object_element(entries, i);
		JsonArray *steps = json_object_get_array_member(entry, "steps");

		g_string_append_printf(text, "%" G_GINT64_FORMAT " %s:", json_object_get_int_member(entry, "kind"),
				       json_object_get_string_member_with_default(entry, "name", "others"));
		for (guint j = 0; j < json_array_get_length(steps); j++)
			g_string_append_printf(text, "%s%" G_GINT64_FORMAT, j ? "," : " ",
					       json_array_get_int_element(steps, j));
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

static void expect_steps(Fixture *f, const char *key, const char *expected)
{
	g_autofree char *text = steps_of(json_object_get_array_member(f->json, key));

	g_assert_cmpstr(text, ==, expected);
}

static void steps_equal_the_known_trace(Fixture *f, gconstpointer unused)
{
	g_autofree char *reader = g_strdup_printf("0,1,128,28,0,0,%ld,0,0,0,1,128,%ld,1,128,28,0,0",
						  (long)STEP(10), (long)STEP(20));
	g_autofree char *closer = g_strdup_printf("%ld,1,64,0,0,0,%ld,0,0,0,1,64", (long)STEP(10),
						  (long)STEP(30));
	g_autofree char *page = g_strdup_printf("%ld,1,4096,0,0,0,%ld,0,0,0,1,4096,%ld,1,4096,0,0,0",
						(long)STEP(40), (long)STEP(50), (long)STEP(60));
	g_autofree char *sites = g_strdup_printf("0 reader.isra.0: %s\n0 close_file: %s\n1 reader.isra.0: %s\n",
						 reader, closer, page);
	g_autofree char *caches = g_strdup_printf("0 (no cache): %s\n0 </script>@SCRIPT@: %s\n", reader, closer);
	g_autofree char *old = g_strdup_printf("0 reader.isra.0: %ld,1,128,%ld\n1 reader.isra.0: %ld,1,4096,%ld\n",
					       (long)STEP(20), (long)(20 * MS), (long)STEP(60),
					       (long)SPAN);
	JsonArray *bounds;

	load(f);
	g_assert_cmpuint(read_json(f, HTML_MAX_BYTES), ==, 0);
	bounds = json_object_get_array_member(f->json, "bounds");
	g_assert_cmpint(json_array_get_length(bounds), ==, 201);
	g_assert_cmpint(json_array_get_int_element(bounds, 0), ==, 0);
	g_assert_cmpint(json_array_get_int_element(bounds, 1), ==, WIDTH);
	g_assert_cmpint(json_array_get_int_element(bounds, 200), ==, SPAN);
	expect_steps(f, "sites", sites);
	expect_steps(f, "caches", caches);
	expect_steps(f, "old", old);
}

static void lifetimes_equal_the_known_trace(Fixture *f, gconstpointer unused)
{
	JsonObject *lives;
	JsonArray *edges, *kind;
	const gint64 expected[] = { STEP(10), EDGE_10MS, 1, 128, STEP(30), EDGE_10MS + 1, 1, 64 };

	load(f);
	read_json(f, HTML_MAX_BYTES);
	lives = json_object_get_object_member(f->json, "lifetimes");
	edges = json_object_get_array_member(lives, "edges");
	g_assert_cmpint(json_array_get_int_element(edges, EDGE_10MS), ==, 10 * MS);
	g_assert_cmpint(json_array_get_int_element(edges, EDGE_10MS + 1), ==, 20 * MS);
	kind = json_array_get_array_element(json_object_get_array_member(lives, "kinds"), 0);
	g_assert_cmpuint(json_array_get_length(kind), ==, G_N_ELEMENTS(expected));
	for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
		g_assert_cmpint(json_array_get_int_element(kind, i), ==, expected[i]);
}

static void peak_equals_the_known_trace(Fixture *f, gconstpointer unused)
{
	JsonObject *peak;

	load(f);
	read_json(f, HTML_MAX_BYTES);
	peak = json_array_get_object_element(json_object_get_array_member(f->json, "peaks"), 0);
	g_assert_cmpint(json_object_get_int_member(peak, "kind"), ==, 0);
	g_assert_cmpint(json_object_get_int_member(peak, "time_ns"), ==, 20 * MS);
	g_assert_cmpint(json_object_get_int_member(peak, "bytes"), ==, 192);
	g_assert_cmpint(json_object_get_int_member(peak, "count"), ==, 2);
}

/* The sum of a metric (0: bytes, 1: count) over the self costs of all nodes of a tree. */
static gint64 sum_of_tree(Fixture *f, guint kind, const char *way, gint64 metric)
{
	JsonObject *trees = json_object_get_object_member(f->json, "trees");
	JsonArray *kinds = json_object_get_array_member(trees, "kinds");
	JsonObject *both = json_array_get_object_element(kinds, kind);
	JsonObject *tree = json_object_get_object_member(both, way);
	JsonArray *nodes = json_object_get_array_member(tree, "nodes");
	gint64 sum = 0;

	for (guint i = 0; i < json_array_get_length(nodes); i++) {
		JsonArray *node = json_array_get_array_element(nodes, i);

		g_assert_cmpint(json_array_get_int_element(node, 0), <=, i);
		for (guint part = 2; part < json_array_get_length(node); part++) {
			JsonArray *pairs = json_array_get_array_element(node, part);

			for (guint j = 0; j < json_array_get_length(pairs); j += 2) {
				if (json_array_get_int_element(pairs, j) == metric)
					sum += json_array_get_int_element(pairs, j + 1);
			}
		}
	}
	return sum;
}

static void trees_have_all_costs(Fixture *f, gconstpointer unused)
{
	load(f);
	read_json(f, HTML_MAX_BYTES);
	g_assert_cmpint(sum_of_tree(f, 0, "down", 0), ==, 320);
	g_assert_cmpint(sum_of_tree(f, 0, "up", 0), ==, 320);
	g_assert_cmpint(sum_of_tree(f, 0, "down", 1), ==, 3);
	g_assert_cmpint(sum_of_tree(f, 1, "down", 0), ==, 8192);
}

/* ---- pages that are too large ---- */

/* The sums of all entries of a kind, by value. */
static void sum_steps(Fixture *f, const char *key, guint values, gint64 *sums)
{
	JsonArray *entries = json_object_get_array_member(f->json, key);

	memset(sums, 0, values * sizeof(*sums));
	for (guint i = 0; i < json_array_get_length(entries); i++) {
		JsonObject *entry = json_array_get_object_element(entries, i);
		JsonArray *steps = json_object_get_array_member(entry, "steps");

		for (guint j = 0; j < json_array_get_length(steps); j++) {
			if (j % (values + 1))
				sums[j % (values + 1) - 1] += json_array_get_int_element(steps, j);
		}
	}
}

static void omitted_entries_are_added_to_others(Fixture *f, gconstpointer unused)
{
	g_autofree char *whole = NULL;
	const gint64 sites[] = {
		5 + MORE, 128 + 128 + 64 + 8192 + 32 * MORE, 56, 3, 128 + 64 + 4096,
	};
	gint64 sums[5];

	load(f);
	whole = htmldata_json(f->data, HTML_MAX_BYTES, NULL, NULL);
	g_assert_cmpuint(read_json(f, strlen(whole)), ==, 0);
	g_assert_cmpuint(read_json(f, strlen(whole) * 2 / 5), ==, 8);
	g_assert_cmpuint(json_array_get_length(json_object_get_array_member(f->json, "cut")), ==, 8);
	sum_steps(f, "sites", 5, sums);
	for (guint i = 0; i < G_N_ELEMENTS(sites); i++)
		g_assert_cmpint(sums[i], ==, sites[i]);
	sum_steps(f, "old", 3, sums);
	g_assert_cmpint(sums[0], ==, 2 + MORE);
	g_assert_cmpint(sums[1], ==, 128 + 4096 + 32 * MORE);
	g_assert_cmpint(sum_of_tree(f, 0, "down", 0), ==, 320 + 32 * MORE);
	g_assert_cmpint(sum_of_tree(f, 0, "up", 0), ==, 320 + 32 * MORE);
}

/* Inlined functions, or kernel code in languages with long names, make stacks of any length. */
static void long_stacks_are_cut(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL;
	uint64_t addrs[MORE];

	for (guint i = 0; i < MORE; i++)
		addrs[i] = TEXT + MORE_SITE + i * 0x100 + 16;
	put(f, 5, KMEMTRACE_EVENT_KMALLOC, 50, builder_stack(f->store.builder, addrs, MORE),
	    MORE_SITE + 16, 32, 32);
	load(f);
	json = htmldata_json(f->data, HTML_MAX_BYTES, NULL, NULL);
	g_assert_nonnull(strstr(json, " … (cut)\""));
	g_assert_null(strstr(json, " … (cut) … (cut)"));
}

static void size_too_small_for_a_page_is_rejected(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;

	load(f);
	g_assert_null(htmldata_json(f->data, 100, NULL, &error));
	g_assert_cmpstr(error->message, ==, "a page of t.kmt exceeds 100 bytes, even with the fewest entries");
}

/* ---- the page ---- */

static void names_cannot_end_the_script(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL, *page = NULL;
	const char *data, *end;
	gsize len;

	load(f);
	json = htmldata_json(f->data, HTML_MAX_BYTES, NULL, NULL);
	g_assert_null(strpbrk(json, "<>&"));
	g_assert_nonnull(strstr(json, "\\u003c/script\\u003e@SCRIPT@"));
	page = html_page(json, &len);
	g_assert_cmpuint(strlen(page), ==, len);
	g_assert_true(g_str_has_prefix(page, "<!DOCTYPE html>\n"));
	g_assert_true(g_str_has_suffix(page, "</html>\n"));
	data = strstr(page, "id=\"data\">") + strlen("id=\"data\">");
	end = strstr(data, "</script>");
	g_assert_cmpuint(end - data, ==, strlen(json));
	g_assert_true(g_str_has_prefix(data, json));
}

static void policy_has_the_hash_of_the_script(Fixture *f, gconstpointer unused)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *page = NULL, *base64 = NULL, *source = NULL;
	guint8 digest[32];
	const char *script;
	gsize len = sizeof(digest);

	builder_finish(f->store.builder);
	page = html_page("{}", &(gsize){ 0 });
	script = strstr(page, "<script>") + strlen("<script>");
	g_checksum_update(checksum, (const guchar *)script, strstr(script, "</script>") - script);
	g_checksum_get_digest(checksum, digest, &len);
	base64 = g_base64_encode(digest, len);
	source = g_strdup_printf("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-", base64);
	g_assert_nonnull(strstr(page, source));
}

#define ADD(name) g_test_add("/html/" #name, Fixture, NULL, setup, name, teardown)
#define ADD_MORE(name, width) g_test_add("/html/" #name, Fixture, &(width), setup, name, teardown)

/* Digits of the numbers in names. */
static const int short_numbers = 1, long_numbers = 300;

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD(steps_equal_the_known_trace);
	ADD(lifetimes_equal_the_known_trace);
	ADD(peak_equals_the_known_trace);
	ADD(trees_have_all_costs);
	ADD_MORE(omitted_entries_are_added_to_others, short_numbers);
	ADD_MORE(long_stacks_are_cut, long_numbers);
	ADD(size_too_small_for_a_page_is_rejected);
	ADD(names_cannot_end_the_script);
	ADD(policy_has_the_hash_of_the_script);
	return g_test_run();
}
