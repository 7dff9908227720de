// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/buildids.h"

#include <glib.h>

#include "base/buildid.h"

static char *read_notes(const char *path)
{
	g_autofree char *notes = NULL;
	gsize len;

	return g_file_get_contents(path, &notes, &len, NULL) ? buildid_of_notes(notes, len) : NULL;
}

char *buildids_of_kernel(void)
{
	return read_notes("/sys/kernel/notes");
}

char *buildids_of_module(const char *name)
{
	g_autofree char *path =
		g_strconcat("/sys/module/", name, "/notes/.note.gnu.build-id", NULL);

	return read_notes(path);
}
