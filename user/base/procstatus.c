// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/procstatus.h"

#include <glib.h>
#include <string.h>

char *procstatus_value(const char *status, const char *name)
{
	g_autofree char *key = g_strdup_printf("\n%s:\t", name);
	const char *found = strstr(status, key);

	return found ? g_strndup(found + strlen(key), strcspn(found + strlen(key), " \t\n")) : NULL;
}
