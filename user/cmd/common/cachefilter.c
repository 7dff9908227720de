// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/cachefilter.h"

#include <string.h>

#include "base/closest.h"
#include "base/message.h"
#include "capture/tracer/slabnames.h"

static char *refuse(const SlabNames *names, const char *asked)
{
	g_autofree char *closest = closest_name(asked, slabnames_all(names));

	message("no slab cache is named '%s'%s%s (use --allow-missing if a module will create it)",
		asked, closest ? "; the closest is " : "", closest ? closest : "");
	return NULL;
}

char *cachefilter_find(const char *asked, gboolean allow_missing)
{
	g_autoptr(SlabNames) names = slabnames_read();
	const char *found = slabnames_find(names, asked);
	g_autofree char *shared = found ? slabnames_shared(names, found) : NULL;

	if (!slabnames_known(names) || (!found && allow_missing))
		return g_strdup(asked);
	if (!found)
		return refuse(names, asked);
	if (strcmp(found, asked) != 0)
		message("'%s' is merged into '%s': tracing that cache, which holds the objects of %s, too",
			asked, found, shared);
	else if (shared)
		message("'%s' also holds the objects of caches that are merged into it: %s", found,
			shared);
	return g_strdup(found);
}

void cachefilter_say_missed(const char *asked)
{
	g_autoptr(SlabNames) names = slabnames_read();
	const char *found = slabnames_find(names, asked);

	if (!slabnames_known(names))
		return;
	if (!found)
		message("no slab cache is named '%s' at the end of the recording", asked);
	else if (strcmp(found, asked) != 0)
		message("'%s' was merged into '%s': none of its objects was recorded", asked,
			found);
}
