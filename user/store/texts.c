// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/texts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *texts_read(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase, GError **error)
{
	struct trace_error err = { "" };
	char *text, *copy;
	size_t len;
	int ret = trace_reader_snapshot(reader, name, phase, &text, &len, NULL, &err);

	if (ret == -ENOENT)
		return NULL;
	if (ret) {
		g_set_error_literal(error, STORE_ERROR, STORE_ERROR_FAILED, err.text);
		return NULL;
	}
	copy = g_strndup(text, len);
	free(text);
	return copy;
}

char *texts_read_last(struct trace_reader *reader, const char *name, GError **error)
{
	g_autoptr(GError) local = NULL;
	char *text = texts_read(reader, name, KMEMTRACE_PHASE_END, &local);

	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return NULL;
	}
	return text ? text : texts_read(reader, name, KMEMTRACE_PHASE_START, error);
}

/* Calls @line for each line of @text; counts those that it doesn't take. */
typedef gboolean (*LineFunc)(StoreWriter *writer, int phase, char *line, gpointer data);

static void each_line(StoreWriter *writer, int phase, const char *text, LineFunc func, gpointer data,
		      guint *skipped)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		if (lines[i][0] && !func(writer, phase, lines[i], data))
			(*skipped)++;
	}
}

/* ---- abi ---- */

static void learn_gfp(TextsAbi *abi, const char *name, guint32 bit)
{
	if (strcmp(name, "__GFP_DMA") == 0)
		abi->gfp_dma = bit;
	else if (strcmp(name, "__GFP_RECLAIMABLE") == 0)
		abi->gfp_reclaimable = bit;
	else if (strcmp(name, "__GFP_ACCOUNT") == 0)
		abi->gfp_account = bit;
}

static gboolean abi_line(StoreWriter *writer, int phase, char *line, gpointer data)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	guint count = g_strv_length(words);
	TextsAbi *abi = data;
	guint32 number;

	(void)phase;
	if (count < 2)
		return FALSE;
	number = g_ascii_strtoull(words[1], NULL, 10);
	if (strcmp(words[0], "linear_base") == 0) {
		abi->linear_base = g_ascii_strtoull(words[1], NULL, 16);
	} else if (strcmp(words[0], "page_size") == 0) {
		if (number >= 512 && number <= 1 << 20 && !(number & (number - 1)))
			abi->page_size = number;
	} else if (strcmp(words[0], "gfp") == 0 && count == 3) {
		number = g_ascii_strtoull(words[2], NULL, 16);
		learn_gfp(abi, words[1], number);
		store_writer_row(writer, STORE_INSERT_GFP_NAME, "is", (gint64)number, words[1]);
	} else if (strcmp(words[0], "migratetype") == 0 && count == 3) {
		store_writer_row(writer, STORE_INSERT_MIGRATETYPE_NAME, "is", (gint64)number, words[2]);
	}
	return TRUE;
}

void texts_store_abi(StoreWriter *writer, const char *text, TextsAbi *abi, guint *skipped)
{
	*abi = (TextsAbi){ .page_size = 4096 };
	each_line(writer, 0, text, abi_line, abi, skipped);
}

/* ---- host ---- */

static gboolean host_line(StoreWriter *writer, int phase, char *line, gpointer data)
{
	char *equals = strchr(line, '=');

	(void)phase, (void)data;
	if (!equals)
		return FALSE;
	*equals = 0;
	store_writer_row(writer, STORE_INSERT_META, "ss", line, equals + 1);
	return TRUE;
}

void texts_store_host(StoreWriter *writer, const char *text, guint *skipped)
{
	each_line(writer, 0, text, host_line, NULL, skipped);
}

/* ---- tasks ---- */

static gboolean task_line(StoreWriter *writer, int phase, char *line, gpointer data)
{
	unsigned int tid, tgid;
	int at = 0;

	(void)writer, (void)phase;
	if (sscanf(line, "%u %u %n", &tid, &tgid, &at) != 2 || !at)
		return FALSE;
	tasks_add_default(data, tid, tgid, line + at);
	return TRUE;
}

void texts_load_tasks(Tasks *tasks, const char *text, guint *skipped)
{
	each_line(NULL, 0, text, task_line, tasks, skipped);
}

/* ---- meminfo: "Slab:  45236 kB"; vmstat: "nr_free_pages 123" ---- */

static gboolean meminfo_line(StoreWriter *writer, int phase, char *line, gpointer data)
{
	char key[64];
	long long value;

	(void)data;
	if (sscanf(line, "%63[^:]: %lld", key, &value) != 2)
		return FALSE;
	if (strstr(line, " kB"))	/* the others are counts of huge pages */
		store_writer_row(writer, STORE_INSERT_MEMINFO, "isi", (gint64)phase, key, (gint64)value);
	return TRUE;
}

static gboolean vmstat_line(StoreWriter *writer, int phase, char *line, gpointer data)
{
	char key[64];
	long long value;

	(void)data;
	if (sscanf(line, "%63s %lld", key, &value) != 2)
		return FALSE;
	store_writer_row(writer, STORE_INSERT_VMSTAT, "isi", (gint64)phase, key, (gint64)value);
	return TRUE;
}

void texts_store_meminfo(StoreWriter *writer, int phase, const char *text, guint *skipped)
{
	each_line(writer, phase, text, meminfo_line, NULL, skipped);
}

void texts_store_vmstat(StoreWriter *writer, int phase, const char *text, guint *skipped)
{
	each_line(writer, phase, text, vmstat_line, NULL, skipped);
}

/* ---- slabinfo: name active total size per_slab pages : tunables … : slabdata active_slabs slabs … ---- */

static gboolean slabinfo_line(StoreWriter *writer, int phase, char *line, gpointer data)
{
	long long active, total, size, per_slab, pages, slabs = 0;
	char *slabdata = strstr(line, "slabdata");
	char name[128];

	(void)data;
	if (line[0] == '#' || g_str_has_prefix(line, "slabinfo - version"))
		return TRUE;
	if (sscanf(line, "%127s %lld %lld %lld %lld %lld", name, &active, &total, &size, &per_slab, &pages) != 6)
		return FALSE;
	if (!slabdata || sscanf(slabdata, "slabdata %*d %lld", &slabs) != 1)
		return FALSE;
	store_writer_row(writer, STORE_INSERT_SLABINFO, "isiiiiii", (gint64)phase, name, (gint64)active,
			 (gint64)total, (gint64)size, (gint64)per_slab, (gint64)pages, (gint64)slabs);
	return TRUE;
}

void texts_store_slabinfo(StoreWriter *writer, int phase, const char *text, guint *skipped)
{
	each_line(writer, phase, text, slabinfo_line, NULL, skipped);
}

/* ---- buddyinfo: "Node 0, zone   Normal   12 34 …", a number for each order ---- */

static gboolean buddyinfo_line(StoreWriter *writer, int phase, char *line, gpointer data)
{
	char zone[32], *at, *end;
	int node, used = 0;

	(void)data;
	if (sscanf(line, "Node %d, zone %31s%n", &node, zone, &used) != 2)
		return FALSE;
	at = line + used;
	for (gint64 order = 0;; order++, at = end) {
		gint64 blocks = g_ascii_strtoll(at, &end, 10);

		if (end == at)
			return TRUE;
		store_writer_row(writer, STORE_INSERT_BUDDYINFO, "iisii", (gint64)phase, (gint64)node, zone,
				 order, blocks);
	}
}

void texts_store_buddyinfo(StoreWriter *writer, int phase, const char *text, guint *skipped)
{
	each_line(writer, phase, text, buddyinfo_line, NULL, skipped);
}
