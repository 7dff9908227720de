// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/filter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/bpf/attach.h"
#include "capture/bpf/pins.h"
#include "capture/bpf/sources.h"
#include "capture/tracer/cgroups.h"
#include "capture/tracer/control_class.h"

#define PIDS_LEN     1024 /* of the text, with the NUL, as in the module */
#define PIDS_BYTES   (KMT_BPF_PIDS / 8)
#define TRACED_BYTES (64U << KMT_BPF_TRACED_ORDER)
#define SEPARATORS   " \t\n,"
#define NEWTASK      "kmt_filter_newtask" /* the program that follows new processes */

struct BpfFilter {
	struct bpf_object *object; /* NULL: it is pinned */
	GArray *pids;              /* guint32 */
	guint64 cgroup;
	gboolean keeps;
	gboolean goes_on; /* with processes that an earlier filter followed */
	guint64 *bits;    /* the map "traced_pids"; NULL: not needed */
	int pinned;       /* the program NEWTASK, if there is no object; −1: not needed */
	int link;         /* link of NEWTASK; −1: none */
};

/* ---- settings ---- */

void bpf_filter_settings_clear(BpfFilterSettings *settings)
{
	g_clear_pointer(&settings->pids, g_free);
	g_clear_pointer(&settings->cache, g_free);
}

/* Returns the numbers in @text, guint32; NULL: @text has something else. */
static GArray *parse_pids(const char *text)
{
	g_auto(GStrv) words = g_strsplit_set(text ?: "", SEPARATORS, -1);
	g_autoptr(GArray) pids = g_array_new(FALSE, FALSE, sizeof(guint32));

	for (guint i = 0; words[i]; i++) {
		guint64 number;
		guint32 pid;

		if (!*words[i])
			continue;
		if (!g_ascii_string_to_unsigned(words[i], 10, 1, KMT_BPF_PIDS - 1, &number, NULL))
			return NULL;
		pid = number;
		g_array_append_val(pids, pid);
	}
	return g_steal_pointer(&pids);
}

int bpf_filter_set_pids(BpfFilterSettings *settings, const char *text)
{
	g_autoptr(GArray) pids = parse_pids(text);

	if (strlen(text) >= PIDS_LEN)
		return E2BIG;
	if (!pids)
		return EINVAL;
	g_free(settings->pids);
	settings->pids = g_strdup(text);
	return 0;
}

int bpf_filter_set_cache(BpfFilterSettings *settings, const char *text)
{
	if (strlen(text) >= KMT_BPF_FILTER_CACHE)
		return E2BIG;
	if (strstr(text, "kmalloc-") && !bpf_sources_know_slabs())
		return EOPNOTSUPP;
	g_free(settings->cache);
	settings->cache = g_strdup(text);
	return 0;
}

/* NULL and "" both mean that it is not set. */
static gboolean is_set(const char *text)
{
	return text && *text;
}

void bpf_filter_configure(struct kmt_bpf_config *config, const BpfFilterSettings *settings)
{
	config->min_size = settings->min_size;
	config->filter_pids = is_set(settings->pids);
	config->filter_cgroup = settings->cgroup != 0;
	config->sample_mask = MAX(settings->sample, 1) - 1;
	config->keeps = config->filter_pids || config->filter_cgroup || config->min_size ||
			is_set(settings->cache);
	config->filters = config->keeps || config->sample_mask;
	g_strlcpy(config->cache, settings->cache ?: "", sizeof(config->cache));
}

/* ---- maps ---- */

static struct bpf_map *find_map(const BpfFilter *filter, const char *name)
{
	return bpf_object__find_map_by_name(filter->object, name);
}

static struct bpf_program *newtask_of(const BpfFilter *filter)
{
	return bpf_object__find_program_by_name(filter->object, NEWTASK);
}

static BpfFilter *new_filter(const BpfFilterSettings *settings)
{
	BpfFilter *filter = g_new0(BpfFilter, 1);
	struct kmt_bpf_config config;

	bpf_filter_configure(&config, settings);
	filter->pids = parse_pids(settings->pids) ?: g_array_new(FALSE, FALSE, sizeof(guint32));
	filter->cgroup = settings->cgroup;
	filter->keeps = config.keeps;
	filter->pinned = filter->link = -1;
	return filter;
}

void bpf_followed_clear(BpfFollowed *followed)
{
	if (followed->pids >= 0)
		close(followed->pids);
	if (followed->link >= 0)
		close(followed->link);
	*followed = BPF_FOLLOWED_NONE;
}

