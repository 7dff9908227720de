// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/control.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "capture/tracer/control_class.h"

G_DEFINE_QUARK(kmemtrace - capture - error, capture_error)

gboolean control_fail(GError **error, CaptureError code, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, CAPTURE_ERROR, code, text);
	return FALSE;
}

gboolean control_fail_write(const Control *control, const char *name, const char *line, int code,
			    GError **error)
{
	g_autofree char *path = control_path(control, name);

	if (code == ENOSPC && !strcmp(name, "mark"))
		return control_fail(error, CAPTURE_ERROR_FAILED,
				    "can't mark: this CPU's buffer is full");
	if (code == EBUSY && !strcmp(name, "enable"))
		return control_fail(
			error, CAPTURE_ERROR_BUSY,
			"can't trace: the kernel still runs probes of the last recording, or an oops has stopped the tracer");
	return control_fail(error,
			    code == EBUSY    ? CAPTURE_ERROR_BUSY
			    : code == EINVAL ? CAPTURE_ERROR_INVALID
					     : CAPTURE_ERROR_FAILED,
			    "can't write '%.*s' to %s: %s", (int)strcspn(line, "\n"), line, path,
			    g_strerror(code));
}

const char *control_source(const Control *control)
{
	return control->class->name;
}

char *control_path(const Control *control, const char *name)
{
	return control->class->path(control, name);
}

gboolean control_has(const Control *control, const char *name)
{
	return control->class->has(control, name);
}

int control_open_view(const Control *control, const char *name)
{
	return control->class->open(control, name);
}

gboolean control_write(const Control *control, const char *name, const char *text, GError **error)
{
	g_autofree char *line = g_strconcat(text, "\n", NULL);

	return control->class->write(control, name, line, error);
}

int control_flush(const Control *control)
{
	return control->class->flush(control);
}

gssize control_read_stacks(const Control *control, void *bytes, gsize len, guint64 offset)
{
	return control->class->read_stacks(control, bytes, len, offset);
}

char *control_read(const Control *control, const char *name, GError **error)
{
	return control->class->read(control, name, error);
}

gboolean control_set(const Control *control, const char *name, guint64 value, GError **error)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	return control_write(control, name, text, error);
}

gboolean control_get(const Control *control, const char *name, guint64 *value, GError **error)
{
	g_autofree char *text = control_read(control, name, error);

	if (text)
		*value = g_ascii_strtoull(text, NULL, 10);
	return text != NULL;
}

void control_disable(const Control *control)
{
	control->class->disable(control);
}

gboolean control_lock(Control *control, gboolean *locked, GError **error)
{
	*locked = TRUE;
	return !control->class->lock || control->class->lock(control, locked, error);
}

pid_t control_lock_holder(const Control *control)
{
	return control->class->lock_holder ? control->class->lock_holder(control) : 0;
}

void control_close(Control *control)
{
	if (control)
		control->class->close(control);
}

char *control_stream_path(const Control *control, guint cpu)
{
	g_autofree char *name = g_strdup_printf(CONTROL_STREAM "%u", cpu);

	return control_path(control, name);
}

GArray *control_cpus(const Control *control)
{
	return control->class->cpus(control);
}

ControlStream *control_stream_open(const Control *control, guint cpu)
{
	return control->class->open_stream(control, cpu);
}

ssize_t control_stream_read(ControlStream *stream, void *subbuf, gsize len)
{
	return stream->class->read(stream, subbuf, len);
}

int control_stream_fd(const ControlStream *stream)
{
	return stream->fd;
}

void control_stream_close(ControlStream *stream)
{
	if (stream)
		stream->class->close(stream);
}
