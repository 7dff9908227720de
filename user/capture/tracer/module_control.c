// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/module_control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/compare.h"
#include "capture/tracer/control_class.h"
#include "capture/tracer/rights.h"
#include "kmemtrace_abi.h"

#define DEBUGFS_PATH  "/sys/kernel/debug"
#define DEBUGFS_MAGIC 0x64626720 /* linux/magic.h */
#define SETTINGS_PATH "/sys/kernel/" KMEMTRACE_SYSFS_DIR
#define VIEWS_PATH    DEBUGFS_PATH "/" KMEMTRACE_DEBUGFS_DIR

#define LOCKS_US G_USEC_PER_SEC

/* The files that are settings; all others are views. */
static const char *const settings[] = {
	"enable",      "reset",       "flush",        "mark",          "subbuf_size", "subbufs",
	"stack_depth", "stack_bytes", "user_stacks",  "events",        "overwrite",   "sample",
	"filter_pids", "filter_size", "filter_cache", "filter_cgroup", "subuids",
};

typedef struct {
	Control base;
	char *settings; /* folders */
	char *views;
	/*
	 * The setting, kept open since there may be no descriptor left later; −1: not open. This
	 * file is locked: others may open the folders.
	 */
	int enable;
	int last; /* opened a second time: a write waits for another write to the same open file */
} ModuleControl;

static const ControlClass module_class;

static const ModuleControl *module_of(const Control *control)
{
	return (const ModuleControl *)control;
}

static gboolean is_setting(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
		if (!strcmp(settings[i], name))
			return TRUE;
	}
	return FALSE;
}

static char *module_path(const Control *control, const char *name)
{
	const ModuleControl *module = module_of(control);

	return g_build_filename(is_setting(name) ? module->settings : module->views, name, NULL);
}

const char *module_control_views(const Control *control)
{
	return control->class == &module_class ? module_of(control)->views : NULL;
}

static gboolean module_has(const Control *control, const char *name)
{
	g_autofree char *path = module_path(control, name);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

static int module_open(const Control *control, const char *name)
{
	g_autofree char *path = module_path(control, name);

	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Returns 0 or an errno. */
static int write_file(const Control *control, const char *name, const char *text)
{
	const ModuleControl *module = module_of(control);
	g_autofree char *path = module_path(control, name);
	gboolean is_enable = !strcmp(name, "enable") && module->enable >= 0;
	int fd = is_enable ? module->enable : open(path, O_WRONLY | O_CLOEXEC);
	int code = 0;

	if (fd < 0)
		return errno;
	if ((is_enable ? pwrite(fd, text, strlen(text), 0) : write(fd, text, strlen(text))) < 0)
		code = errno;
	if (!is_enable)
		close(fd);
	return code;
}

static gboolean module_write(const Control *control, const char *name, const char *line,
			     GError **error)
{
	int code = write_file(control, name, line);

	return !code || control_fail_write(control, name, line, code, error);
}

static int module_flush(const Control *control)
{
	return write_file(control, CONTROL_FLUSH, "1");
}

static gssize module_read_stacks(const Control *control, void *bytes, gsize len, guint64 offset)
{
	int fd = module_open(control, "stacks"), saved;
	gssize got = fd < 0 ? -1 : pread(fd, bytes, len, (off_t)offset);

	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return got;
}

static char *module_read(const Control *control, const char *name, GError **error)
{
	g_autofree char *path = module_path(control, name);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, error) ? text : NULL;
}

static void module_disable(const Control *control)
{
	const ModuleControl *module = module_of(control);
	char value;

	/* Reading does not wait; writing waits for a process that changes a setting. */
	if (pread(module->last, &value, 1, 0) == 1 && value == '0')
		return;
	if (pwrite(module->last, "0\n", 2, 0) < 0)
		return; /* cannot be reported */
}

/* ---- streams ---- */

static int compare_cpus(gconstpointer a, gconstpointer b)
{
	guint x = *(const guint *)a, y = *(const guint *)b;

	return COMPARE(x, y);
}

static GArray *module_cpus(const Control *control)
{
	GArray *cpus = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GDir) files = g_dir_open(module_of(control)->views, 0, NULL);
	const char *name;

	while (files && (name = g_dir_read_name(files))) {
		guint64 number;
		guint cpu;

		if (!g_str_has_prefix(name, CONTROL_STREAM) ||
		    !g_ascii_string_to_unsigned(name + strlen(CONTROL_STREAM), 10, 0, G_MAXINT,
						&number, NULL))
			continue;
		cpu = number;
		g_array_append_val(cpus, cpu);
	}
	g_array_sort(cpus, compare_cpus);
	return cpus;
}

static ssize_t module_stream_read(ControlStream *stream, void *subbuf, gsize len)
{
	return read(stream->fd, subbuf, len);
}

static void module_stream_close(ControlStream *stream)
{
	close(stream->fd);
	g_free(stream);
}

