// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/views.h"

#include <bpf/btf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/numbers.h"
#include "capture/bpf/kernel_btf.h"
#include "capture/tracer/rights.h"
#include "trace/event/event.h"

/* ---- abi ---- */

/* The flags of kernels up to 6.8; later ones have them in their BTF. */
static const char *const old_gfp[] = {
	"__GFP_DMA",
	"__GFP_HIGHMEM",
	"__GFP_DMA32",
	"__GFP_MOVABLE",
	"__GFP_RECLAIMABLE",
	"__GFP_HIGH",
	"__GFP_IO",
	"__GFP_FS",
	"__GFP_ZERO",
	"__GFP_ATOMIC",
	"__GFP_DIRECT_RECLAIM",
	"__GFP_KSWAPD_RECLAIM",
	"__GFP_WRITE",
	"__GFP_NOWARN",
	"__GFP_RETRY_MAYFAIL",
	"__GFP_NOFAIL",
	"__GFP_NORETRY",
	"__GFP_MEMALLOC",
	"__GFP_COMP",
	"__GFP_NOMEMALLOC",
	"__GFP_HARDWALL",
	"__GFP_THISNODE",
	"__GFP_ACCOUNT",
	"__GFP_ZEROTAGS",
};

#define KERNEL_MINOR_BITS 20 /* of a device in the kernel */

#define GFP_PREFIX "_" /* before "__GFP_DMA" */
#define GFP_SUFFIX "_BIT"

static const char *const migratetypes[][2] = {
	{ "MIGRATE_UNMOVABLE", "unmovable" },
	{ "MIGRATE_MOVABLE", "movable" },
	{ "MIGRATE_RECLAIMABLE", "reclaimable" },
	{ "MIGRATE_HIGHATOMIC", "highatomic" },
	{ "MIGRATE_CMA", "cma" },
	{ "MIGRATE_ISOLATE", "isolate" },
};

#define FIELD(field)                                                                               \
	{                                                                                          \
#field, offsetof(struct kmemtrace_record, field)                                   \
	}

static const struct {
	const char *name;
	gsize offset;
} fields[] = {
	FIELD(time_ns),          FIELD(addr), FIELD(call_site), FIELD(stack_id), FIELD(bytes_req),
	FIELD(bytes_alloc),      FIELD(gfp),  FIELD(tid),       FIELD(cache),    FIELD(page.order),
	FIELD(page.migratetype), FIELD(node), FIELD(type),
};

#define USER_FIELD(field)                                                                          \
	{                                                                                          \
#field, offsetof(struct kmemtrace_record_user, field)                              \
	}

static const struct {
	const char *name;
	gsize offset;
} user_fields[] = { USER_FIELD(user_stack_id), USER_FIELD(mm), USER_FIELD(tgid) };

typedef void (*EnumFunc)(const char *name, guint32 value, GString *text);

/* Calls @func for each value of the enum that has the value @has. FALSE: there is none. */
static gboolean each_value(const struct btf *btf, const char *has, EnumFunc func, GString *text)
{
	guint32 types = btf ? btf__type_cnt(btf) : 0;

	for (guint32 id = 1; id < types; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const struct btf_enum *values = btf_enum(type);
		gboolean found = FALSE;

		if (!btf_is_enum(type))
			continue;
		for (guint i = 0; i < btf_vlen(type) && !found; i++)
			found = !strcmp(btf__name_by_offset(btf, values[i].name_off), has);
		for (guint i = 0; i < btf_vlen(type) && found; i++)
			func(btf__name_by_offset(btf, values[i].name_off), values[i].val, text);
		if (found)
			return TRUE;
	}
	return FALSE;
}

static void add_gfp(const char *name, guint32 value, GString *text)
{
	/* Not flags: an unused bit, and the end. */
	if (!strcmp(name, "___GFP_UNUSED_BIT") || !strcmp(name, "___GFP_LAST_BIT"))
		return;
	if (g_str_has_prefix(name, GFP_PREFIX "__GFP_") && g_str_has_suffix(name, GFP_SUFFIX) &&
	    value < 32)
		g_string_append_printf(text, "gfp %.*s 0x%x\n",
				       (int)(strlen(name) - strlen(GFP_PREFIX GFP_SUFFIX)),
				       name + strlen(GFP_PREFIX), 1U << value);
}

static void add_migratetype(const char *name, guint32 value, GString *text)
{
	for (guint i = 0; i < G_N_ELEMENTS(migratetypes); i++) {
		if (!strcmp(migratetypes[i][0], name))
			g_string_append_printf(text, "migratetype %u %s\n", value,
					       migratetypes[i][1]);
	}
}

static void add_events(GString *text)
{
	for (guint event = KMEMTRACE_EVENT_NONE + 1; event < KMEMTRACE_EVENT_NR; event++)
		g_string_append_printf(text, "event %u %s\n", event, trace_event_name(event));
}

