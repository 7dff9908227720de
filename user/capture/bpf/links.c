// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/links.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/bpf/attach.h"
#include "capture/bpf/function_check.h"
#include "capture/bpf/links_holder.h"
#include "capture/bpf/sources.h"
#include "capture/tracer/control_class.h"

struct BpfLinks {
	gboolean are_pinned, were_pinned;
	BpfFds links;                    /* of tracepoints */
	LinksHolder *holder;             /* of the links to functions, */
	gboolean held[KMT_BPF_PROGRAMS]; /* by source: it is attached there */
};

void bpf_fds_clear(BpfFds *fds)
{
	memset(fds, -1, sizeof(*fds));
}

void bpf_fds_close(BpfFds *fds)
{
	for (guint at = KMT_BPF_PROGRAMS * LINKS_WAYS; at-- > 0;) {
		int *fd = &fds->of[at / LINKS_WAYS][at % LINKS_WAYS];

		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

char *bpf_links_name(guint i, guint way, const char *prefix)
{
	static const char *const suffixes[LINKS_WAYS] = { "", "_2", "_3" };

	return g_strconcat(prefix, bpf_sources[i].program, suffixes[way], NULL);
}

/* Starts the process of the holder early, before there is anything that it would inherit. */
BpfLinks *bpf_links_new(gboolean are_pinned, gboolean were_pinned)
{
	BpfLinks *links = g_new0(BpfLinks, 1);

	links->are_pinned = are_pinned;
	links->were_pinned = were_pinned;
	bpf_fds_clear(&links->links);
	if (!were_pinned)
		links->holder = links_holder_new();
	return links;
}

void bpf_links_free(BpfLinks *links)
{
	if (!links)
		return;
	bpf_links_release(links);
	g_free(links);
}

void bpf_links_release(BpfLinks *links)
{
	bpf_fds_close(&links->links);
	g_clear_pointer(&links->holder, links_holder_free);
	memset(links->held, 0, sizeof(links->held));
}

/* ---- attaching ---- */

/* Returns 0 or an errno, as links_holder_attach(). */
static int attach_one(const BpfLinks *links, const BpfFds *programs, guint i, guint way)
{
	g_autofree char *name = bpf_links_name(i, way, LINKS_PIN), *path = pins_path(name);
	gint64 since = g_get_monotonic_time();
	int code;

	if (links->are_pinned && pins_has(name))
		return 0;
	do {
		code = links_holder_attach(links->holder, programs->of[i][way]);
	} while (links->were_pinned && attach_again(code, since));
	if (code == EBUSY && links->were_pinned)
		return ETIMEDOUT;
	return code || !links->are_pinned ? code : links_holder_pin(links->holder, path);
}

/* The program that was attached last is called first. */
static int attach_to_function(BpfLinks *links, const BpfFds *programs, guint i)
{
	int code = 0;

	for (guint way = LINKS_WAYS; way-- > LINKS_FIRST && !code;) {
		if (programs->of[i][way] >= 0)
			code = attach_one(links, programs, i, way);
	}
	links->held[i] = !code;
	return code;
}

/*
 * If the kernel makes one program wait, it would make the others wait, too. Then their functions
 * are noted as busy. The holder keeps the programs that are attached already.
 */
static gboolean attach_to_functions(BpfLinks *links, const BpfFds *programs, BpfKept *kept,
				    GError **error)
{
	int code = 0;

	if (!links->holder)
		links->holder = links_holder_new();
	for (guint i = KMT_BPF_PROGRAMS; i-- > 0;) {
		if (bpf_sources[i].args || programs->of[i][LINKS_FIRST] < 0 || links->held[i])
			continue;
		if (links->holder && code != ETIMEDOUT)
			code = attach_to_function(links, programs, i);
		if (code && code != ETIMEDOUT)
			return control_fail(error, CAPTURE_ERROR_FAILED, "can't trace %s: %s",
					    bpf_sources[i].name, g_strerror(code));
		kept->is_busy[i] |= !links->held[i]; /* stays set: events are missing */
		if (kept->is_busy[i])
			function_check_busy(kept->functions[i]);
	}
	if (links->are_pinned) /* pinned links need no holder */
		g_clear_pointer(&links->holder, links_holder_free);
	return TRUE;
}

static gboolean attach_to_source(BpfLinks *links, const BpfFds *programs, guint i, guint way,
				 GError **error)
{
	g_autofree char *name = bpf_links_name(i, way, LINKS_PIN);
	int link;

	if (links->are_pinned && pins_has(name))
		return TRUE;
	link = attach_to_tracepoint(bpf_sources[i].name, programs->of[i][way], links->were_pinned);
	links->links.of[i][way] = link;
	if (link < 0)
		return control_fail(error, CAPTURE_ERROR_FAILED, "can't trace %s: %s",
				    bpf_sources[i].name, g_strerror(errno));
	return !links->are_pinned || pins_put(name, link, error);
}

/*
 * Programs of a tracepoint are called in the order in which they were attached. Nothing is recorded
 * until all are attached: an event that one of them misses must find the next one.
 */
gboolean bpf_links_attach(BpfLinks *links, const BpfFds *programs, BpfKept *kept, GError **error)
{
	for (guint at = 0; at < KMT_BPF_PROGRAMS * LINKS_WAYS; at++) {
		/* The programs of modules are last in the list, and are attached first. */
		guint i = KMT_BPF_PROGRAMS - 1 - at / LINKS_WAYS;
		guint way = at % LINKS_WAYS;

		if (bpf_sources[i].args && programs->of[i][way] >= 0 &&
		    links->links.of[i][way] < 0 &&
		    !attach_to_source(links, programs, i, way, error))
			return FALSE;
	}
	return attach_to_functions(links, programs, kept, error);
}

void bpf_links_look(const BpfLinks *links, const BpfKept *kept)
{
	if (!links->holder || links_holder_lives(links->holder))
		return;
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		if (links->held[i])
			function_check_gone(kept->functions[i]);
	}
}
