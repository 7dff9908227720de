// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/owner.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/procstatus.h"
#include "base/seed.h"
#include "base/subuids.h"

#define OWN "/proc/self/ns/user"

struct Owners {
	GHashTable *namespaces; /* inode number to to_entry() of its owner */
	GHashTable *uids;       /* subordinate uid to uid, of other than local users */
	GArray *subuids;        /* of local users */
};

Owners *owners_new(void)
{
	Owners *owners = g_new(Owners, 1);

	owners->namespaces = g_hash_table_new(seed_number, NULL);
	owners->uids = g_hash_table_new(seed_number, NULL);
	owners->subuids = subuids_read("/etc");
	return owners;
}

void owners_free(Owners *owners)
{
	if (!owners)
		return;
	g_hash_table_unref(owners->namespaces);
	g_hash_table_unref(owners->uids);
	g_array_unref(owners->subuids);
	g_free(owners);
}

static gboolean is_own(int namespace)
{
	struct stat own, st;

	/* if unknown, counts as our own */
	return stat(OWN, &own) || fstat(namespace, &st) ||
	       (own.st_dev == st.st_dev && own.st_ino == st.st_ino);
}

/* An entry of the table; 0 is a uid, too. */
static gpointer to_entry(uid_t uid)
{
	return GSIZE_TO_POINTER((gsize)uid + 1);
}

static gboolean is_known(GHashTable *known, int namespace, GArray *passed, uid_t *uid)
{
	gpointer entry;
	struct stat st;

	if (fstat(namespace, &st))
		return FALSE;
	g_array_append_val(passed, st.st_ino);
	entry = g_hash_table_lookup(known, GSIZE_TO_POINTER(st.st_ino));
	if (entry)
		*uid = (uid_t)(GPOINTER_TO_SIZE(entry) - 1);
	return entry != NULL;
}

/*
 * Returns the creator of @namespace's outermost ancestor below our own, or of itself, and closes
 * it; 0: unknown. Adds the inode numbers of all namespaces on the way to @passed.
 */
static uid_t walk(int namespace, GHashTable *known, GArray *passed)
{
	uid_t uid = 0;

	while (!is_known(known, namespace, passed, &uid)) {
		int parent = ioctl(namespace, NS_GET_PARENT);

		if (parent < 0 || is_own(parent)) {
			if (ioctl(namespace, NS_GET_OWNER_UID, &uid))
				uid = 0;
			if (parent >= 0)
				close(parent);
			break;
		}
		close(namespace);
		namespace = parent;
	}
	close(namespace);
	return uid;
}

/*
 * Returns the uid that created the outermost user namespace of process @pid; 0: root, or there is
 * none.
 */
static uid_t creator(GHashTable *known, const char *pid)
{
	g_autofree char *path = g_build_filename("/proc", pid, "ns/user", NULL);
	g_autoptr(GArray) passed = g_array_new(FALSE, FALSE, sizeof(ino_t));
	int namespace = open(path, O_RDONLY | O_CLOEXEC);
	uid_t uid;

	if (namespace < 0)
		return 0;
	if (is_own(namespace)) {
		close(namespace);
		return 0;
	}
	uid = walk(namespace, known, passed);
	for (guint i = 0; i < passed->len; i++)
		g_hash_table_insert(known, GSIZE_TO_POINTER(g_array_index(passed, ino_t, i)),
				    to_entry(uid));
	return uid;
}

/* Returns the real uid of process @pid; 0: root's, or the process has ended. */
static guint32 real_uid(const char *pid)
{
	g_autofree char *path = g_build_filename("/proc", pid, "status", NULL);
	g_autofree char *status = NULL, *uid = NULL;

	if (!g_file_get_contents(path, &status, NULL, NULL))
		return 0;
	uid = procstatus_value(status, "Uid");
	return uid ? (guint32)g_ascii_strtoull(uid, NULL, 10) : 0;
}

gboolean owner_uid(const char *pid, guint32 *uid)
{
	g_autofree char *folder = g_build_filename("/proc", pid, NULL);
	struct stat st;

	if (stat(folder, &st))
		return FALSE;
	*uid = st.st_uid ? st.st_uid : real_uid(pid);
	return TRUE;
}

gboolean owners_find(Owners *owners, const char *pid, guint32 *uid)
{
	uid_t created;

	if (!owner_uid(pid, uid))
		return FALSE;
	created = subuids_owner(owners->subuids, creator(owners->namespaces, pid) ?: *uid);
	if (created != *uid && *uid)
		g_hash_table_insert(owners->uids, GUINT_TO_POINTER(*uid),
				    GUINT_TO_POINTER(created));
	*uid = created;
	return TRUE;
}

gboolean owners_guess(const Owners *owners, const char *pid, guint32 *uid)
{
	gpointer owner;

	if (!owner_uid(pid, uid))
		return FALSE;
	owner = g_hash_table_lookup(owners->uids, GUINT_TO_POINTER(*uid));
	*uid = owner ? GPOINTER_TO_UINT(owner) : subuids_owner(owners->subuids, *uid);
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