char *bpf_view_abi(guint64 linear_base, gboolean user_stacks, const BpfPauses *pauses)
{
	GString *text = g_string_new(NULL);
	const struct btf *btf = kernel_btf();

	g_string_append_printf(
		text,
		"abi_version %u\nheader_len %zu\nrecord_len %zu\nword_size %zu\npage_size %ld\n",
		KMEMTRACE_ABI_VERSION, sizeof(struct kmemtrace_subbuf_header),
		user_stacks ? sizeof(struct kmemtrace_record_user)
			    : sizeof(struct kmemtrace_record),
		sizeof(long), sysconf(_SC_PAGESIZE));
	g_string_append_printf(text, "linear_base 0x%" G_GINT64_MODIFIER "x\n", linear_base);
	g_string_append(text, "clock mono\n");
	if (pauses)
		bpf_pauses_append(pauses, text);
	for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
		g_string_append_printf(text, "field %zu %s\n", fields[i].offset, fields[i].name);
	for (guint i = 0; user_stacks && i < G_N_ELEMENTS(user_fields); i++)
		g_string_append_printf(text, "field %zu %s\n", user_fields[i].offset,
				       user_fields[i].name);
	add_events(text);
	each_value(btf, "MIGRATE_UNMOVABLE", add_migratetype, text);
	if (!each_value(btf, "___GFP_DMA_BIT", add_gfp, text)) {
		for (guint i = 0; i < G_N_ELEMENTS(old_gfp); i++)
			g_string_append_printf(text, "gfp %s 0x%x\n", old_gfp[i], 1U << i);
	}
	return g_string_free(text, FALSE);
}

/* ---- stats ---- */

/* The kernel counts missed events of all CPUs together: they are in the line of the first CPU. */
static void add_cpu(GString *text, const BpfRings *rings, guint cpu, guint64 missed)
{
	const struct kmt_bpf_ring *ring = &rings->maps->rings[cpu];
	guint64 written = 0, overwritten = 0;

	/* A CPU that was added later has no sub-buffers: all of its events are lost. */
	if (cpu < rings->maps->cpus)
		bpf_rings_count(rings, cpu, &written, &overwritten);
	else if (!ring->lost[KMEMTRACE_LOSS_BUFFER_FULL])
		return;
	g_string_append_printf(text, "%u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, cpu, written,
			       (guint64)ring->ignored);
	for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
		g_string_append_printf(text, " %" G_GUINT64_FORMAT,
				       (guint64)ring->lost[reason] +
					       (reason == KMEMTRACE_LOSS_RECURSION ? missed : 0));
	g_string_append_printf(text, " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", overwritten,
			       (guint64)ring->consumed);
}

char *bpf_view_stats(const BpfPrograms *programs, const BpfRings *rings)
{
	GString *text = g_string_new("cpu written ignored");
	guint64 buffers = 0, stacks = 0, filters = 0, names = 0;
	guint64 unwound = 0, left_out = 0, missed = 0, words = 0;
	guint64 recalled = 0, known = 0, compared = 0, differed = 0;

	for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
		g_string_append_printf(text, " %s", trace_loss_name(reason));
	g_string_append(text, " overwritten consumed\n");
	if (programs) {
		missed = bpf_programs_missed(programs);
		bpf_programs_memory(programs, &buffers, &stacks, &filters, &names);
		words = MIN(rings->maps->state->stack_words, stacks / sizeof(guint64));
		bpf_programs_recalled(programs, &recalled, &known, &compared, &differed);
	}
	for (guint cpu = 0; programs && cpu < rings->maps->ring_count; cpu++) {
		add_cpu(text, rings, cpu, cpu ? 0 : missed);
		unwound += rings->maps->rings[cpu].stacks;
		left_out += rings->maps->rings[cpu].left_out;
	}
	g_string_append_printf(
		text,
		"filter left_out %" G_GUINT64_FORMAT "\nmemory buffers %" G_GUINT64_FORMAT
		"\nmemory stacks %" G_GUINT64_FORMAT "\nmemory stacks_used %" G_GUINT64_FORMAT
		"\nmemory filters %" G_GUINT64_FORMAT "\nmemory names %" G_GUINT64_FORMAT
		"\nstacks recalled %" G_GUINT64_FORMAT
		"\nstacks walked 0\nstacks unwound %" G_GUINT64_FORMAT
		"\nstacks known %" G_GUINT64_FORMAT "\n",
		left_out, buffers, stacks, words * sizeof(guint64), filters, names, recalled,
		unwound, known);
	if (programs && rings->maps->record_bytes != sizeof(struct kmemtrace_record))
		g_string_append_printf(text, "files refused %u\n",
				       rings->maps->state->files_refused);
	if (compared)
		g_string_append_printf(text,
				       "stacks compared %" G_GUINT64_FORMAT
				       "\nstacks differed %" G_GUINT64_FORMAT "\n",
				       compared, differed);
	return g_string_free(text, FALSE);
}

