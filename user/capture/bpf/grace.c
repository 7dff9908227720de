// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/grace.h"

#include <bpf/bpf.h>
#include <glib.h>
#include <unistd.h>

#define WAIT_US (G_USEC_PER_SEC / 2) /* longer than any program takes */

/* When an inner map of a map is replaced, the kernel waits for an RCU grace period. */
void grace_wait(void)
{
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, 4, 4, 1, NULL), outer;
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = inner);
	guint32 key = 0;

	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, NULL, 4, 4, 1, &options);
	if (outer < 0 || bpf_map_update_elem(outer, &key, &inner, 0))
		g_usleep(WAIT_US);
	if (outer >= 0)
		close(outer);
	if (inner >= 0)
		close(inner);
}
