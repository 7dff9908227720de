/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface that a source of events implements: the module (module_control.h), or BPF programs.
 * Private to these and to control.c. Settings and views have the names of kmemtrace_abi.h; a source
 * may lack some.
 */
#ifndef KMT_CAPTURE_TRACER_CONTROL_CLASS_H
#define KMT_CAPTURE_TRACER_CONTROL_CLASS_H

#include "capture/tracer/control.h"

typedef struct {
	const char *name; /* "module" */
	/* Returns the path of a setting or a view, for messages, for g_free(). */
	char *(*path)(const Control *control, const char *name);
	gboolean (*has)(const Control *control, const char *name);
	/* Like open() for reading. */
	int (*open)(const Control *control, const char *name);
	/* @line includes its end. */
	gboolean (*write)(const Control *control, const char *name, const char *line,
			  GError **error);
	int (*flush)(const Control *control);
	char *(*read)(const Control *control, const char *name, GError **error);
	void (*disable)(const Control *control);
	/* See control_lock(). NULL: each process has a source of its own. */
	gboolean (*lock)(Control *control, gboolean *locked, GError **error);
	pid_t (*lock_holder)(const Control *control);
	gssize (*read_stacks)(const Control *control, void *bytes, gsize len, guint64 offset);
	GArray *(*cpus)(const Control *control);
	/* Returns NULL with an errno. */
	ControlStream *(*open_stream)(const Control *control, guint cpu);
	void (*close)(Control *control);
} ControlClass;

/* The first member of a source's own struct. */
struct Control {
	const ControlClass *class;
};

typedef struct {
	ssize_t (*read)(ControlStream *stream, void *subbuf, gsize len);
	void (*close)(ControlStream *stream);
} ControlStreamClass;

/* The same for a stream. */
struct ControlStream {
	const ControlStreamClass *class;
	int fd; /* to poll */
};

/* Sets *@error. Returns FALSE. */
gboolean control_fail(GError **error, CaptureError code, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

/* The same for an errno of writing @line to a setting. */
gboolean control_fail_write(const Control *control, const char *name, const char *line, int code,
			    GError **error);

#endif