/* ---- names ---- */

/* Appends a name, escaped as by seq_escape() in the module's views: a line is a name. */
static void append_name(GString *text, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n' || *name == '\\')
			g_string_append_printf(text, "\\%03o", (guchar)*name);
		else
			g_string_append_c(text, *name);
	}
	g_string_append_c(text, '\n');
}

char *bpf_view_caches(const BpfMaps *maps)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; maps && i < KMT_BPF_CACHES; i++) {
		const struct kmt_bpf_cache *cache = &maps->caches[i];
		g_autofree char *name = g_strndup(cache->name, sizeof(cache->name));

		if (!cache->ready)
			continue;
		g_string_append_printf(text, "%u %u ", i + 1, cache->object_size);
		append_name(text, name);
	}
	return g_string_free(text, FALSE);
}

/* Appends the names from the outermost on; "?": unknown. */
static void append_path(GString *text, const struct kmt_bpf_file *file)
{
	const char *names[KMT_BPF_PATH / 2];
	g_autoptr(GString) path = g_string_new(NULL);
	guint count = 0;

	for (guint at = 0; at < MIN(file->path_len, KMT_BPF_PATH) && count < G_N_ELEMENTS(names);
	     at += strlen(file->path + at) + 1)
		names[count++] = file->path + at;
	while (count-- > 0)
		g_string_append_printf(path, "/%s", names[count]);
	if (path->len && file->flags & KMT_BPF_FILE_REMOVED)
		g_string_append(path, " (deleted)");
	append_name(text, path->len ? path->str : "?");
}

char *bpf_view_files(const BpfMaps *maps)
{
	guint count = maps && maps->files ? MIN(maps->state->files, KMT_BPF_FILES) : 0;
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		const struct kmt_bpf_file *file = &maps->files[i];
		const struct kmt_bpf_file_key *key = &file->key;

		if (!(__atomic_load_n(&file->flags, __ATOMIC_ACQUIRE) & KMT_BPF_FILE_READY))
			continue;
		g_string_append_printf(
			text,
			"%u %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %u:%u ",
			i + 1, (guint64)key->inode, (gint64)key->ctime_ns, (gint64)key->size,
			key->dev >> KERNEL_MINOR_BITS, key->dev & ((1U << KERNEL_MINOR_BITS) - 1));
		append_path(text, file);
	}
	return g_string_free(text, FALSE);
}

char *bpf_view_mms(const BpfPrograms *programs)
{
	g_autoptr(GArray) mms = programs ? bpf_programs_mms(programs) : NULL;
	GString *text = g_string_new(NULL);

	for (guint i = 0; mms && i < mms->len; i++) {
		const struct kmt_bpf_mm *mm = &g_array_index(mms, struct kmt_bpf_mm, i);

		g_string_append_printf(text, "%u %u\n", mm->tgid, mm->mm);
	}
	return g_string_free(text, FALSE);
}

/* Threads that start meanwhile are listed last, and have events. */
static GPtrArray *list_threads(const char *path)
{
	struct stat st; /* its link count is the number of threads, plus 2 */

	return numbers_list(path, stat(path, &st) ? 0 : st.st_nlink);
}

char *bpf_view_task_name(guint32 tid, guint32 tgid)
{
	char file[64], *name = NULL;
	gsize len;

	g_snprintf(file, sizeof(file), "/proc/%u/task/%u/comm", tgid, tid);
	if (!g_file_get_contents(file, &name, &len, NULL))
		return NULL;
	if (len)
		name[len - 1] = 0; /* the final newline; others belong to the name */
	return name;
}

static void add_threads(GString *text, const char *process)
{
	g_autofree char *path = g_build_filename("/proc", process, "task", NULL);
	g_autoptr(GPtrArray) threads = list_threads(path);

	for (guint i = 0; i < threads->len; i++) {
		const char *thread = threads->pdata[i];
		g_autofree char *name = bpf_view_task_name(atoi(thread), atoi(process));

		if (!name)
			continue;
		g_string_append_printf(text, "%s %s ", thread, process);
		append_name(text, name);
	}
}

char *bpf_view_tasks(void)
{
	GString *text = g_string_new(NULL);
	g_autofree char *namespace = g_file_read_link("/proc/self/ns/pid", NULL);
	g_autoptr(GPtrArray) processes = NULL;

	/* In another PID namespace, /proc has other ids than the records. */
	if (!g_strcmp0(namespace, RIGHTS_PID_OF_HOST))
		processes = numbers_list("/proc", G_MAXSIZE);
	for (guint i = 0; processes && i < processes->len; i++)
		add_threads(text, processes->pdata[i]);
	return g_string_free(text, FALSE);
}
