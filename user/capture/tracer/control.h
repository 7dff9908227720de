/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer's files: settings in sysfs, views in debugfs (kmemtrace_abi.h describes them). If
 * they are not accessible, one line says why, and what to do.
 */
#ifndef KMT_CAPTURE_TRACER_CONTROL_H
#define KMT_CAPTURE_TRACER_CONTROL_H

#include <glib.h>
#include <stdio.h>
#include <sys/types.h>

struct stat;

#define CAPTURE_ERROR (capture_error_quark())
GQuark capture_error_quark(void);

typedef enum {
	CAPTURE_ERROR_FAILED,
	CAPTURE_ERROR_NOT_ROOT,
	CAPTURE_ERROR_NO_TRACER,  /* not loaded, locked down, or debugfs is not mounted */
	CAPTURE_ERROR_BUSY,       /* already in use by another process */
	CAPTURE_ERROR_INVALID,    /* a setting can't have that value */
	CAPTURE_ERROR_NO_SYMBOLS, /* kallsyms hides its addresses */
	CAPTURE_ERROR_REPORTED,   /* a message was printed already */
} CaptureError;

typedef struct Control Control;

/* Finds the files of a loaded tracer, checks that we may use them and know its ABI. */
Control *control_open(GError **error);

/* The settings and views in the folder @dir, for tests. */
Control *control_new(const char *dir);

void control_close(Control *control);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Control, control_close)

/* The path of a setting or a view; the caller frees. */
char *control_path(const Control *control, const char *name);

/* The folder of the views. A process that has it or a stream in it open holds the tracer. */
const char *control_views(const Control *control);

/* FALSE: a tracer older than this tool has no such file. */
gboolean control_has(const Control *control, const char *name);

/* Writes a line. @text is without its end. */
gboolean control_write(const Control *control, const char *name, const char *text, GError **error);

/* The whole text of a setting or a view, for g_free(); NULL with an error. */
char *control_read(const Control *control, const char *name, GError **error);

/*
 * Switches tracing off as well as that can be done: without memory or a new descriptor, whatever
 * other threads do.
 */
void control_disable(const Control *control);

/* FALSE if another process has locked the tracer. The lock ends with control_close() or with us. */
gboolean control_lock(Control *control);

/* The process that has locked the tracer; 0: none is visible from here, or found in a second. */
pid_t control_lock_holder(const Control *control);

/*
 * The same, of the file with the device and inode of @st, in the text of /proc/locks. Any user can
 * have locks, and the kernel takes minutes to list 100,000 of them.
 */
pid_t control_find_lock_holder(FILE *locks, const struct stat *st);

/* The same for files that hold one number. */
gboolean control_set(const Control *control, const char *name, guint64 value, GError **error);
gboolean control_get(const Control *control, const char *name, guint64 *value, GError **error);

#endif
