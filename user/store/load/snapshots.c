// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/snapshots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "base/tokenize.h"
#include "base/units.h"
#include "store/store.h"

#define COMMAND_KEY "command="

struct Snapshots {
	struct trace_reader *reader;
	Db *db;
	struct trace_error err; /* the first one; "": none */
	guint64 skipped;        /* lines */
};

static const char *const phase_names[] = {
	[KMEMTRACE_PHASE_START] = "start",
	[KMEMTRACE_PHASE_END] = "end",
};

Snapshots *snapshots_new(struct trace_reader *reader, Db *db)
{
	Snapshots *snapshots = g_new0(Snapshots, 1);

	snapshots->reader = reader;
	snapshots->db = db;
	return snapshots;
}

void snapshots_free(Snapshots *snapshots)
{
	g_free(snapshots);
}

/* Returns @text, or NULL if reading it returned an error, @ret, of which the first one is kept. */
static char *take_text(Snapshots *snapshots, int ret, char *text, const struct trace_error *err)
{
	if (!ret)
		return text;
	if (ret != -ENOENT && !snapshots->err.text[0])
		snapshots->err = *err;
	return NULL;
}

char *snapshots_read(Snapshots *snapshots, const char *name, enum kmemtrace_phase phase)
{
	struct trace_error err = { "" };
	char *text = NULL;
	size_t len;
	int ret = trace_reader_snapshot(snapshots->reader, name, phase, &text, &len, NULL, &err);

	return take_text(snapshots, ret, text, &err);
}

char *snapshots_read_outer(Snapshots *snapshots, const char *name, enum kmemtrace_phase phase)
{
	struct trace_error err = { "" };
	char *text = NULL;
	int ret = trace_reader_outer_snapshot(snapshots->reader, name, phase, &text, &err);

	return take_text(snapshots, ret, text, &err);
}

gboolean snapshots_check(const Snapshots *snapshots, GError **error)
{
	if (!snapshots->err.text[0])
		return TRUE;
	return store_fail(error, "%s", snapshots->err.text);
}

void snapshots_add_skipped(Snapshots *snapshots, guint64 lines)
{
	snapshots->skipped += lines;
}

guint64 snapshots_skipped(const Snapshots *snapshots)
{
	return snapshots->skipped;
}

static void take_lines(Snapshots *snapshots, char *text, LineTaker take, gpointer data)
{
	char *rest = text, *line;

	while (text && (line = tokenize_line(&rest)))
		snapshots->skipped += take(line, data) == LINE_BAD;
}

gboolean snapshots_each_line(Snapshots *snapshots, const char *name, enum kmemtrace_phase phase,
			     LineTaker take, gpointer data)
{
	char *text = snapshots_read(snapshots, name, phase);
	gboolean there = text != NULL;

	take_lines(snapshots, text, take, data);
	free(text);
	return there;
}

/* ---- abi ---- */

typedef struct {
	KernelAbi abi;
	Caches *caches;
	Insert *gfp;
	guint32 gfp_bits; /* named flags */
	Insert *migratetype;
} AbiLoad;

static LineResult take_abi(char *line, gpointer data)
{
	AbiLoad *load = data;
	AbiLine abi;
	LineResult result = snapshot_parse_abi(line, &abi);

	if (result == LINE_FINE)
		result = kernel_abi_add(&load->abi, &abi);
	if (result != LINE_FINE)
		return result;
	if (abi.key == ABI_GFP) {
		caches_set_flag(load->caches, abi.name, abi.value);
		if (!(load->gfp_bits & abi.value))
			insert_row(load->gfp, "is", (gint64)abi.value, abi.name);
		load->gfp_bits |= abi.value;
	} else if (abi.key == ABI_MIGRATETYPE) {
		if (abi.value > G_MAXUINT8)
			return LINE_BAD;
		insert_row(load->migratetype, "is", (gint64)abi.value, abi.name);
	}
	return LINE_FINE;
}

KernelAbi snapshots_load_abi(Snapshots *snapshots, Caches *caches)
{
	AbiLoad load = {
		.abi = { .page_shift = KERNEL_ABI_PAGE_SHIFT },
		.caches = caches,
		.gfp = db_insert(snapshots->db, "gfp_flag"),
		.migratetype = db_insert(snapshots->db, "migratetype"),
	};

	snapshots_each_line(snapshots, "abi", KMEMTRACE_PHASE_START, take_abi, &load);
	return load.abi;
}

