// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kmemtrace_abi.h"

#define DEBUGFS_PATH  "/sys/kernel/debug"
#define DEBUGFS_MAGIC 0x64626720 /* linux/magic.h */
#define SETTINGS_PATH "/sys/kernel/" KMEMTRACE_SYSFS_DIR
#define VIEWS_PATH    DEBUGFS_PATH "/" KMEMTRACE_DEBUGFS_DIR

#define LOCKS_US G_USEC_PER_SEC

#define CAP_SYS_ADMIN 21 /* linux/capability.h, where older ones lack the second */
#define CAP_PERFMON   38

/* The files that are settings; all others are views. */
static const char *const settings[] = {
	"enable",      "reset",       "flush",        "mark",          "subbuf_size", "subbufs",
	"stack_depth", "stack_bytes", "user_stacks",  "events",        "overwrite",   "sample",
	"filter_pids", "filter_size", "filter_cache", "filter_cgroup",
};

struct Control {
	char *settings; /* folders */
	char *views;
	/*
	 * The setting, open, as there may be no descriptor left; −1: not open. It is what is
	 * locked: others may open the folders.
	 */
	int enable;
	int last; /* the same, opened once more: a write to one waits for another one to it */
};

G_DEFINE_QUARK(kmemtrace - capture - error, capture_error)

static gboolean control_fail(GError **error, CaptureError code, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

static gboolean control_fail(GError **error, CaptureError code, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, CAPTURE_ERROR, code, text);
	return FALSE;
}

static gboolean is_setting(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
		if (!strcmp(settings[i], name))
			return TRUE;
	}
	return FALSE;
}

char *control_path(const Control *control, const char *name)
{
	return g_build_filename(is_setting(name) ? control->settings : control->views, name, NULL);
}

const char *control_views(const Control *control)
{
	return control->views;
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
	gboolean is_enable = !strcmp(name, "enable") && control->enable >= 0;
	int fd = is_enable ? control->enable : open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written;
	int saved;

	if (fd < 0)
		return control_fail(error, CAPTURE_ERROR_FAILED, "can't open %s: %s", path,
				    g_strerror(errno));
	written = is_enable ? pwrite(fd, line, strlen(line), 0) : write(fd, line, strlen(line));
	saved = errno;
	if (!is_enable)
		close(fd);
	if (written < 0)
		return control_fail(error,
				    saved == EBUSY    ? CAPTURE_ERROR_BUSY
				    : saved == EINVAL ? CAPTURE_ERROR_INVALID
						      : CAPTURE_ERROR_FAILED,
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

void control_disable(const Control *control)
{
	char value;

	/* Reading waits for nothing; writing waits for whoever changes a setting. */
	if (pread(control->last, &value, 1, 0) == 1 && value == '0')
		return;
	if (pwrite(control->last, "0\n", 2, 0) < 0)
		return; /* cannot be reported */
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
	return control->enable < 0 || flock(control->enable, LOCK_EX | LOCK_NB) == 0 ||
	       errno != EWOULDBLOCK;
}

pid_t control_find_lock_holder(FILE *locks, const struct stat *st)
{
	gint64 began_us = g_get_monotonic_time();
	pid_t holder = 0;
	char *line = NULL;
	size_t size = 0;

	while (!holder && getline(&line, &size, locks) > 0 &&
	       g_get_monotonic_time() - began_us < LOCKS_US) {
		unsigned int major, minor;
		guint64 inode;
		int pid;

		if (sscanf(line, "%*s FLOCK %*s %*s %d %x:%x:%" G_GUINT64_FORMAT, &pid, &major,
			   &minor, &inode) == 4 &&
		    makedev(major, minor) == st->st_dev && inode == st->st_ino)
			holder = pid;
	}
	free(line);
	return holder;
}

pid_t control_lock_holder(const Control *control)
{
	FILE *locks = fopen("/proc/locks", "re");
	pid_t holder = 0;
	struct stat st;

	if (!locks)
		return 0;
	if (control->enable >= 0 && fstat(control->enable, &st) == 0)
		holder = control_find_lock_holder(locks, &st);
	fclose(locks);
	return holder;
}

static gboolean fail_permission(const char *path, GError **error)
{
	return control_fail(error, CAPTURE_ERROR_NO_TRACER,
			    "no permission for %s, not even for root: is this a container?", path);
}

/* The kernel's lockdown mode, for g_free(); NULL if none or unreadable. */
static char *lockdown_mode(void)
{
	g_autofree char *text = NULL;
	const char *start, *end;

	if (!g_file_get_contents("/sys/kernel/security/lockdown", &text, NULL, NULL))
		return NULL;
	start = strchr(text, '[');
	end = start ? strchr(start, ']') : NULL;
	if (!end || g_str_has_prefix(start, "[none]"))
		return NULL;
	return g_strndup(start + 1, end - start - 1);
}

/* The same for what the kernel requires of this process. TRUE if unknown. */
static gboolean has_capability(void)
{
	const guint64 wanted = G_GUINT64_CONSTANT(1) << CAP_PERFMON | 1U << CAP_SYS_ADMIN;
	g_autofree char *text = NULL;
	const char *line;

	if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL))
		return TRUE;
	line = strstr(text, "\nCapEff:");
	return !line || g_ascii_strtoull(line + strlen("\nCapEff:"), NULL, 16) & wanted;
}

