// SPDX-License-Identifier: GPL-2.0-or-later
/* The texts of /proc and of the tracer, whole and damaged. */
#include <glib.h>
#include <string.h>

#include "analysis/snapshot.h"
#include "base/tokenize.h"

/* Parses a copy of @text, so that reads beyond its end are detected. */
#define PARSE(parser, text, ...)					\
({									\
	g_free(line);							\
	line = g_strdup(text);						\
	parser(line, ##__VA_ARGS__);					\
})

static void meminfo_rejects_damaged_line(void)
{
	g_autofree char *line = NULL;
	MeminfoLine out;

	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "Slab:      123 kB", &out), ==, LINE_FINE);
	g_assert_cmpstr(out.key, ==, "Slab");
	g_assert_cmpint(out.kb, ==, 123);
	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "HugePages_Total:       0", &out), ==,
			LINE_OTHER);
	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "", &out), ==, LINE_OTHER);
	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "Slab: 12", &out), ==, LINE_OTHER);
	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "Slab: x kB", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "Slab 12 kB", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "Slab: 12 kB more", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_meminfo, "Slab: 99999999999999999999 kB", &out), ==,
			LINE_BAD);
}

static void slabinfo_rejects_truncated_line(void)
{
	static const char fine[] = "bio-312 12 24 320 12 1 : tunables 0 0 0 : slabdata 1 2 0";
	g_autofree char *line = NULL;
	SlabinfoLine out;

	g_assert_cmpint(PARSE(snapshot_parse_slabinfo, fine, &out), ==, LINE_FINE);
	g_assert_cmpstr(out.name, ==, "bio-312");
	g_assert_cmpint(out.active_objs, ==, 12);
	g_assert_cmpint(out.num_objs, ==, 24);
	g_assert_cmpint(out.object_size, ==, 320);
	g_assert_cmpint(out.pages_per_slab, ==, 1);
	g_assert_cmpint(out.num_slabs, ==, 2);
	g_assert_cmpint(PARSE(snapshot_parse_slabinfo, "slabinfo - version: 2.1", &out), ==,
			LINE_OTHER);
	g_assert_cmpint(PARSE(snapshot_parse_slabinfo, "# name <active_objs>", &out), ==,
			LINE_OTHER);
	for (gsize len = 1; len < strlen(fine) - 3; len++) {
		g_autofree char *cut = g_strndup(fine, len);

		g_assert_cmpint(PARSE(snapshot_parse_slabinfo, cut, &out), ==, LINE_BAD);
	}
}

static void slabinfo_accepts_name_with_blanks(void)
{
	g_autofree char *line = NULL;
	SlabinfoLine out;

	g_assert_cmpint(PARSE(snapshot_parse_slabinfo,
			      "7 : tunables 1   12 24 320 12 1 : tunables 0 0 0 : slabdata 1 2 0",
			      &out), ==, LINE_FINE);
	g_assert_cmpstr(out.name, ==, "7 : tunables 1");
	g_assert_cmpint(out.active_objs, ==, 12);
	g_assert_cmpint(out.num_slabs, ==, 2);
}

static void buddyinfo_rejects_damaged_line(void)
{
	g_autofree char *line = NULL;
	g_autoptr(GString) many = g_string_new("Node 0, zone Normal");
	BuddyinfoLine out;

	g_assert_cmpint(PARSE(snapshot_parse_buddyinfo,
			      "Node 1, zone   Normal    918    954   1600 ", &out),
			==, LINE_FINE);
	g_assert_cmpint(out.node, ==, 1);
	g_assert_cmpstr(out.zone, ==, "Normal");
	g_assert_cmpuint(out.orders, ==, 3);
	g_assert_cmpint(out.blocks[2], ==, 1600);
	g_assert_cmpint(PARSE(snapshot_parse_buddyinfo, "Node 0, zone DMA", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_buddyinfo, "Node 0 zone DMA 1", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_buddyinfo, "Node x, zone DMA 1", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_buddyinfo, "Node 0, zone DMA 1 z", &out), ==,
			LINE_BAD);
	for (int i = 0; i < 100; i++)
		g_string_append(many, " 1");
	g_assert_cmpint(PARSE(snapshot_parse_buddyinfo, many->str, &out), ==, LINE_BAD);
}

static void names_keep_their_blanks(void)
{
	g_autofree char *line = NULL;
	NameLine out;

	g_assert_cmpint(PARSE(snapshot_parse_name, "12 64 my cache  x", &out), ==, LINE_FINE);
	g_assert_cmpuint(out.id, ==, 12);
	g_assert_cmpuint(out.number, ==, 64);
	g_assert_cmpstr(out.name, ==, "my cache  x");
	g_assert_cmpint(PARSE(snapshot_parse_name, "12 64 a\\134b\\012\\09\\", &out), ==, LINE_FINE);
	g_assert_cmpstr(out.name, ==, "a\\b\n\\09\\");
	g_assert_cmpint(PARSE(snapshot_parse_name, "12 64 ", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_name, "12 64", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_name, "-1 64 a", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_name, "4294967296 64 a", &out), ==, LINE_BAD);
}