BpfFilter *bpf_filter_new(struct bpf_object *object, const BpfFilterSettings *settings,
			  const BpfFollowed *followed)
{
	BpfFilter *filter = new_filter(settings);
	struct kmt_bpf_config config;
	int code;

	bpf_filter_configure(&config, settings);
	filter->object = object;
	code = bpf_map__set_autocreate(find_map(filter, "traced_pids"), config.filter_pids) ?:
	       bpf_map__set_autocreate(find_map(filter, "traced_cgroup"), config.filter_cgroup) ?:
	       bpf_map__set_autocreate(find_map(filter, "traced_addrs"), config.keeps) ?:
	       bpf_map__set_autocreate(find_map(filter, "traced_full"), config.keeps) ?:
	       bpf_program__set_autoload(newtask_of(filter), config.filter_pids);
	filter->goes_on = config.filter_pids && followed->pids >= 0;
	if (!code && filter->goes_on)
		code = bpf_map__reuse_fd(find_map(filter, "traced_pids"), followed->pids);
	if (!code)
		return filter;
	bpf_filter_free(filter);
	errno = -code;
	return NULL;
}

BpfFilter *bpf_filter_open(const BpfFilterSettings *settings, GError **error)
{
	BpfFilter *filter = new_filter(settings);

	if (!filter->pids->len)
		return filter;
	filter->pinned = pins_get(NEWTASK, PINS_PROGRAM);
	if (filter->pinned >= 0)
		return filter;
	control_fail(error, CAPTURE_ERROR_FAILED, "can't use the pinned filter by process: %s",
		     g_strerror(errno));
	bpf_filter_free(filter);
	return NULL;
}

gboolean bpf_filter_pin(const BpfFilter *filter, GError **error)
{
	return !filter->pids->len || pins_put(NEWTASK, bpf_program__fd(newtask_of(filter)), error);
}

void bpf_filter_leave(BpfFilter *filter, BpfFollowed *followed)
{
	if (!filter || !filter->object || filter->link < 0)
		return;
	bpf_followed_clear(followed);
	followed->pids = fcntl(bpf_map__fd(find_map(filter, "traced_pids")), F_DUPFD_CLOEXEC, 3);
	if (followed->pids < 0)
		return;
	followed->link = filter->link;
	filter->link = -1;
}

void bpf_filter_free(BpfFilter *filter)
{
	if (!filter)
		return;
	if (filter->link >= 0)
		close(filter->link);
	if (filter->pinned >= 0)
		close(filter->pinned);
	if (filter->bits)
		munmap(filter->bits, PIDS_BYTES);
	g_array_unref(filter->pids);
	g_free(filter);
}

/* Maps the map of processes, which is still empty. Programs add to it. */
static gboolean map_bits(BpfFilter *filter)
{
	void *bits = filter->bits;

	if (!bits)
		bits = mmap(NULL, PIDS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(find_map(filter, "traced_pids")), 0);
	if (bits == MAP_FAILED)
		return FALSE;
	filter->bits = bits;
	return TRUE;
}

/* From now on, new processes are followed if their creator is traced. */
static gboolean start_pids(BpfFilter *filter)
{
	if (!filter->pids->len || filter->link >= 0)
		return TRUE;
	if (filter->object && !filter->goes_on && !map_bits(filter))
		return FALSE;
	filter->link = attach_to_tracepoint("task_newtask",
					    filter->object ? bpf_program__fd(newtask_of(filter))
							   : filter->pinned,
					    !filter->object);
	if (filter->link < 0)
		return FALSE;
	for (guint i = 0; filter->bits && i < filter->pids->len; i++) {
		guint32 pid = g_array_index(filter->pids, guint32, i);

		__atomic_fetch_or(&filter->bits[pid / 64], G_GUINT64_CONSTANT(1) << (pid % 64),
				  __ATOMIC_SEQ_CST);
	}
	return TRUE;
}

static gboolean start_cgroup(const BpfFilter *filter)
{
	guint32 first = 0;
	int cgroup, ret, code;

	if (!filter->cgroup || !filter->object)
		return TRUE;
	cgroup = cgroups_open(filter->cgroup);
	if (cgroup < 0)
		return FALSE;
	ret = bpf_map_update_elem(bpf_map__fd(find_map(filter, "traced_cgroup")), &first, &cgroup,
				  BPF_ANY);
	code = errno;
	close(cgroup);
	errno = code;
	return !ret;
}

gboolean bpf_filter_start(BpfFilter *filter, const char *link, GError **error)
{
	if (link && pins_has(link))
		return TRUE;
	if (!start_pids(filter))
		return control_fail(error, CAPTURE_ERROR_FAILED, "can't filter by process: %s",
				    g_strerror(errno));
	if (!start_cgroup(filter))
		return control_fail(error, CAPTURE_ERROR_FAILED, "can't filter by cgroup: %s",
				    g_strerror(errno));
	return !link || filter->link < 0 || pins_put(link, filter->link, error);
}

guint64 bpf_filter_bytes(const BpfFilter *filter)
{
	return (filter->keeps ? TRACED_BYTES : 0) + (filter->pids->len ? PIDS_BYTES : 0);
}
