// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/mapped_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/seed.h"
#include "capture/process/quota.h"

/* Limited, as a process may map any number of files. */
#define NAMES_MAX MAPPED_FILES_MAX
#define TEXT_MAX  (16 << 20) /* bytes of names */

#define LOOKS_MAX 3                           /* failed lookups, until something changes */
#define TICK_NS   G_GINT64_CONSTANT(20000000) /* maximum granularity of file times */

/* The state of a file's contents: each change changes the time. */
typedef struct {
	gint64 ctime_ns; /* since 1970 */
	gint64 size;     /* bytes; -1: a process had the file mapped, and neither is known */
} Stamp;

/* All files with one name. */
typedef struct {
	char *path;
	guint64 device, inode, number;
	GArray *stamps;       /* of Stamp: of the tracer's files with this name; NULL: none */
	gint64 wall_ns;       /* when a process first had it mapped; 0: no process */
	Stamp mapped;         /* the state that a process mapped, if not known to be of identity */
	LookupFile *identity; /* NULL: unknown */
	GArray *accepted;     /* of Stamp: states known to be of identity; NULL: none */
	bool is_settled;      /* nothing has changed that requires another lookup */
	bool is_doubted;      /* a process had it mapped after the identity was read */
	bool is_ambiguous;    /* processes may have mapped different files: never identified */
	bool is_unanswered;
	RegularWait needs; /* to be looked up: what waiting less did not find */
	guint8 looks;      /* failed lookups since the last change */
} Name;

/* One of the tracer's files. */
typedef struct {
	guint32 id;
	Name *name; /* NULL: without a path */
	Stamp stamp;
	char *line; /* "number path" */
} TracerFile;

struct MappedFiles {
	Lookup *lookup;
	GHashTable *by_name;       /* "number path" to Name */
	GPtrArray *names;          /* of Name, in order of appearance */
	Quota *quota;              /* of names, and of their bytes */
	guint64 refused;           /* mappings of processes that got no name for lack of room */
	guint next[REGULAR_WAITS]; /* in @names: start of the next round of such lookups */
	GHashTable *by_id;         /* id to TracerFile */
	GPtrArray *by_arrival;     /* of TracerFile */
};

static void free_name(gpointer data)
{
	Name *name = data;

	g_free(name->path);
	g_clear_pointer(&name->stamps, g_array_unref);
	g_clear_pointer(&name->accepted, g_array_unref);
	g_free(name->identity);
	g_free(name);
}

static void free_tracer_file(gpointer data)
{
	TracerFile *file = data;

	g_free(file->line);
	g_free(file);
}

MappedFiles *mapped_files_new(Lookup *lookup)
{
	MappedFiles *files = g_new0(MappedFiles, 1);

	files->lookup = lookup;
	files->by_name = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	files->names = g_ptr_array_new_with_free_func(free_name);
	files->quota = quota_new((QuotaAmounts){ NAMES_MAX, TEXT_MAX, 0 });
	files->by_id = g_hash_table_new(seed_number, NULL);
	files->by_arrival = g_ptr_array_new_with_free_func(free_tracer_file);
	return files;
}

void mapped_files_free(MappedFiles *files)
{
	if (!files)
		return;
	g_hash_table_unref(files->by_name);
	g_ptr_array_unref(files->names);
	quota_free(files->quota);
	g_hash_table_unref(files->by_id);
	g_ptr_array_unref(files->by_arrival);
	g_free(files);
}

/* ---- names and the tracer's files ---- */

/* Hashed, so that a user can't choose an inode number that gives the number of another file. */
static guint64 file_number(guint64 device, guint64 inode)
{
	const guint64 key[] = { GUINT64_TO_LE(device), GUINT64_TO_LE(inode) };
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[32];
	gsize len = sizeof(digest);
	guint64 number;

	g_checksum_update(sum, (const guchar *)key, sizeof(key));
	g_checksum_get_digest(sum, digest, &len);
	memcpy(&number, digest, sizeof(number));
	return GUINT64_FROM_LE(number);
}

static char *name_text(guint64 number, const char *path)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s", number, path);
}

static bool is_same_stamp(Stamp a, Stamp b)
{
	return a.ctime_ns == b.ctime_ns && a.size == b.size;
}

static bool has_stamp(const GArray *stamps, Stamp stamp)
{
	for (guint i = 0; stamps && i < stamps->len; i++) {
		if (is_same_stamp(g_array_index(stamps, Stamp, i), stamp))
			return TRUE;
	}
	return FALSE;
}

static void add_stamp(GArray **stamps, Stamp stamp)
{
	if (!*stamps)
		*stamps = g_array_new(FALSE, FALSE, sizeof(Stamp));
	if (!has_stamp(*stamps, stamp))
		g_array_append_val(*stamps, stamp);
}

/*
 * Returns a number that no identity has: files of several subvolumes may have the same device and
 * inode.
 */
static guint64 unknown_number(guint64 inode)
{
	return file_number(G_MAXUINT64, inode);
}

