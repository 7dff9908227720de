/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of events: its settings, views and streams, which kmemtrace_abi.h describes. Callers
 * need not know which kind of source it is.
 */
#ifndef KMT_CAPTURE_TRACER_CONTROL_H
#define KMT_CAPTURE_TRACER_CONTROL_H

#include <glib.h>
#include <sys/types.h>

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

#define CONTROL_FLUSH  "flush" /* the setting */
#define CONTROL_STREAM "trace" /* prefix of the views of CPU streams */

typedef struct Control Control;
typedef struct ControlStream ControlStream;

void control_close(Control *control);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Control, control_close)

/* "module" or "bpf". */
const char *control_source(const Control *control);

/* Returns the path of a setting or a view, for messages, for g_free(). */
char *control_path(const Control *control, const char *name);

/* Returns FALSE if this source, or an older version of it, has no such setting or view. */
gboolean control_has(const Control *control, const char *name);

/* Opens a view at its beginning. Returns a descriptor, or -1 with an errno. */
int control_open_view(const Control *control, const char *name);

/* Writes a line to a setting. @text is without the line end. */
gboolean control_write(const Control *control, const char *name, const char *text, GError **error);

/*
 * Completes the sub-buffers that have records. Returns 0 or an errno, as kmemtrace_abi.h describes.
 */
int control_flush(const Control *control);

/*
 * Reads complete entries of the stack table from @offset on, like pread() of the view. Returns 0 if
 * there are no more yet.
 */
gssize control_read_stacks(const Control *control, void *bytes, gsize len, guint64 offset);

/* Returns the whole text of a setting or a view, for g_free(); NULL with an error. */
char *control_read(const Control *control, const char *name, GError **error);

/*
 * Switches tracing off as far as possible: without memory or a new descriptor, whatever other
 * threads do.
 */
void control_disable(const Control *control);

/*
 * Locks the source for this process until control_close(); what was read before may have changed.
 * Sets *@locked to FALSE if another process has it.
 */
gboolean control_lock(Control *control, gboolean *locked, GError **error);

/* Returns that process; 0: none is visible from here, or none was found within a second. */
pid_t control_lock_holder(const Control *control);

/* The same for settings that are one number. */
gboolean control_set(const Control *control, const char *name, guint64 value, GError **error);
gboolean control_get(const Control *control, const char *name, guint64 *value, GError **error);

/* ---- streams ---- */

/* Returns the path of a CPU's stream, for messages, for g_free(). */
char *control_stream_path(const Control *control, guint cpu);

/* Returns the numbers of all CPUs that could have a stream: an array of guint, ascending. */
GArray *control_cpus(const Control *control);

/*
 * Opens the stream of a CPU. Returns NULL with an errno: ENODEV or ENOENT: it has none; EBUSY:
 * another process reads it.
 */
ControlStream *control_stream_open(const Control *control, guint cpu);
void control_stream_close(ControlStream *stream); /* NULL is allowed */

/*
 * Reads one completed sub-buffer, like read() of the view: EAGAIN if there is none yet, and 0 once
 * tracing is off and everything was read.
 */
ssize_t control_stream_read(ControlStream *stream, void *subbuf, gsize len);

/* Returns a descriptor for poll(); owned by @stream. */
int control_stream_fd(const ControlStream *stream);

#endif
