// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kmemtrace_abi.h"

#define DEBUGFS_PATH	"/sys/kernel/debug"
#define DEBUGFS_MAGIC	0x64626720	/* linux/magic.h */

struct Control {
	char *dir;	/* of the control files */
	int lock;	/* the folder, opened and locked; −1: not locked */
};

G_DEFINE_QUARK(kmemtrace-capture-error, capture_error)

static gboolean fail(GError **error, CaptureError code, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

static gboolean fail(GError **error, CaptureError code, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, CAPTURE_ERROR, code, text);
	return FALSE;
}

char *control_path(const Control *control, const char *name)
{
	return g_build_filename(control->dir, name, NULL);
}

const char *control_dir(const Control *control)
{
	return control->dir;
}

gboolean control_has(const Control *control, const char *name)
{
	g_autofree char *path = control_path(control, name);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

gboolean control_write(const Control *control, const char *name, const char *text, GError **error)
{
	g_autofree char *path = control_path(control, name);
	g_autofree char *line = g_strconcat(text, "\n", NULL);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written;
	int saved;

	if (fd < 0)
		return fail(error, CAPTURE_ERROR_FAILED, "can't open %s: %s", path, g_strerror(errno));
	written = write(fd, line, strlen(line));
	saved = errno;
	close(fd);
	if (written < 0)
		return fail(error, saved == EBUSY ? CAPTURE_ERROR_BUSY : CAPTURE_ERROR_FAILED,
			    "can't write '%s' to %s: %s", text, path, g_strerror(saved));
	return TRUE;
}

char *control_read(const Control *control, const char *name, GError **error)
{
	g_autofree char *path = control_path(control, name);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, error) ? text : NULL;
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

gboolean control_lock(Control *control)
{
	if (control->lock < 0)
		control->lock = open(control->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return control->lock < 0 || flock(control->lock, LOCK_EX | LOCK_NB) == 0 ||
	       errno != EWOULDBLOCK;
}

/* Root of a container may be nobody here, and lockdown closes debugfs to everybody. */
static gboolean fail_permission(const char *path, GError **error)
{
	return fail(error, CAPTURE_ERROR_NO_TRACER,
		    "no permission for %s, not even for root: a container, or a locked-down kernel (see /sys/kernel/security/lockdown)",
		    path);
}

static gboolean check_debugfs(GError **error)
{
	struct statfs fs;

	if (statfs(DEBUGFS_PATH, &fs) && (errno == EACCES || errno == EPERM))
		return fail_permission(DEBUGFS_PATH, error);
	if (statfs(DEBUGFS_PATH, &fs) || fs.f_type != DEBUGFS_MAGIC)
		return fail(error, CAPTURE_ERROR_NO_TRACER,
			    "debugfs is not mounted: mount -t debugfs none " DEBUGFS_PATH);
	return TRUE;
}

static gboolean check_loaded(const Control *control, GError **error)
{
	struct utsname uts;
	struct stat st;
	int ret = stat(control->dir, &st);

	if (ret == 0 && S_ISDIR(st.st_mode))
		return TRUE;
	if (ret && (errno == EACCES || errno == EPERM))
		return fail_permission(control->dir, error);
	uname(&uts);
	return fail(error, CAPTURE_ERROR_NO_TRACER,
		    "the tracer is not loaded: insmod build/%s/kmemtrace.ko (or modprobe kmemtrace), then try again",
		    uts.release);
}

/* The first lines of "abi" are "abi_version N" and so on. */
static gboolean check_abi(const Control *control, GError **error)
{
	g_autofree char *path = control_path(control, "abi");
	g_autoptr(GError) local = NULL;
	g_autofree char *text = NULL;
	unsigned int version = 0;

	if (!g_file_get_contents(path, &text, NULL, &local)) {
		if (g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_ACCES) ||
		    g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_PERM))
			return fail_permission(path, error);
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	if (sscanf(text, "abi_version %u", &version) != 1 || version != KMEMTRACE_ABI_VERSION)
		return fail(error, CAPTURE_ERROR_FAILED,
			    "%s: ABI version %u, expected %u: load the module that belongs to this tool",
			    path, version, KMEMTRACE_ABI_VERSION);
	return TRUE;
}

Control *control_new(const char *dir)
{
	Control *control = g_new0(Control, 1);

	control->dir = g_strdup(dir);
	control->lock = -1;
	return control;
}

Control *control_open(GError **error)
{
	g_autoptr(Control) control = control_new(DEBUGFS_PATH "/" KMEMTRACE_DEBUGFS_DIR);

	if (geteuid() != 0) {
		fail(error, CAPTURE_ERROR_NOT_ROOT, "only root may trace the kernel: try again with sudo");
		return NULL;
	}
	if (!check_debugfs(error) || !check_loaded(control, error) || !check_abi(control, error))
		return NULL;
	return g_steal_pointer(&control);
}

void control_close(Control *control)
{
	if (!control)
		return;
	if (control->lock >= 0)
		close(control->lock);
	g_free(control->dir);
	g_free(control);
}