/*
 * Charges @uid for a name of @len bytes in one of its processes. Returns FALSE if there is no room.
 */
static bool pay(MappedFiles *files, guint32 uid, gsize len)
{
	QuotaAmounts name = { 1, len, 0 };

	if (!quota_fits(files->quota, uid, name))
		return false;
	quota_charge(files->quota, uid, name);
	return true;
}

/*
 * Returns NULL if @path is not the path of a file, or there are too many. @uid is 0 for the
 * tracer's list.
 */
static Name *get_name(MappedFiles *files, guint64 device, guint64 inode, const char *path,
		      guint32 uid)
{
	guint64 number = file_number(device, inode);
	g_autofree char *text = name_text(number, path);
	Name *name = g_hash_table_lookup(files->by_name, text);

	if (name)
		return name;
	if (path[0] != '/' || !pay(files, uid, strlen(text)))
		return NULL;
	name = g_new0(Name, 1);
	name->device = device;
	name->inode = inode;
	name->number = number;
	name->path = g_strdup(path);
	g_hash_table_insert(files->by_name, g_steal_pointer(&text), name);
	g_ptr_array_add(files->names, name);
	return name;
}

/*
 * All mappings with one name get the same identity, or none if the file was changed between two of
 * them before it was identified.
 */
static void note_reading(Name *name, Stamp stamp, gint64 wall_ns)
{
	bool is_waiting = name->wall_ns && (!name->identity || name->is_doubted);

	if (!name->wall_ns)
		name->wall_ns = wall_ns;
	if (has_stamp(name->accepted, stamp))
		return;
	name->is_ambiguous |= is_waiting && !is_same_stamp(name->mapped, stamp);
	name->mapped = stamp;
	name->is_settled = false;
	name->looks = 0;
	name->is_doubted = name->identity != NULL;
}

guint64 mapped_files_note_process(MappedFiles *files, const MappedFile *file, const char *path,
				  gint64 wall_ns, guint32 uid)
{
	Stamp stamp = { file->ctime_ns, file->size };
	Name *name;

	if (file->size < 0 && !major(file->device))
		return unknown_number(file->inode);
	name = get_name(files, file->device, file->inode, path, uid);
	if (!name) {
		files->refused++;
		return file_number(file->device, file->inode);
	}
	note_reading(name, stamp, wall_ns);
	return name->number;
}

guint64 mapped_files_refused(const MappedFiles *files)
{
	return files->refused;
}

static void note_line(MappedFiles *files, const char *line)
{
	TracerFile file = { 0 };
	unsigned int major, minor;
	guint64 id, inode;
	int path = 0;

	if (sscanf(line,
		   "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
		   " %" G_GINT64_FORMAT " %u:%u %n",
		   &id, &inode, &file.stamp.ctime_ns, &file.stamp.size, &major, &minor,
		   &path) != 6 ||
	    !path || !id || id > G_MAXUINT32 ||
	    g_hash_table_contains(files->by_id, GUINT_TO_POINTER(id)))
		return;
	file.id = id;
	file.line = name_text(file_number(makedev(major, minor), inode), line + path);
	file.name = get_name(files, makedev(major, minor), inode, line + path, 0);
	if (file.name) {
		add_stamp(&file.name->stamps, file.stamp);
		file.name->is_settled &= has_stamp(file.name->accepted, file.stamp);
		file.name->looks = 0;
	}
	g_ptr_array_add(files->by_arrival, g_memdup2(&file, sizeof(file)));
	g_hash_table_insert(files->by_id, GUINT_TO_POINTER(file.id),
			    g_ptr_array_index(files->by_arrival, files->by_arrival->len - 1));
}

void mapped_files_note_list(MappedFiles *files, const char *list)
{
	g_auto(GStrv) lines = g_strsplit(list, "\n", -1);

	for (guint i = 0; lines[i]; i++)
		note_line(files, lines[i]);
}

/* ---- identities ---- */

static bool is_same_content(const LookupFile *a, const LookupFile *b)
{
	return a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       strcmp(a->build_id, b->build_id) == 0 && strcmp(a->build_id, "-") != 0;
}

static void set_identity(Name *name, const LookupFile *found, Stamp stamp)
{
	g_clear_pointer(&name->accepted, g_array_unref);
	add_stamp(&name->accepted, stamp);
	g_free(name->identity);
	name->identity = g_memdup2(found, sizeof(*found));
	name->is_settled = true;
}

/*
 * Returns whether the file was changed since a process had it mapped. A time in the future is from
 * before the clock was set.
 */
static bool is_changed(const Name *name, Stamp stamp)
{
	if (name->mapped.size >= 0 && !is_same_stamp(name->mapped, stamp))
		return true;
	return stamp.ctime_ns >= name->wall_ns - TICK_NS &&
	       stamp.ctime_ns <= g_get_real_time() * 1000;
}

