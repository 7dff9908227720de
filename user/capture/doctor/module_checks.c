// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sudo_user.h"
#include "capture/doctor/checks.h"

#define SIGNED                                                                                     \
	"~Module signature appended~\n" /* at the end of a signed module: linux/module_signature.h */

/* Returns the path of the module for this kernel, below the root. For g_free(); NULL: none. */
static char *find_module(const Machine *machine)
{
	static const char *const folders[] = { "updates/dkms", "updates", "extra", "kernel/mm" };
	static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		for (guint k = 0; k < G_N_ELEMENTS(suffixes); k++) {
			g_autofree char *path =
				g_strdup_printf("/lib/modules/%s/%s/kmemtrace.ko%s",
						machine->release, folders[i], suffixes[k]);

			if (machine_has(machine, "%s", path))
				return g_steal_pointer(&path);
		}
	}
	return NULL;
}

static gboolean has_headers(const Machine *machine)
{
	return machine_has(machine, "/lib/modules/%s/build/Makefile", machine->release);
}

/*
 * Returns whether no other user can change the file @path or, if it is a folder, replace what is in
 * it.
 */
static gboolean is_safe(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && sudo_user_trusts(st.st_uid) &&
	       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) &&
	       (!(st.st_mode & 022) || (S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX));
}

/*
 * Returns whether @path in the current folder is safe. The folder may belong to any user, and root
 * would run its contents: a module in the kernel, or the commands of a Makefile.
 */
static gboolean is_safe_here(const char *path)
{
	g_auto(GStrv) parts = g_strsplit(path, "/", -1);
	g_autoptr(GString) place = g_string_new(".");
	gboolean safe = is_safe(place->str);

	for (guint i = 0; parts[i] && safe; i++) {
		g_string_append_printf(place, "/%s", parts[i]);
		safe = is_safe(place->str);
	}
	return safe;
}

static void add_built(GArray *findings, const char *built)
{
	if (is_safe_here(built))
		findings_add(findings, "module", FINDING_NOTE,
			     g_strdup_printf("not loaded; %s is there", built),
			     g_strdup_printf("sudo insmod %s", built));
	else
		findings_add(
			findings, "module", FINDING_NOTE,
			g_strdup_printf(
				"not loaded; %s is there, but another user may have put it there: load it only if you trust who can write there",
				built),
			NULL);
}

static gboolean can_make(const Machine *machine)
{
	return has_headers(machine) &&
	       is_safe_here(g_file_test("Makefile", G_FILE_TEST_EXISTS) ? "Makefile" : ".");
}

void check_module(GArray *findings, const Machine *machine)
{
	g_autofree char *path = find_module(machine);
	g_autofree char *built = g_strdup_printf("build/%s/kmemtrace.ko", machine->release);

	if (machine_has(machine, "/sys/module/kmemtrace"))
		findings_add(findings, "module", FINDING_FINE, g_strdup("loaded"), NULL);
	else if (!machine_has(machine, "/proc/modules"))
		findings_add(findings, "module", FINDING_NOTE,
			     g_strdup("this kernel loads no modules"), NULL);
	else if (path)
		findings_add(findings, "module", FINDING_NOTE,
			     g_strdup_printf("not loaded; %s is there", path),
			     g_strdup("sudo modprobe kmemtrace"));
	else if (g_file_test(built, G_FILE_TEST_EXISTS))
		add_built(findings, built);
	else
		findings_add(findings, "module", FINDING_NOTE,
			     g_strdup("neither loaded nor built for this kernel"),
			     can_make(machine) ? g_strdup("make modules") : NULL);
}

/*
 * Returns the command with which the distribution installs kernel headers, for g_free(); NULL: not
 * known.
 */
static char *headers_command(const Machine *machine)
{
	static const struct {
		const char *word, *format;
	} known[] = {
		{ "debian", "sudo apt install linux-headers-%s" },
		{ "fedora", "sudo dnf install kernel-devel-%s" },
		{ "rhel", "sudo dnf install kernel-devel-%s" },
	};
	g_autofree char *text = machine_read(machine, "/etc/os-release");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		if (!g_str_has_prefix(lines[i], "ID=") && !g_str_has_prefix(lines[i], "ID_LIKE="))
			continue;
		for (guint k = 0; k < G_N_ELEMENTS(known); k++) {
			if (strstr(lines[i], known[k].word)) {
				g_auto(GStrv) parts = g_strsplit(known[k].format, "%s", 2);

				return g_strconcat(parts[0], machine->release, parts[1], NULL);
			}
		}
	}
	return NULL;
}

void check_headers(GArray *findings, const Machine *machine)
{
	if (!machine_has(machine, "/proc/modules"))
		return;
	if (has_headers(machine))
		findings_add(findings, "headers", FINDING_FINE,
			     g_strdup("of this kernel: the module can be built"), NULL);
	else if (machine_has(machine, "/sys/module/kmemtrace"))
		findings_add(findings, "headers", FINDING_FINE,
			     g_strdup("not there, but the module is loaded"), NULL);
	else
		findings_add(
			findings, "headers", FINDING_NOTE,
			g_strdup_printf(
				"/lib/modules/%s/build is not there: the module can't be built",
				machine->release),
			headers_command(machine));
}

static gboolean is_signed(const Machine *machine, const char *path)
{
	g_autofree char *full = g_strconcat(machine->root, path, NULL);
	FILE *file = fopen(full, "re");
	char end[sizeof(SIGNED) - 1];
	gboolean is_signed = FALSE;

	if (!file)
		return FALSE;
	if (fseek(file, -(long)sizeof(end), SEEK_END) == 0 &&
	    fread(end, 1, sizeof(end), file) == sizeof(end))
		is_signed = !memcmp(end, SIGNED, sizeof(end));
	fclose(file);
	return is_signed;
}

/* Returns why the kernel loads only signed modules, for g_free(); NULL: it loads any. */
static char *why_signed_only(const Machine *machine)
{
	g_autofree char *lockdown = machine_read(machine, "/sys/kernel/security/lockdown");
	g_autofree char *enforced =
		machine_read(machine, "/sys/module/module/parameters/sig_enforce");

	if (lockdown && strstr(lockdown, "[integrity]"))
		return g_strdup("the kernel is locked down (integrity)");
	if (!g_strcmp0(enforced, "Y"))
		return g_strdup("module.sig_enforce is set");
	return NULL;
}

void check_signature(GArray *findings, const Machine *machine)
{
	g_autofree char *lockdown = machine_read(machine, "/sys/kernel/security/lockdown");
	g_autofree char *why = why_signed_only(machine);
	g_autofree char *path = find_module(machine);

	if (lockdown && strstr(lockdown, "[confidentiality]"))
		findings_add(
			findings, "lockdown", FINDING_WRONG,
			g_strdup(
				"confidentiality: nobody may trace this kernel; boot it without lockdown=confidentiality"),
			NULL);
	else if (!why)
		findings_add(findings, "lockdown", FINDING_FINE,
			     g_strdup("none: the module needs no signature"), NULL);
	else if (machine_has(machine, "/sys/module/kmemtrace") ||
		 (path && g_str_has_suffix(path, ".ko") && is_signed(machine, path)))
		findings_add(findings, "lockdown", FINDING_FINE,
			     g_strdup_printf("%s; the module is signed", why), NULL);
	else
		findings_add(findings, "lockdown", FINDING_NOTE,
			     g_strdup_printf("%s: it loads only signed modules", why),
			     machine_has(machine, "/var/lib/dkms/mok.pub")
				     ? g_strdup("sudo mokutil --import /var/lib/dkms/mok.pub")
				     : NULL);
}