static gboolean check_permission(GError **error)
{
	g_autofree char *mode = lockdown_mode();

	if (geteuid() != 0)
		return control_fail(error, CAPTURE_ERROR_NOT_ROOT,
				    "only root may trace the kernel: try again with sudo");
	if (g_strcmp0(mode, "confidentiality") == 0)
		return control_fail(
			error, CAPTURE_ERROR_NO_TRACER,
			"the kernel is locked down (confidentiality): nobody may trace it; boot without lockdown=confidentiality");
	if (!has_capability())
		return control_fail(
			error, CAPTURE_ERROR_NOT_ROOT,
			"this process has neither CAP_PERFMON nor CAP_SYS_ADMIN, which tracing needs: a container or a service without them?");
	return TRUE;
}

static gboolean check_debugfs(GError **error)
{
	struct statfs fs;

	if (statfs(DEBUGFS_PATH, &fs) && (errno == EACCES || errno == EPERM))
		return fail_permission(DEBUGFS_PATH, error);
	if (statfs(DEBUGFS_PATH, &fs) || fs.f_type != DEBUGFS_MAGIC)
		return control_fail(error, CAPTURE_ERROR_NO_TRACER,
				    "debugfs is not mounted: mount -t debugfs none " DEBUGFS_PATH);
	return TRUE;
}

/* Whether the kernel loads signed modules alone, and why: for g_free(); NULL: it loads any. */
static char *why_signed_only(void)
{
	g_autofree char *mode = lockdown_mode();
	g_autofree char *enforced = NULL;

	if (mode)
		return g_strdup_printf("the kernel is locked down (%s)", mode);
	if (g_file_get_contents("/sys/module/module/parameters/sig_enforce", &enforced, NULL,
				NULL) &&
	    enforced[0] == 'Y')
		return g_strdup("module.sig_enforce is set");
	return NULL;
}

static gboolean fail_not_loaded(GError **error)
{
	g_autofree char *signed_only = why_signed_only();
	struct utsname uts;

	if (signed_only)
		return control_fail(
			error, CAPTURE_ERROR_NO_TRACER,
			"the tracer is not loaded, and %s: its module must be signed. With DKMS: make install-dkms, dkms install, mokutil --import /var/lib/dkms/mok.pub, reboot and enroll the key, modprobe kmemtrace (see README)",
			signed_only);
	uname(&uts);
	return control_fail(
		error, CAPTURE_ERROR_NO_TRACER,
		"the tracer is not loaded: insmod build/%s/kmemtrace.ko (or modprobe kmemtrace), then try again",
		uts.release);
}

/* Older modules had their settings elsewhere. */
static gboolean check_loaded(const Control *control, GError **error)
{
	if (g_file_test(control->settings, G_FILE_TEST_IS_DIR))
		return TRUE;
	if (g_file_test("/sys/module/kmemtrace", G_FILE_TEST_IS_DIR))
		return control_fail(
			error, CAPTURE_ERROR_FAILED,
			"the loaded module is of another version: load the one that matches this tool");
	return fail_not_loaded(error);
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
		return control_fail(
			error, CAPTURE_ERROR_FAILED,
			"%s: ABI version %u, expected %u: load the module that matches this tool",
			path, version, KMEMTRACE_ABI_VERSION);
	return TRUE;
}

static Control *control_new_in(const char *settings_dir, const char *views_dir)
{
	Control *control = g_new0(Control, 1);

	control->settings = g_strdup(settings_dir);
	control->views = g_strdup(views_dir);
	control->enable = control->last = -1;
	return control;
}

Control *control_new(const char *dir)
{
	return control_new_in(dir, dir);
}

Control *control_open(GError **error)
{
	g_autoptr(Control) control = control_new_in(SETTINGS_PATH, VIEWS_PATH);
	g_autofree char *path = NULL;

	if (!check_permission(error) || !check_loaded(control, error) || !check_debugfs(error) ||
	    !check_abi(control, error))
		return NULL;
	path = control_path(control, "enable");
	control->enable = open(path, O_WRONLY | O_CLOEXEC);
	control->last = open(path, O_RDWR | O_CLOEXEC);
	return g_steal_pointer(&control);
}

void control_close(Control *control)
{
	if (!control)
		return;
	if (control->enable >= 0)
		close(control->enable);
	if (control->last >= 0)
		close(control->last);
	g_free(control->settings);
	g_free(control->views);
	g_free(control);
}
