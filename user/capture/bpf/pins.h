/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder in which programs, maps and links of a tracer without a recorder are pinned. It is its
 * user's alone, so that what is in it can be trusted; one process at a time changes it, by a lock
 * that ends with the process.
 */
#ifndef KMT_CAPTURE_BPF_PINS_H
#define KMT_CAPTURE_BPF_PINS_H

#include <glib.h>
#include <sys/types.h>

#define PINS_FOLDER "/sys/fs/bpf/kmemtrace"

typedef enum { PINS_MAP, PINS_PROGRAM } PinsKind;

typedef struct Pins Pins;

/* Opens nothing yet. For pins_free(), which leaves all that is pinned. */
Pins *pins_new(void);
void pins_free(Pins *pins); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pins, pins_free)

/* The path of what is, or will be, pinned as @name, for g_free(). */
char *pins_path(const char *name);

/*
 * Opens the folder, if it is there; see pins_are_there(). FALSE with an error: it is, but others
 * may change it, or it can't be opened.
 */
gboolean pins_open(Pins *pins, GError **error);

/* Makes the folder and takes it. Fails if it is there. */
gboolean pins_make(Pins *pins, GError **error);

gboolean pins_are_there(const Pins *pins);

/*
 * Whether the folder is there, and this user's or root's. Where all users may write to bpffs, as
 * after mount without a mode, anybody can make one: that keeps nobody from using other tracers.
 */
gboolean pins_are_meant(void);

/*
 * Takes the folder that is open until pins_free(). FALSE: another process has it for longer than a
 * mark takes. If that one has removed it, it is no longer there.
 */
gboolean pins_lock(Pins *pins);

/* The process that has taken it; 0: none is visible from here. */
pid_t pins_lock_holder(const Pins *pins);

/* Pins what @fd is, in the folder that is open, as what follows. */
gboolean pins_put(const char *name, int fd, GError **error);

/* A descriptor of what is pinned as @name. −1 with an errno; EINVAL: it is of another kind. */
int pins_get(const char *name, PinsKind kind);

/* Says that what is pinned as @name is none of ours. Returns FALSE. */
gboolean pins_fail_content(const char *name, GError **error);

/* Whether something is pinned as @name. */
gboolean pins_has(const char *name);

/* Removes what is pinned as @name, if it is there. */
void pins_remove(const char *name);

/* Gives what is pinned as @from the name @to, in place of what had it. */
gboolean pins_rename(const char *from, const char *to, GError **error);

/* Removes what has a name that begins with @prefix; "": all, but not the folder. */
gboolean pins_drop(const Pins *pins, const char *prefix, GError **error);

/* Removes the folder, too, which need not be there. */
gboolean pins_drop_all(Pins *pins, GError **error);

#endif
