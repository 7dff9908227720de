// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/doctor/checks.h"
#include "capture/tracer/rights.h"

void check_rights(GArray *findings, const Machine *machine)
{
	(void)machine;
	if (rights_has(RIGHTS_SYS_ADMIN) && geteuid() == 0)
		findings_add(findings, "rights", FINDING_FINE, g_strdup("root"), NULL);
	else if (geteuid() == 0)
		findings_add(findings, "rights", FINDING_NOTE,
			     g_strdup("root, but without CAP_SYS_ADMIN: is this a container?"),
			     NULL);
	else if (rights_has(RIGHTS_BPF) && rights_has(RIGHTS_PERFMON))
		findings_add(
			findings, "rights", FINDING_NOTE,
			g_strdup("not root, but CAP_BPF and CAP_PERFMON: enough for BPF programs"),
			NULL);
	else
		findings_add(
			findings, "rights", FINDING_WRONG,
			g_strdup(
				"not root, and without CAP_BPF and CAP_PERFMON: much of what follows can't be seen"),
			g_strdup("sudo kmemtrace-user doctor"));
}

/* Returns whether a file system of type @type is mounted at @place. */
static gboolean is_mounted(const Machine *machine, const char *type, const char *place)
{
	g_autofree char *text = machine_read(machine, "/proc/self/mounts");
	g_autofree char *wanted = g_strdup_printf(" %s %s ", place, type);

	return text && strstr(text, wanted);
}

void check_debugfs(GArray *findings, const Machine *machine)
{
	if (is_mounted(machine, "debugfs", "/sys/kernel/debug"))
		findings_add(findings, "debugfs", FINDING_FINE, g_strdup("mounted"), NULL);
	else if (machine_has(machine, "/proc/modules") ||
		 machine_has(machine, "/sys/module/kmemtrace"))
		findings_add(findings, "debugfs", FINDING_NOTE,
			     g_strdup("not mounted: the module's events are read there"),
			     g_strdup("sudo mount -t debugfs none /sys/kernel/debug"));
}

void check_bpffs(GArray *findings, const Machine *machine)
{
	if (is_mounted(machine, "bpf", "/sys/fs/bpf"))
		findings_add(findings, "bpffs", FINDING_FINE, g_strdup("mounted"), NULL);
	else
		findings_add(
			findings, "bpffs", FINDING_NOTE,
			g_strdup(
				"not mounted: start can't leave BPF programs there; record does not need it"),
			g_strdup("sudo mount -t bpf -o mode=700 bpf /sys/fs/bpf"));
}

/* Returns whether /proc/kallsyms shows this process an address other than 0. */
static gboolean shows_addresses(const Machine *machine)
{
	g_autofree char *full = g_strconcat(machine->root, "/proc/kallsyms", NULL);
	FILE *file = fopen(full, "re");
	char line[512];
	gboolean shows = FALSE;

	if (!file)
		return FALSE;
	while (!shows && fgets(line, sizeof(line), file))
		shows = line[strspn(line, "0")] != ' '; /* the first symbols are per-CPU offsets */
	fclose(file);
	return shows;
}

void check_kallsyms(GArray *findings, const Machine *machine)
{
	g_autofree char *restricted = machine_read(machine, "/proc/sys/kernel/kptr_restrict");
	g_autofree char *paranoid = machine_read(machine, "/proc/sys/kernel/perf_event_paranoid");
	g_autofree char *settings = g_strdup_printf("kptr_restrict %s, perf_event_paranoid %s",
						    restricted ?: "?", paranoid ?: "?");

	if (shows_addresses(machine))
		findings_add(findings, "kallsyms", FINDING_FINE,
			     g_strdup_printf("shows addresses (%s)", settings), NULL);
	else
		findings_add(
			findings, "kallsyms", FINDING_NOTE,
			g_strdup_printf(
				"hides addresses (%s): BPF programs can't be used, and functions have no names",
				settings),
			g_strdup(g_strcmp0(restricted, "2")
					 ? "sudo kmemtrace-user doctor"
					 : "sudo sysctl kernel.kptr_restrict=1"));
}