/* ---- pauses ---- */

typedef struct {
	guint64 start_ns;
	Pauses within; /* of the listed pauses */
	Pauses all;    /* of the session */
	guint64 lines;
} PausesLoad;

static LineResult take_pause(char *line, gpointer data)
{
	PausesLoad *load = data;
	AbiLine abi;

	/* Other lines were parsed before. */
	if (snapshot_parse_abi(line, &abi) != LINE_FINE)
		return LINE_OTHER;
	if (abi.key == ABI_PAUSES)
		load->all = (Pauses){ abi.value, abi.end };
	if (abi.key != ABI_PAUSE)
		return LINE_FINE;
	load->lines++;
	if (abi.value <= load->start_ns || abi.end < abi.value)
		return LINE_FINE;
	load->within.count++;
	/* A tracer's pauses don't overlap; a forged file may have any number of them. */
	load->within.total_ns =
		MIN(load->within.total_ns + (abi.end - abi.value), UNITS_TIME_END - 1);
	return LINE_FINE;
}

/*
 * Reads the pauses from the text of the end, which has all of them. A pause that ended before the
 * beginning of the trace is between this trace and an earlier one. Only the last pauses are listed:
 * if all of these count, earlier ones may count, too.
 */
Pauses snapshots_load_pauses(Snapshots *snapshots, guint64 start_ns)
{
	PausesLoad load = { .start_ns = start_ns };

	if (!snapshots_each_line(snapshots, "abi", KMEMTRACE_PHASE_END, take_pause, &load))
		snapshots_each_line(snapshots, "abi", KMEMTRACE_PHASE_START, take_pause, &load);
	return load.within.count && load.within.count == load.lines ? load.all : load.within;
}

/* ---- caches, tasks, host ---- */

static LineResult take_cache(char *line, gpointer data)
{
	NameLine cache;
	LineResult result = snapshot_parse_name(line, &cache);

	if (result == LINE_FINE)
		caches_add(data, cache.id, cache.number, cache.name);
	return result;
}

/* Maximum links. A kernel has some hundred caches, and merges up to a few dozen of them. */
#define ALIASES_MAX        2048
#define ALIASES_MERGED_MAX 64

typedef struct {
	Insert *insert;
	GHashTable *links; /* a set of lines */
	GHashTable *slabs; /* text to the number of its links */
} AliasesLoad;

/*
 * "slabs name", where the name may have spaces. A name is displayed with all others that share its
 * slabs.
 */
static LineResult take_alias(char *line, gpointer data)
{
	AliasesLoad *load = data;
	char *name = strchr(line, ' ');
	g_autofree char *link = NULL;
	guint merged;

	if (!name || name == line || !name[1])
		return LINE_BAD;
	if (g_hash_table_contains(load->links, line))
		return LINE_FINE;
	link = g_strdup(line);
	*name++ = 0;
	merged = GPOINTER_TO_UINT(g_hash_table_lookup(load->slabs, line));
	if (g_hash_table_size(load->links) == ALIASES_MAX || merged == ALIASES_MERGED_MAX ||
	    MAX(strlen(line), strlen(name)) > SNAPSHOT_NAME_MAX)
		return LINE_BAD;
	g_hash_table_add(load->links, g_steal_pointer(&link));
	g_hash_table_replace(load->slabs, g_strdup(line), GUINT_TO_POINTER(merged + 1));
	insert_row(load->insert, "ss", line, name);
	return LINE_FINE;
}

/* Reads both texts: a cache may exist for only a part of the recording. */
void snapshots_load_caches(Snapshots *snapshots, Caches *caches)
{
	AliasesLoad load = {
		.insert = db_insert(snapshots->db, "cache_alias"),
		.links = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL),
		.slabs = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL),
	};

	snapshots_each_line(snapshots, "caches", KMEMTRACE_PHASE_END, take_cache, caches);
	snapshots_each_line(snapshots, "cache_aliases", KMEMTRACE_PHASE_START, take_alias, &load);
	snapshots_each_line(snapshots, "cache_aliases", KMEMTRACE_PHASE_END, take_alias, &load);
	g_hash_table_unref(load.slabs);
	g_hash_table_unref(load.links);
}

