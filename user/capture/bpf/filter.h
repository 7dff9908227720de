/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of the BPF source: their settings, and the maps of the programs that apply them.
 */
#ifndef KMT_CAPTURE_BPF_FILTER_H
#define KMT_CAPTURE_BPF_FILTER_H

#include <glib.h>

#include "bpf/kmemtrace_bpf.h"

struct bpf_object;

/* As the module's settings (kmemtrace_abi.h). Texts are owned; NULL: empty. */
typedef struct {
	char *pids;
	char *cache;
	guint64 cgroup;   /* inode number; 0: all */
	guint64 min_size; /* bytes */
	guint64 sample;   /* one address in N; 0: all */
} BpfFilterSettings;

void bpf_filter_settings_clear(BpfFilterSettings *settings);

/* Replace a setting. They return 0 or an errno. */
int bpf_filter_set_pids(BpfFilterSettings *settings, const char *text);
int bpf_filter_set_cache(BpfFilterSettings *settings, const char *text);

/* Fills in the fields of *@config that filters depend on. */
void bpf_filter_configure(struct kmt_bpf_config *config, const BpfFilterSettings *settings);

typedef struct BpfFilter BpfFilter;

/* Processes that are followed between two filters. −1: none. */
typedef struct {
	int pids; /* the map of processes */
	int link; /* of the program that updates it */
} BpfFollowed;

#define BPF_FOLLOWED_NONE                                                                          \
	(BpfFollowed)                                                                              \
	{                                                                                          \
		-1, -1                                                                             \
	}

void bpf_followed_clear(BpfFollowed *followed);

/*
 * Sets the sizes of the maps of @object, which isn't loaded yet, and leaves out those that the
 * filters don't need. @object must outlive the filter. @followed: the processes that it continues
 * with, instead of those of @settings. NULL with an errno.
 */
BpfFilter *bpf_filter_new(struct bpf_object *object, const BpfFilterSettings *settings,
			  const BpfFollowed *followed);

/* Opens the filter of pinned programs, which continues with the processes that it follows. */
BpfFilter *bpf_filter_open(const BpfFilterSettings *settings, GError **error);
void bpf_filter_free(BpfFilter *filter); /* NULL is allowed */

/* Pins what bpf_filter_open() needs. @object is loaded. */
gboolean bpf_filter_pin(const BpfFilter *filter, GError **error);

/*
 * Selects the processes and the cgroup as they are now, unless that is done already: then processes
 * have been followed during the pause, too. @object is loaded; nothing is recorded yet. @link: the
 * name under which the link is or will be pinned, or NULL.
 */
gboolean bpf_filter_start(BpfFilter *filter, const char *link, GError **error);

/*
 * Hands the followed processes over to @followed: they are still followed after @filter and its
 * object are freed. @filter may be NULL.
 */
void bpf_filter_leave(BpfFilter *filter, BpfFollowed *followed);

guint64 bpf_filter_bytes(const BpfFilter *filter);

#endif