static ControlStream *module_open_stream(const Control *control, guint cpu)
{
	static const ControlStreamClass class = { module_stream_read, module_stream_close };
	g_autofree char *name = g_strdup_printf(CONTROL_STREAM "%u", cpu);
	int fd = module_open(control, name);
	ControlStream *stream;

	if (fd < 0)
		return NULL;
	stream = g_new0(ControlStream, 1);
	stream->class = &class;
	stream->fd = fd;
	return stream;
}

/* ---- the lock ---- */

static gboolean module_lock(Control *control, gboolean *locked, GError **error)
{
	int enable = module_of(control)->enable;

	(void)error;
	*locked = enable < 0 || flock(enable, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
	return TRUE;
}

pid_t module_control_find_lock_holder(FILE *locks, const struct stat *st)
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

static pid_t module_lock_holder(const Control *control)
{
	FILE *locks = fopen("/proc/locks", "re");
	pid_t holder = 0;
	struct stat st;

	if (!locks)
		return 0;
	if (module_of(control)->enable >= 0 && fstat(module_of(control)->enable, &st) == 0)
		holder = module_control_find_lock_holder(locks, &st);
	fclose(locks);
	return holder;
}

static gboolean fail_permission(const char *path, GError **error)
{
	return control_fail(error, CAPTURE_ERROR_NO_TRACER,
			    "no permission for %s, not even for root: is this a container?", path);
}

static gboolean check_permission(GError **error)
{
	g_autofree char *mode = rights_lockdown();

	if (geteuid() != 0)
		return control_fail(error, CAPTURE_ERROR_NOT_ROOT,
				    "only root may trace the kernel: try again with sudo");
	if (g_strcmp0(mode, "confidentiality") == 0)
		return control_fail(
			error, CAPTURE_ERROR_NO_TRACER,
			"the kernel is locked down (confidentiality): nobody may trace it; boot without lockdown=confidentiality");
	if (!rights_has(RIGHTS_PERFMON | RIGHTS_SYS_ADMIN))
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

/* Returns why the kernel loads only signed modules, for g_free(); NULL: it loads any. */
static char *why_signed_only(void)
{
	g_autofree char *mode = rights_lockdown();
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

	if (access("/proc/modules", F_OK))
		return control_fail(
			error, CAPTURE_ERROR_NO_TRACER,
			"the tracer is not loaded, and this kernel has no modules (CONFIG_MODULES): --source bpf needs none");
	if (signed_only)
		return control_fail(
			error, CAPTURE_ERROR_NO_TRACER,
			"the tracer is not loaded, and %s: its module must be signed. With DKMS: make install-dkms, dkms install, mokutil --import /var/lib/dkms/mok.pub, reboot and enroll the key, modprobe kmemtrace (see README)",
			signed_only);
	uname(&uts);
	return control_fail(
		error, CAPTURE_ERROR_NO_TRACER,
		"the tracer is not loaded: modprobe kmemtrace (or, in the folder of the sources, insmod build/%s/kmemtrace.ko), then try again; --source bpf needs no module",
		uts.release);
}

/* Older modules have their settings elsewhere. */
static gboolean check_loaded(const ModuleControl *module, GError **error)
{
	if (g_file_test(module->settings, G_FILE_TEST_IS_DIR))
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
	g_autofree char *path = module_path(control, "abi");
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

static void module_close(Control *control)
{
	ModuleControl *module = (ModuleControl *)control;

	if (module->enable >= 0)
		close(module->enable);
	if (module->last >= 0)
		close(module->last);
	g_free(module->settings);
	g_free(module->views);
	g_free(module);
}

static const ControlClass module_class = {
	.name = "module",
	.path = module_path,
	.has = module_has,
	.open = module_open,
	.write = module_write,
	.flush = module_flush,
	.read = module_read,
	.read_stacks = module_read_stacks,
	.disable = module_disable,
	.lock = module_lock,
	.lock_holder = module_lock_holder,
	.cpus = module_cpus,
	.open_stream = module_open_stream,
	.close = module_close,
};

static ModuleControl *new_in(const char *settings_dir, const char *views_dir)
{
	ModuleControl *module = g_new0(ModuleControl, 1);

	module->base.class = &module_class;
	module->settings = g_strdup(settings_dir);
	module->views = g_strdup(views_dir);
	module->enable = module->last = -1;
	return module;
}

Control *module_control_new(const char *dir)
{
	return &new_in(dir, dir)->base;
}

Control *module_control_open(GError **error)
{
	ModuleControl *module = new_in(SETTINGS_PATH, VIEWS_PATH);
	g_autoptr(Control) control = &module->base;
	g_autofree char *path = NULL;

	if (!check_permission(error) || !check_loaded(module, error) || !check_debugfs(error) ||
	    !check_abi(control, error))
		return NULL;
	path = module_path(control, "enable");
	module->enable = open(path, O_WRONLY | O_CLOEXEC);
	module->last = open(path, O_RDWR | O_CLOEXEC);
	return g_steal_pointer(&control);
}
