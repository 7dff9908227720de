// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frozen layouts: the compiled layout of the structures in abi/ must match abi/golden, or older
 * traces could no longer be read. To freeze an added (never a changed) field or number:
 *
 * 	build/tests/unit/test-abi --print abi  >abi/golden/abi.txt
 * 	build/tests/unit/test-abi --print file >abi/golden/file.txt
 *
 * The tests also check that no field or constant of the headers is missing here.
 */
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kmemtrace_abi.h"
#include "kmemtrace_file.h"

struct field {
	const char *name;	/* NULL: the structure as a whole, at its end */
	size_t offset, size;	/* bytes; of the whole: 0 and sizeof */
};

struct layout {
	const char *name;
	const struct field *fields;
};

struct constant {
	const char *name;
	unsigned long long value;
};

#define FIELD(type, name)	\
	{ #name, offsetof(struct type, name), sizeof(((struct type *)0)->name) }
#define WHOLE(type)		{ NULL, 0, sizeof(struct type) }
#define CONSTANT(name)		{ #name, name }

/* ---- abi/kmemtrace_abi.h ---- */

static const struct field record_fields[] = {
	FIELD(kmemtrace_record, time_ns),
	FIELD(kmemtrace_record, addr),
	FIELD(kmemtrace_record, call_site),
	FIELD(kmemtrace_record, comm),
	FIELD(kmemtrace_record, stack_id),
	FIELD(kmemtrace_record, bytes_req),
	FIELD(kmemtrace_record, bytes_alloc),
	FIELD(kmemtrace_record, gfp),
	FIELD(kmemtrace_record, text),
	FIELD(kmemtrace_record, tid),
	FIELD(kmemtrace_record, cache),
	FIELD(kmemtrace_record, page.order),
	FIELD(kmemtrace_record, page.migratetype),
	FIELD(kmemtrace_record, mark.part),
	FIELD(kmemtrace_record, mark.parts),
	FIELD(kmemtrace_record, node),
	FIELD(kmemtrace_record, type),
	WHOLE(kmemtrace_record),
};

static const struct field record_user_fields[] = {
	FIELD(kmemtrace_record_user, record),
	FIELD(kmemtrace_record_user, user_stack_id),
	FIELD(kmemtrace_record_user, mm),
	FIELD(kmemtrace_record_user, tgid),
	WHOLE(kmemtrace_record_user),
};

static const struct field subbuf_fields[] = {
	FIELD(kmemtrace_subbuf_header, magic),
	FIELD(kmemtrace_subbuf_header, abi_version),
	FIELD(kmemtrace_subbuf_header, header_len),
	FIELD(kmemtrace_subbuf_header, record_len),
	FIELD(kmemtrace_subbuf_header, byte_order),
	FIELD(kmemtrace_subbuf_header, word_size),
	FIELD(kmemtrace_subbuf_header, cpu),
	FIELD(kmemtrace_subbuf_header, seq),
	FIELD(kmemtrace_subbuf_header, time_ns),
	FIELD(kmemtrace_subbuf_header, session),
	FIELD(kmemtrace_subbuf_header, written),
	FIELD(kmemtrace_subbuf_header, ignored),
	FIELD(kmemtrace_subbuf_header, reserved),
	FIELD(kmemtrace_subbuf_header, lost),
	WHOLE(kmemtrace_subbuf_header),
};

static const struct field stack_table_fields[] = {
	FIELD(kmemtrace_stack_table, magic),
	FIELD(kmemtrace_stack_table, abi_version),
	FIELD(kmemtrace_stack_table, header_len),
	FIELD(kmemtrace_stack_table, session),
	WHOLE(kmemtrace_stack_table),
};

static const struct field stack_fields[] = {
	FIELD(kmemtrace_stack, hash),
	FIELD(kmemtrace_stack, depth),
	FIELD(kmemtrace_stack, flags),
	{ "addr", offsetof(struct kmemtrace_stack, addr), 0 },
	WHOLE(kmemtrace_stack),
};

static const struct layout abi_layouts[] = {
	{ "kmemtrace_record", record_fields },
	{ "kmemtrace_record_user", record_user_fields },
	{ "kmemtrace_subbuf_header", subbuf_fields },
	{ "kmemtrace_stack_table", stack_table_fields },
	{ "kmemtrace_stack", stack_fields },
	{ NULL, NULL },
};

static const struct constant abi_constants[] = {
	CONSTANT(KMEMTRACE_ABI_VERSION),
	CONSTANT(KMEMTRACE_SUBBUF_MAGIC),
	CONSTANT(KMEMTRACE_EVENT_NONE),
	CONSTANT(KMEMTRACE_EVENT_KMALLOC),
	CONSTANT(KMEMTRACE_EVENT_CACHE_ALLOC),
	CONSTANT(KMEMTRACE_EVENT_KFREE),
	CONSTANT(KMEMTRACE_EVENT_CACHE_FREE),
	CONSTANT(KMEMTRACE_EVENT_PAGE_ALLOC),
	CONSTANT(KMEMTRACE_EVENT_PAGE_FREE),
	CONSTANT(KMEMTRACE_EVENT_TASK),
	CONSTANT(KMEMTRACE_EVENT_KFREE_RCU),
	CONSTANT(KMEMTRACE_EVENT_PERCPU_ALLOC),
	CONSTANT(KMEMTRACE_EVENT_PERCPU_FREE),
	CONSTANT(KMEMTRACE_EVENT_VMAP_ALLOC),
	CONSTANT(KMEMTRACE_EVENT_VMAP_FREE),
	CONSTANT(KMEMTRACE_EVENT_EXTFRAG),
	CONSTANT(KMEMTRACE_EVENT_ZONE_LOCKED),
	CONSTANT(KMEMTRACE_EVENT_PCPU_DRAIN),
	CONSTANT(KMEMTRACE_EVENT_MAP),
	CONSTANT(KMEMTRACE_EVENT_EXEC),
	CONSTANT(KMEMTRACE_EVENT_FORK),
	CONSTANT(KMEMTRACE_EVENT_MARK),
	CONSTANT(KMEMTRACE_EVENT_PAGE_MOVE),
	CONSTANT(KMEMTRACE_EVENT_RESIZE),
	CONSTANT(KMEMTRACE_EVENT_COMPACT),
	CONSTANT(KMEMTRACE_EVENT_DUP_MM),
	CONSTANT(KMEMTRACE_EVENT_NR),
	CONSTANT(KMEMTRACE_TYPE_EVENT_MASK),
	CONSTANT(KMEMTRACE_TYPE_CONTEXT_SHIFT),
	CONSTANT(KMEMTRACE_CONTEXT_TASK),
	CONSTANT(KMEMTRACE_CONTEXT_SOFTIRQ),
	CONSTANT(KMEMTRACE_CONTEXT_HARDIRQ),
	CONSTANT(KMEMTRACE_CONTEXT_NR),
	CONSTANT(KMEMTRACE_NODE_ANY),
	CONSTANT(KMEMTRACE_NODE_HIGH),
	CONSTANT(KMEMTRACE_CACHE_NONE),
	CONSTANT(KMEMTRACE_STACK_NONE),
	CONSTANT(KMEMTRACE_MOVE_FROM_OUTSIDE),
	CONSTANT(KMEMTRACE_MOVE_TO_OUTSIDE),
	CONSTANT(KMEMTRACE_MARK_RECORDS),
	CONSTANT(KMEMTRACE_MARK_TEXT),
	CONSTANT(KMEMTRACE_MARK_MAX),
	CONSTANT(KMEMTRACE_LOSS_BUFFER_FULL),
	CONSTANT(KMEMTRACE_LOSS_NMI),
	CONSTANT(KMEMTRACE_LOSS_RECURSION),
	CONSTANT(KMEMTRACE_LOSS_STACK_FULL),
	CONSTANT(KMEMTRACE_LOSS_CACHE_FULL),
	CONSTANT(KMEMTRACE_LOSS_NAME),
	CONSTANT(KMEMTRACE_LOSS_NR),
	CONSTANT(KMEMTRACE_LOSS_MAX),
	CONSTANT(KMEMTRACE_BYTE_ORDER_LITTLE),
	CONSTANT(KMEMTRACE_BYTE_ORDER_BIG),
	CONSTANT(KMEMTRACE_STACK_MAGIC),
	CONSTANT(KMEMTRACE_STACK_DEPTH_MAX),
	CONSTANT(KMEMTRACE_STACK_CUT),
	CONSTANT(KMEMTRACE_ENABLE_MAPS),
	CONSTANT(KMEMTRACE_RESET_ALL),
	CONSTANT(KMEMTRACE_RESET_FOLLOWS),
	CONSTANT(KMEMTRACE_SUBUIDS_MAX),
	{ NULL, 0 },
};

/* ---- abi/kmemtrace_file.h ---- */

static const struct field file_header_fields[] = {
	FIELD(kmemtrace_file_header, magic),
	FIELD(kmemtrace_file_header, byte_order),
	FIELD(kmemtrace_file_header, version),
	FIELD(kmemtrace_file_header, header_len),
	WHOLE(kmemtrace_file_header),
};

static const struct field chunk_fields[] = {
	FIELD(kmemtrace_chunk_header, magic),
	FIELD(kmemtrace_chunk_header, type),
	FIELD(kmemtrace_chunk_header, flags),
	FIELD(kmemtrace_chunk_header, len),
	FIELD(kmemtrace_chunk_header, payload_crc),
	FIELD(kmemtrace_chunk_header, number),
	FIELD(kmemtrace_chunk_header, header_crc),
	WHOLE(kmemtrace_chunk_header),
};

static const struct field snapshot_fields[] = {
	FIELD(kmemtrace_chunk_snapshot, time_ns),
	FIELD(kmemtrace_chunk_snapshot, phase),
	FIELD(kmemtrace_chunk_snapshot, name_len),
	FIELD(kmemtrace_chunk_snapshot, text_at),
	WHOLE(kmemtrace_chunk_snapshot),
};

static const struct field stacks_fields[] = {
	FIELD(kmemtrace_chunk_stacks, offset),
	WHOLE(kmemtrace_chunk_stacks),
};

static const struct field zstd_fields[] = {
	FIELD(kmemtrace_chunk_zstd, type),
	FIELD(kmemtrace_chunk_zstd, head_len),
	FIELD(kmemtrace_chunk_zstd, raw_len),
	WHOLE(kmemtrace_chunk_zstd),
};

static const struct layout file_layouts[] = {
	{ "kmemtrace_file_header", file_header_fields },
	{ "kmemtrace_chunk_header", chunk_fields },
	{ "kmemtrace_chunk_snapshot", snapshot_fields },
	{ "kmemtrace_chunk_stacks", stacks_fields },
	{ "kmemtrace_chunk_zstd", zstd_fields },
	{ NULL, NULL },
};

static const struct constant file_constants[] = {
	CONSTANT(KMEMTRACE_FILE_MAGIC_LEN),
	CONSTANT(KMEMTRACE_FILE_BYTE_ORDER),
	CONSTANT(KMEMTRACE_FILE_VERSION),
	CONSTANT(KMEMTRACE_CHUNK_MAGIC),
	CONSTANT(KMEMTRACE_CHUNK_ALIGN),
	CONSTANT(KMEMTRACE_CHUNK_MAX),
	CONSTANT(KMEMTRACE_SNAPSHOT_MAX),
	CONSTANT(KMEMTRACE_DATA_MAX),
	CONSTANT(KMEMTRACE_STACKS_MAX),
	CONSTANT(KMEMTRACE_CPUS_MAX),
	CONSTANT(KMEMTRACE_RECORD_MAX),
	CONSTANT(KMEMTRACE_UNPACKED_FREE),
	CONSTANT(KMEMTRACE_UNPACKED_RATIO),
	CONSTANT(KMEMTRACE_CHUNK_SNAPSHOT),
	CONSTANT(KMEMTRACE_CHUNK_DATA),
	CONSTANT(KMEMTRACE_CHUNK_STACKS),
	CONSTANT(KMEMTRACE_CHUNK_END),
	CONSTANT(KMEMTRACE_CHUNK_ZSTD),
	CONSTANT(KMEMTRACE_CHUNK_OPTIONAL),
	CONSTANT(KMEMTRACE_CHUNK_PLACE),
	CONSTANT(KMEMTRACE_CHUNK_FILE),
	CONSTANT(KMEMTRACE_SNAPSHOT_NAME_MAX),
	CONSTANT(KMEMTRACE_PHASE_START),
	CONSTANT(KMEMTRACE_PHASE_END),
	{ NULL, 0 },
};

/* ---- the text ---- */

static const struct text {
	const char *name;
	const char *header;	/* below the project's folder */
	const char *golden;
	const struct layout *layouts;
	const struct constant *constants;
} texts[] = {
	{ "abi", "abi/kmemtrace_abi.h", "abi/golden/abi.txt", abi_layouts, abi_constants },
	{ "file", "abi/kmemtrace_file.h", "abi/golden/file.txt", file_layouts, file_constants },
};

static void append_layout(GString *out, const struct layout *layout)
{
	const struct field *field = layout->fields;

	for (; field->name; field++)
		g_string_append_printf(out, "%s.%s offset %zu size %zu\n", layout->name,
				       field->name, field->offset, field->size);
	g_string_append_printf(out, "%s size %zu\n", layout->name, field->size);
}

static GString *make_text(const struct text *text)
{
	GString *out = g_string_new(NULL);

	for (const struct layout *layout = text->layouts; layout->name; layout++)
		append_layout(out, layout);
	for (const struct constant *constant = text->constants; constant->name; constant++)
		g_string_append_printf(out, "%s %llu\n", constant->name, constant->value);
	if (text->constants == abi_constants) {
		g_string_append(out, "KMEMTRACE_DEBUGFS_DIR " KMEMTRACE_DEBUGFS_DIR "\n");
		g_string_append(out, "KMEMTRACE_SYSFS_DIR " KMEMTRACE_SYSFS_DIR "\n");
		return out;
	}
	g_string_append(out, "KMEMTRACE_FILE_MAGIC");
	for (size_t i = 0; i < KMEMTRACE_FILE_MAGIC_LEN; i++)
		g_string_append_printf(out, " %02x", (guint8)KMEMTRACE_FILE_MAGIC[i]);
	g_string_append_c(out, '\n');
	return out;
}

/* The project's folder is the working directory or above it. */
static char *read_project_file(const char *name)
{
	g_autofree char *folder = g_get_current_dir();

	for (;;) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		char *contents, *parent;

		if (g_file_get_contents(path, &contents, NULL, NULL))
			return contents;
		parent = g_path_get_dirname(folder);
		if (strcmp(parent, folder) == 0)
			g_error("%s is not there, nor above: run this in the project's folder",
				name);
		g_free(folder);
		folder = parent;
	}
}

