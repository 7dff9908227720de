// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "capture/doctor/checks.h"

#define OLDEST_MAJOR 6 /* 6.1 is the oldest kernel that is tested */
#define OLDEST_MINOR 1

static gboolean is_x86(const Machine *machine)
{
	return !strcmp(machine->hardware, "x86_64");
}

void check_kernel(GArray *findings, const Machine *machine)
{
	unsigned int major = 0, minor = 0;
	gboolean is_known = sscanf(machine->release, "%u.%u", &major, &minor) == 2;
	g_autofree char *name = g_strdup_printf("%s, %s", machine->release, machine->hardware);

	if (!is_x86(machine) && strcmp(machine->hardware, "aarch64") != 0)
		findings_add(findings, "kernel", FINDING_WRONG,
			     g_strdup_printf("%s: only x86_64 and aarch64 are supported", name),
			     NULL);
	else if (is_known &&
		 (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR)))
		findings_add(findings, "kernel", FINDING_WRONG,
			     g_strdup_printf("%s: older than %d.%d, the oldest that is supported",
					     name, OLDEST_MAJOR, OLDEST_MINOR),
			     NULL);
	else
		findings_add(findings, "kernel", FINDING_FINE, g_steal_pointer(&name), NULL);
}

/*
 * Possible paths of the kernel's configuration, below the root: the parts before and after the
 * release.
 */
static const char *const configs[][2] = { { "/proc/config.gz", NULL },
					  { "/boot/config-", "" },
					  { "/lib/modules/", "/config" },
					  { "/lib/modules/", "/build/.config" } };

/*
 * Opens the first one that can be read; gzread() reads plain text, too. Returns NULL if there is
 * none.
 */
static gzFile open_config(const Machine *machine)
{
	gzFile file = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(configs) && !file; i++) {
		g_autofree char *path =
			g_strconcat(machine->root, configs[i][0],
				    configs[i][1] ? machine->release : NULL, configs[i][1], NULL);

		file = gzopen(path, "re");
	}
	return file;
}

/*
 * Sets @set[i] if "@names[i]=y" or "=m" is a line of the kernel's configuration. Returns FALSE if
 * that can't be read.
 */
static gboolean read_config(const Machine *machine, const char *const *names, gboolean *set)
{
	gzFile file = open_config(machine);
	char line[256];

	if (!file)
		return FALSE;
	while (gzgets(file, line, sizeof(line))) {
		for (guint i = 0; names[i]; i++) {
			size_t len = strlen(names[i]);

			if (!strncmp(line, names[i], len) && line[len] == '=' &&
			    (line[len + 1] == 'y' || line[len + 1] == 'm'))
				set[i] = TRUE;
		}
	}
	gzclose(file);
	return TRUE;
}

/* The options that the module depends on or selects, then those that the BPF programs use. */
static const char *const of_module[] = {
	"CONFIG_UNWINDER_ORC", /* for x86 only, so it comes first */
	"CONFIG_MODULES",      "CONFIG_DEBUG_FS", "CONFIG_SYSFS",   "CONFIG_STACKTRACE",
	"CONFIG_TRACEPOINTS",  "CONFIG_RELAY",    "CONFIG_KPROBES", NULL
};
static const char *const of_bpf[] = { "CONFIG_BPF_SYSCALL",
				      "CONFIG_BPF_JIT",
				      "CONFIG_BPF_EVENTS",
				      "CONFIG_DEBUG_INFO_BTF",
				      "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
				      NULL };

static void check_options_of(GArray *findings, const Machine *machine, const char *source,
			     const char *const *names)
{
	g_autofree gboolean *set = g_new0(gboolean, g_strv_length((char **)names));
	g_autoptr(GPtrArray) missing = g_ptr_array_new();
	g_autofree char *list = NULL;

	if (!read_config(machine, names, set)) {
		findings_add(
			findings, "options", FINDING_NOTE,
			g_strdup_printf(
				"those for %s are not known: the kernel's configuration is neither in /proc/config.gz, /boot nor /lib/modules",
				source),
			NULL);
		return;
	}
	for (guint i = 0; names[i]; i++) {
		if (!set[i])
			g_ptr_array_add(missing, (gpointer)names[i]);
	}
	g_ptr_array_add(missing, NULL);
	list = g_strjoinv(", ", (char **)missing->pdata);
	if (*list)
		findings_add(findings, "options", FINDING_NOTE,
			     g_strdup_printf("the kernel was built without %s, which %s uses", list,
					     source),
			     NULL);
	else
		findings_add(findings, "options", FINDING_FINE,
			     g_strdup_printf("the kernel has those that %s uses", source), NULL);
}

void check_options(GArray *findings, const Machine *machine)
{
	check_options_of(findings, machine, "the module",
			 is_x86(machine) ? of_module : of_module + 1);
	if (is_x86(machine)) /* the programs need x86 */
		check_options_of(findings, machine, "BPF", of_bpf);
}

void check_btf(GArray *findings, const Machine *machine)
{
	if (!is_x86(machine))
		return;
	if (machine_has(machine, "/sys/kernel/btf/vmlinux"))
		findings_add(findings, "BTF", FINDING_FINE, g_strdup("the kernel has it"), NULL);
	else
		findings_add(findings, "BTF", FINDING_NOTE,
			     g_strdup("the kernel has none: BPF programs can't be loaded"), NULL);
}