/* Assigns the file that a process had mapped to the name. */
static void identify_of_process(Name *name, const LookupFile *found, Stamp stamp)
{
	if (name->identity && !name->is_doubted)
		name->is_settled = true;
	else if (name->identity || is_changed(name, stamp))
		name->is_ambiguous = true;
	else
		set_identity(name, found, stamp);
}

/* Assigns @found, the file that is at the path now. */
static void take_identity(Name *name, const LookupFile *found)
{
	Stamp stamp = { found->ctime_ns, found->size };

	if (name->identity &&
	    (has_stamp(name->accepted, stamp) || is_same_content(name->identity, found))) {
		add_stamp(&name->accepted, stamp);
		name->is_settled = true;
		name->is_doubted &=
			name->mapped.size >= 0 && !has_stamp(name->accepted, name->mapped);
	} else if (name->wall_ns) {
		identify_of_process(name, found, stamp);
	} else if (has_stamp(name->stamps, stamp)) {
		set_identity(name, found, stamp);
	}
}

static void identify(MappedFiles *files, Name *name, RegularWait wait)
{
	/*
	 * Names from processes have the device of stat(), those from the tracer's list the other
	 * one.
	 */
	const LookupKey key = { name->device, name->inode, name->wall_ns != 0 };
	LookupFile found;

	name->needs = REGULAR_CACHED;
	switch (lookup_file(files->lookup, &key, name->path, wait, &found)) {
	case LOOKUP_FOUND:
		take_identity(name, &found);
		break;
	case LOOKUP_NO_ANSWER:
		name->is_unanswered = true;
		break;
	case LOOKUP_WAITS:
		name->needs = wait + 1;
		return;
	case LOOKUP_NONE:
		break;
	}
	/* A removed file doesn't come back. */
	if (!name->is_settled && ++name->looks == LOOKS_MAX)
		name->is_settled = true;
}

/* Looks up all names, or those that need to @wait. */
static void identify_some(MappedFiles *files, RegularWait wait, gint64 began_us, gint64 most_us)
{
	guint *next = &files->next[wait];

	for (guint i = 0; i < files->names->len; i++) {
		Name *name = g_ptr_array_index(files->names, *next % files->names->len);

		*next = (*next + 1) % files->names->len;
		if (name->is_settled || name->is_ambiguous || name->is_unanswered ||
		    (wait != REGULAR_CACHED && name->needs != wait))
			continue;
		identify(files, name, wait);
		if (g_get_monotonic_time() - began_us >= most_us)
			break;
	}
}

void mapped_files_identify(MappedFiles *files, gint64 most_us)
{
	gint64 began_us = g_get_monotonic_time();

	identify_some(files, REGULAR_CACHED, began_us, most_us);
	for (RegularWait wait = REGULAR_ROOTS; wait <= REGULAR_ANY; wait++) {
		if (g_get_monotonic_time() - began_us < most_us)
			identify_some(files, wait, began_us, most_us);
	}
}

/* ---- texts ---- */

static bool is_known(const Name *name)
{
	return name->identity && !name->is_doubted && !name->is_ambiguous;
}

/* Returns the name from processes for the same file as the tracer's @name, or NULL. */
static const Name *name_of_processes(const MappedFiles *files, const Name *name)
{
	const LookupFile *identity = name->identity;
	g_autofree char *text = NULL;
	const Name *other;

	if (!is_known(name) || name->wall_ns)
		return NULL;
	text = name_text(file_number(identity->device, identity->inode), name->path);
	other = g_hash_table_lookup(files->by_name, text);
	return other && other->wall_ns && is_known(other) &&
			       is_same_content(other->identity, identity)
		       ? other
		       : NULL;
}

static void list_file(const MappedFiles *files, const TracerFile *file, GString *text)
{
	const Name *name = file->name, *other;

	g_string_append_printf(text, "%u ", file->id);
	if (!name || !is_known(name)) {
		g_string_append_printf(text, "%s\n", file->line);
		return;
	}
	if (!has_stamp(name->accepted, file->stamp)) {
		g_string_append_printf(text, "%s (replaced)\n", file->line);
		return;
	}
	other = name_of_processes(files, name);
	g_string_append_printf(text, "%" G_GUINT64_FORMAT " %s\n", (other ? other : name)->number,
			       name->path);
}

char *mapped_files_list(const MappedFiles *files)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < files->by_arrival->len; i++)
		list_file(files, g_ptr_array_index(files->by_arrival, i), text);
	return g_string_free(text, FALSE);
}

char *mapped_files_identities(const MappedFiles *files)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < files->names->len; i++) {
		const Name *name = g_ptr_array_index(files->names, i);
		const LookupFile *identity = name->identity;

		if (is_known(name) && !name_of_processes(files, name))
			g_string_append_printf(text,
					       "%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
					       " %" G_GUINT64_FORMAT " %s %s\n",
					       name->number, identity->size, identity->mtime_ns,
					       identity->build_id, name->path);
	}
	return g_string_free(text, FALSE);
}
