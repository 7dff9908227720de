/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads data that processes control: their mappings, and the mapped files. A process can block the
 * reader forever, with its own file system or a lock that it holds. So children of the recorder
 * read the data, and a process or file that does not respond is skipped, with a message. Processes,
 * files, and files in directories that users can lock have separate children: if one kind is no
 * longer inspected, the others still are.
 */
#ifndef KMT_CAPTURE_PROCESS_LOOKUP_H
#define KMT_CAPTURE_PROCESS_LOOKUP_H

#include <glib.h>
#include <sys/types.h>

#include "base/regular.h"
#include "capture/tracer/trace_clock.h"

typedef struct Lookup Lookup;

/* Starts the children, so this process must not have threads yet. */
Lookup *lookup_new(GError **error);

/* Ends them. NULL is allowed. */
void lookup_free(Lookup *lookup);

/*
 * Returns the process ids of all children. No other process gets one of these ids before
 * lookup_free(). Owned by @lookup, which may be NULL: there are none.
 */
const pid_t *lookup_children(const Lookup *lookup, guint *count);

/* Once @fd is readable, lookups fail at once. @lookup may be NULL. */
void lookup_hurry_by(Lookup *lookup, int fd);

typedef struct {
	gsize bytes; /* of text */
	gint64 us;   /* also of reading; at most five seconds */
} LookupLimits;

typedef struct {
	TraceMoment time; /* after reading */
	gint64 wall_ns;   /* since 1970, before reading */
	guint64 read;     /* bytes of /proc */
	gboolean cut;     /* truncated */
} LookupMaps;

/*
 * Appends lines "start end offset device inode ctime_ns size path" to @text, for the code that
 * process @pid has mapped from files: up to the limit and one line. The device and the fields
 * after it are those of the mapped file, from stat(). If the kernel doesn't show that file,
 * ctime_ns is 0, size is -1, and device and inode are those of /proc/PID/maps. Returns FALSE if the
 * process has ended, doesn't respond, or is skipped. @uid: its user, see owner.h. Once a process of
 * a user other than root is slow or doesn't respond, no other process of that user is inspected; a
 * message says so.
 */
gboolean lookup_maps(Lookup *lookup, const char *pid, guint32 uid, const LookupLimits *limits,
		     GString *text, LookupMaps *maps);

#define LOOKUP_ID_MAX 128 /* characters of a build id */

typedef struct {
	guint64 device, inode; /* from stat() */
	gint64 ctime_ns;       /* since 1970 */
	gint64 size;           /* bytes */
	guint64 mtime_ns;
	char build_id[LOOKUP_ID_MAX + 1]; /* in hexadecimal digits; "-": none */
} LookupFile;

/* The expected file. */
typedef struct {
	guint64 device, inode;
	gboolean is_own; /* the device is from stat(), not from the kernel's lists: see device.h */
} LookupKey;

typedef enum { LOOKUP_FOUND, LOOKUP_NONE, LOOKUP_WAITS, LOOKUP_NO_ANSWER } LookupResult;

/*
 * Looks up the ELF file at @path now. LOOKUP_NONE if it isn't the file of @key: in a mount
 * namespace of its own, any user can mount another file at the path, with any inode number.
 * LOOKUP_WAITS if it would wait for more than @wait, or for a lock of a file that others than root
 * may write to, unless that is REGULAR_ANY. Each @wait has children of its own.
 */
LookupResult lookup_file(Lookup *lookup, const LookupKey *key, const char *path, RegularWait wait,
			 LookupFile *file);

#endif
