// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/owner.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/seed.h"

#define OWN "/proc/self/ns/user"

static gboolean is_own(int namespace)
{
	struct stat own, st;

	/* if unknown, counts as our own */
	return stat(OWN, &own) || fstat(namespace, &st) ||
	       (own.st_dev == st.st_dev && own.st_ino == st.st_ino);
}

/*
 * Closes @namespace, which isn't this process's own, and returns its outermost ancestor below our
 * own.
 */
static int outermost(int namespace)
{
	for (;;) {
		int parent = ioctl(namespace, NS_GET_PARENT);

		if (parent < 0 || is_own(parent)) {
			if (parent >= 0)
				close(parent);
			return namespace;
		}
		close(namespace);
		namespace = parent;
	}
}

/*
 * Returns the uid that created the outermost user namespace of process @pid; 0: root, or there is
 * none.
 */
static uid_t creator(const char *pid)
{
	g_autofree char *path = g_build_filename("/proc", pid, "ns/user", NULL);
	int namespace = open(path, O_RDONLY | O_CLOEXEC);
	uid_t uid = 0;

	if (namespace < 0)
		return 0;
	if (!is_own(namespace)) {
		namespace = outermost(namespace);
		if (ioctl(namespace, NS_GET_OWNER_UID, &uid))
			uid = 0;
	}
	close(namespace);
	return uid;
}

gboolean owner_effective(const char *pid, guint32 *uid)
{
	g_autofree char *folder = g_build_filename("/proc", pid, NULL);
	struct stat st;

	if (stat(folder, &st))
		return FALSE;
	*uid = st.st_uid;
	return TRUE;
}

gboolean owner_of_process(const char *pid, guint32 *uid)
{
	uid_t created;

	if (!owner_effective(pid, uid))
		return FALSE;
	created = creator(pid);
	if (created)
		*uid = created;
	return TRUE;
}

GHashTable *owner_table_new(void)
{
	return g_hash_table_new_full(seed_number, NULL, NULL, g_free);
}

gpointer owner_table_get(GHashTable *table, guint32 uid, gsize size)
{
	gpointer counted = g_hash_table_lookup(table, GUINT_TO_POINTER(uid));

	if (!counted && uid) {
		counted = g_malloc0(size);
		g_hash_table_insert(table, GUINT_TO_POINTER(uid), counted);
	}
	return counted;
}