/* ---- tests ---- */

static void abi_layout_equals_the_golden_one(gconstpointer data)
{
	const struct text *text = data;
	g_autofree char *golden = read_project_file(text->golden);
	g_autoptr(GString) now = make_text(text);
	g_auto(GStrv) is = g_strsplit(now->str, "\n", -1);
	g_auto(GStrv) was = g_strsplit(golden, "\n", -1);

	for (size_t i = 0; is[i] && was[i]; i++)
		g_assert_cmpstr(is[i], ==, was[i]);
	g_assert_cmpuint(g_strv_length(is), ==, g_strv_length(was));
}

/* Also detects a field that is missing in this test. Fields of a union overlap. */
static void abi_structures_have_no_holes(gconstpointer data)
{
	const struct text *text = data;

	for (const struct layout *layout = text->layouts; layout->name; layout++) {
		const struct field *field = layout->fields;
		size_t covered = 0;

		for (; field->name; field++) {
			if (field->offset > covered)
				g_error("%s has a hole before %s", layout->name, field->name);
			covered = MAX(covered, field->offset + field->size);
		}
		g_assert_cmpuint(covered, ==, field->size);
	}
}

static bool is_no_number(const char *name)
{
	return g_str_has_suffix(name, "_H") || g_str_has_suffix(name, "_ASSERT");
}