static LineResult take_task(char *line, gpointer data)
{
	NameLine task;
	LineResult result = snapshot_parse_name(line, &task);

	if (result == LINE_FINE)
		tasks_add_default(data, task.id, task.number, task.name);
	return result;
}

/*
 * Reads the names at the start of each file, the first one first, which are closer to a thread's
 * first event than the names at the end.
 */
void snapshots_load_tasks(Snapshots *snapshots, Tasks *tasks)
{
	for (size_t i = 0; i < trace_reader_file_count(snapshots->reader); i++) {
		struct trace_error err = { "" };
		char *text;
		int ret = trace_reader_file_snapshot(snapshots->reader, i, "tasks",
						     KMEMTRACE_PHASE_START, &text, &err);

		if (!ret) {
			take_lines(snapshots, text, take_task, tasks);
			free(text);
		} else if (ret != -ENOENT && !snapshots->err.text[0]) {
			snapshots->err = err;
		}
	}
	snapshots_each_line(snapshots, "tasks", KMEMTRACE_PHASE_END, take_task, tasks);
}

typedef struct {
	Insert *insert;
	gboolean is_by_bpf;
} HostLoad;

static LineResult take_host(char *line, HostLoad *load)
{
	TextLine host;
	LineResult result = snapshot_parse_text(line, &host);
	g_autofree char *key = NULL;

	if (result != LINE_FINE)
		return result;
	key = g_strconcat("host.", host.key, NULL);
	insert_row(load->insert, "ss", key, host.value);
	load->is_by_bpf |= !strcmp(host.key, "source") && !strcmp(host.value, "bpf");
	return result;
}

/* The command continues to the end of the text, whatever its lines look like. */
gboolean snapshots_load_host(Snapshots *snapshots)
{
	char *text = snapshots_read(snapshots, "host", KMEMTRACE_PHASE_START), *rest = text, *line;
	HostLoad load = { .insert = db_insert(snapshots->db, "meta") };

	while (text && *rest && !g_str_has_prefix(rest, COMMAND_KEY)) {
		line = tokenize_line(&rest);
		snapshots->skipped += take_host(line, &load) == LINE_BAD;
	}
	if (text && *rest) {
		if (g_str_has_suffix(rest, "\n"))
			rest[strlen(rest) - 1] = 0;
		take_host(rest, &load);
	}
	free(text);
	return load.is_by_bpf;
}

static guint64 add_clamped(guint64 sum, guint64 number)
{
	return number > G_MAXINT64 - sum ? G_MAXINT64 : sum + number;
}

/* "key number", then lines of offset and length. */
static LineResult take_recovered(char *line, gpointer data)
{
	Recovered *recovered = data;
	char *value = strchr(line, ' ');
	guint64 number;

	if (g_ascii_isdigit(line[0]))
		return LINE_OTHER;
	if (!value || !g_ascii_string_to_unsigned(value + 1, 10, 0, G_MAXUINT64, &number, NULL))
		return LINE_BAD;
	*value = 0;
	if (strcmp(line, "end") == 0)
		recovered->has_end = recovered->has_end && number;
	else if (strcmp(line, "bytes") == 0)
		recovered->bytes = add_clamped(recovered->bytes, number);
	else if (strcmp(line, "places") == 0)
		recovered->places = add_clamped(recovered->places, number);
	return LINE_FINE;
}

Recovered snapshots_load_recovered(Snapshots *snapshots)
{
	Recovered recovered = { .has_end = TRUE };
	struct trace_error err = { "" };
	char *text = NULL;

	/* There is one for each run of recover, and for each file. */
	if (trace_reader_every_snapshot(snapshots->reader, "recovered", KMEMTRACE_PHASE_END, &text,
					&err) &&
	    !snapshots->err.text[0])
		snapshots->err = err;
	take_lines(snapshots, text, take_recovered, &recovered);
	free(text);
	return recovered;
}

/* ---- memory ---- */