static void stats_columns_may_be_in_any_order(void)
{
	g_autofree char *line = NULL;
	StatsColumns columns;
	StatsLine out;

	g_assert_cmpint(
		PARSE(snapshot_parse_stats_head, "cpu nmi new_thing written buffer_full", &columns),
		==, LINE_FINE);
	g_assert_cmpint(PARSE(snapshot_parse_stats, "3 1 2 4 5", &columns, &out), ==, LINE_FINE);
	g_assert_cmpuint(out.cpu, ==, 3);
	g_assert_cmpuint(out.written, ==, 4);
	g_assert_cmpuint(out.ignored, ==, 0);
	g_assert_cmpuint(out.lost[KMEMTRACE_LOSS_NMI], ==, 1);
	g_assert_cmpuint(out.lost[KMEMTRACE_LOSS_BUFFER_FULL], ==, 5);
	g_assert_cmpint(PARSE(snapshot_parse_stats, "3 1 2 4", &columns, &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_stats, "3 1 2 4 5 6", &columns, &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_stats, "3 1 2 4 -5", &columns, &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_stats, "memory stacks 77", &columns, &out), ==,
			LINE_FINE);
	g_assert_cmpstr(out.group, ==, "memory");
	g_assert_cmpstr(out.name, ==, "stacks");
	g_assert_cmpint(out.value, ==, 77);
	g_assert_cmpint(PARSE(snapshot_parse_stats, "stacks walked 78", &columns, &out), ==,
			LINE_FINE);
	g_assert_cmpstr(out.group, ==, "stacks");
	g_assert_cmpstr(out.name, ==, "walked");
	g_assert_cmpint(out.value, ==, 78);
	g_assert_cmpint(PARSE(snapshot_parse_stats, "memory stacks", &columns, &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_stats_head, "written cpu", &columns), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_stats_head, "", &columns), ==, LINE_BAD);
}

static void abi_rejects_damaged_line(void)
{
	g_autofree char *line = NULL;
	AbiLine out;

	g_assert_cmpint(PARSE(snapshot_parse_abi, "linear_base 0xffff888000000000", &out), ==,
			LINE_FINE);
	g_assert_cmpuint(out.value, ==, G_GUINT64_CONSTANT(0xffff888000000000));
	g_assert_cmpint(PARSE(snapshot_parse_abi, "gfp __GFP_DMA 0x1", &out), ==, LINE_FINE);
	g_assert_cmpstr(out.name, ==, "__GFP_DMA");
	g_assert_cmpint(PARSE(snapshot_parse_abi, "migratetype 2 reclaimable", &out), ==,
			LINE_FINE);
	g_assert_cmpstr(out.name, ==, "reclaimable");
	g_assert_cmpint(PARSE(snapshot_parse_abi, "something new 1", &out), ==, LINE_OTHER);
	g_assert_cmpint(PARSE(snapshot_parse_abi, "linear_base ffff", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_abi, "gfp __GFP_DMA", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_abi, "page_size 0x1000", &out), ==, LINE_BAD);
}

static void tokenize_gives_each_line(void)
{
	g_autofree char *text = g_strdup("a\n\nb");
	char *rest = text;

	g_assert_cmpstr(tokenize_line(&rest), ==, "a");
	g_assert_cmpstr(tokenize_line(&rest), ==, "");
	g_assert_cmpstr(tokenize_line(&rest), ==, "b");
	g_assert_null(tokenize_line(&rest));
	g_assert_null(tokenize_line(&rest));
}

static void host_value_is_whole(void)
{
	g_autofree char *line = NULL;
	TextLine out;

	g_assert_cmpint(PARSE(snapshot_parse_text, "command=a=b c", &out), ==, LINE_FINE);
	g_assert_cmpstr(out.key, ==, "command");
	g_assert_cmpstr(out.value, ==, "a=b c");
	g_assert_cmpint(PARSE(snapshot_parse_text, "=b", &out), ==, LINE_BAD);
	g_assert_cmpint(PARSE(snapshot_parse_text, "b", &out), ==, LINE_BAD);
}

static void setting_value_is_whole(void)
{
	g_autofree char *line = NULL;
	TextLine out;

	g_assert_cmpint(PARSE(snapshot_parse_setting, "pids  12 13 ", &out), ==, LINE_FINE);
	g_assert_cmpstr(out.key, ==, "pids");
	g_assert_cmpstr(out.value, ==, "12 13");
	g_assert_cmpint(PARSE(snapshot_parse_setting, "cache", &out), ==, LINE_FINE);
	g_assert_cmpstr(out.key, ==, "cache");
	g_assert_cmpstr(out.value, ==, "");
	g_assert_cmpint(PARSE(snapshot_parse_setting, "  ", &out), ==, LINE_OTHER);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add_func("/snapshot/" #test, test)
	ADD(meminfo_rejects_damaged_line);
	ADD(slabinfo_rejects_truncated_line);
	ADD(slabinfo_accepts_name_with_blanks);
	ADD(buddyinfo_rejects_damaged_line);
	ADD(names_keep_their_blanks);
	ADD(stats_columns_may_be_in_any_order);
	ADD(abi_rejects_damaged_line);
	ADD(tokenize_gives_each_line);
	ADD(host_value_is_whole);
	ADD(setting_value_is_whole);
	return g_test_run();
}