static void abi_golden_has_all_names_of_the_header(gconstpointer data)
{
	const struct text *text = data;
	g_autofree char *header = read_project_file(text->header);
	g_autoptr(GString) now = make_text(text);
	g_autoptr(GRegex) regex =
		g_regex_new("^(#define|\t)\\s*(KMEMTRACE_\\w+)", G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	unsigned int names = 0;

	for (g_regex_match(regex, header, 0, &match); g_match_info_matches(match);
	     g_match_info_next(match, NULL)) {
		g_autofree char *name = g_match_info_fetch(match, 2);
		g_autofree char *line = g_strdup_printf("\n%s ", name);

		names++;
		if (!is_no_number(name) && !strstr(now->str, line))
			g_error("%s of %s is not in the frozen layout", name, text->header);
	}
	g_assert_cmpuint(names, >, 10);
}

static int print_text(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GString) now = NULL;

		if (strcmp(texts[i].name, name) != 0)
			continue;
		now = make_text(&texts[i]);
		fputs(now->str, stdout);
		return 0;
	}
	fprintf(stderr, "usage: test-abi --print abi|file\n");
	return 2;
}

static void add_test(const char *name, const struct text *text, GTestDataFunc func)
{
	g_autofree char *path = g_strdup_printf("/abi/%s/%s", text->name, name);

	g_test_add_data_func(path, text, func);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--print") == 0)
		return print_text(argc > 2 ? argv[2] : "");
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
#define TEST(name)	add_test(#name, &texts[i], name)
		TEST(abi_layout_equals_the_golden_one);
		TEST(abi_structures_have_no_holes);
		TEST(abi_golden_has_all_names_of_the_header);
	}
	return g_test_run();
}