typedef struct {
	Insert *insert;
	Caches *caches; /* slabinfo only */
	const char *phase;
} MemoryLoad;

static LineResult take_meminfo(char *line, gpointer data)
{
	MemoryLoad *load = data;
	MeminfoLine meminfo;
	LineResult result = snapshot_parse_meminfo(line, &meminfo);

	if (result == LINE_FINE)
		insert_row(load->insert, "ssi", load->phase, meminfo.key, meminfo.kb);
	return result;
}

static LineResult take_slabinfo(char *line, gpointer data)
{
	MemoryLoad *load = data;
	SlabinfoLine slab;
	LineResult result = snapshot_parse_slabinfo(line, &slab);

	if (result != LINE_FINE)
		return result;
	caches_add_slabinfo(load->caches, slab.name, slab.object_size);
	insert_row(load->insert, "ssiiiiii", load->phase, slab.name, slab.active_objs,
		   slab.num_objs, slab.object_size, slab.objs_per_slab, slab.pages_per_slab,
		   slab.num_slabs);
	return result;
}

static LineResult take_buddyinfo(char *line, gpointer data)
{
	MemoryLoad *load = data;
	BuddyinfoLine buddy;
	LineResult result = snapshot_parse_buddyinfo(line, &buddy);

	for (guint i = 0; result == LINE_FINE && i < buddy.orders; i++)
		insert_row(load->insert, "sisii", load->phase, buddy.node, buddy.zone, (gint64)i,
			   buddy.blocks[i]);
	return result;
}

static LineResult take_vmstat(char *line, gpointer data)
{
	MemoryLoad *load = data;
	NumberLine number;
	LineResult result = snapshot_parse_number(line, &number);

	if (result == LINE_FINE)
		insert_row(load->insert, "ssi", load->phase, number.key, number.value);
	return result;
}

void snapshots_load_memory(Snapshots *snapshots, Caches *caches)
{
	static const struct {
		const char *name; /* of the text, and of its table */
		LineTaker take;
	} memory[] = {
		{ "meminfo", take_meminfo },
		{ "slabinfo", take_slabinfo },
		{ "buddyinfo", take_buddyinfo },
		{ "vmstat", take_vmstat },
	};

	for (guint i = 0; i < G_N_ELEMENTS(memory); i++) {
		MemoryLoad load = { .insert = db_insert(snapshots->db, memory[i].name),
				    .caches = caches };

		for (guint phase = 0; phase < G_N_ELEMENTS(phase_names); phase++) {
			load.phase = phase_names[phase];
			snapshots_each_line(snapshots, memory[i].name, phase, memory[i].take,
					    &load);
		}
	}
}

typedef struct {
	Insert *insert;
	guint64 start_ns;
} FreeLoad;

/* "time_ns " and a line of buddyinfo */
static LineResult take_free_time(char *line, gpointer data)
{
	const FreeLoad *load = data;
	char *rest = strchr(line, ' ');
	gint64 pages = 0, largest = DB_NULL;
	BuddyinfoLine buddy;
	LineResult result;
	guint64 time_ns;

	if (!rest)
		return LINE_BAD;
	*rest++ = 0;
	if (!g_ascii_string_to_unsigned(line, 10, 0, G_MAXINT64, &time_ns, NULL))
		return LINE_BAD;
	result = snapshot_parse_buddyinfo(rest, &buddy);
	if (result != LINE_FINE || time_ns < load->start_ns) /* in an earlier part */
		return result;
	for (guint i = 0; i < buddy.orders; i++) {
		if (buddy.blocks[i] < 0 || buddy.blocks[i] > G_MAXUINT32)
			return LINE_BAD;
		pages += buddy.blocks[i] << MIN(i, 20);
		if (buddy.blocks[i])
			largest = i;
	}
	insert_row(load->insert, "iisii", (gint64)(time_ns - load->start_ns), buddy.node,
		   buddy.zone, pages, largest);
	return result;
}

void snapshots_load_free_times(Snapshots *snapshots, guint64 start_ns)
{
	FreeLoad load = { db_insert(snapshots->db, "zone_free"), start_ns };

	snapshots_each_line(snapshots, "buddyinfo_times", KMEMTRACE_PHASE_END, take_free_time,
			    &load);
}
