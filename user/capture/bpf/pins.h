/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder in which programs, maps and links of a tracer without a recorder are pinned. Only its
 * user can access it, so its contents can be trusted. One process at a time changes it, with a lock
 * that ends with the process.
 */
#ifndef KMT_CAPTURE_BPF_PINS_H
#define KMT_CAPTURE_BPF_PINS_H

#include <glib.h>
#include <sys/types.h>

#define PINS_FOLDER "/sys/fs/bpf/kmemtrace"

typedef enum { PINS_MAP, PINS_PROGRAM } PinsKind;

typedef struct Pins Pins;

/* Opens nothing yet. For pins_free(), which leaves all pins. */
Pins *pins_new(void);
void pins_free(Pins *pins); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pins, pins_free)

/* Returns the path at which @name is or will be pinned, for g_free(). */
char *pins_path(const char *name);

/*
 * Opens the folder if it exists: see pins_are_there(). FALSE with an error: it exists, but others
 * may change it, or it can't be opened.
 */
gboolean pins_open(Pins *pins, GError **error);

/* Creates the folder and locks it. Fails if it exists. */
gboolean pins_make(Pins *pins, GError **error);

gboolean pins_are_there(const Pins *pins);

/*
 * Returns whether the folder exists and belongs to this user or root. If all users may write to
 * bpffs, as after a mount without a mode, anybody can create such a folder. That must not keep
 * others from using other tracers.
 */
gboolean pins_are_meant(void);

/*
 * Locks the open folder until pins_free(). FALSE: another process holds the lock for longer than a
 * mark takes. If the folder was removed meanwhile, pins_are_there() returns FALSE afterwards.
 */
gboolean pins_lock(Pins *pins);

/* Returns the process that holds the lock; 0: none is visible from here. */
pid_t pins_lock_holder(const Pins *pins);

/* Pins the object of @fd in the open folder. The functions below use that folder, too. */
gboolean pins_put(const char *name, int fd, GError **error);

/* Returns a descriptor of the object pinned as @name; −1 with an errno; EINVAL: another kind. */
int pins_get(const char *name, PinsKind kind);

/* Sets an error that the object pinned as @name is not ours. Returns FALSE. */
gboolean pins_fail_content(const char *name, GError **error);

/* Returns whether something is pinned as @name. */
gboolean pins_has(const char *name);

/* Removes the pin @name, if it exists. */
void pins_remove(const char *name);

/* Renames the pin @from to @to, and replaces an existing one. */
gboolean pins_rename(const char *from, const char *to, GError **error);

/* Removes the pins whose names begin with @prefix ("": all), but not the folder. */
gboolean pins_drop(const Pins *pins, const char *prefix, GError **error);

/* Removes all pins and the folder, if it exists. */
gboolean pins_drop_all(Pins *pins, GError **error);

#endif
