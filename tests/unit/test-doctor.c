// SPDX-License-Identifier: GPL-2.0-or-later
/* What doctor finds on simulated machines: folders with a few files. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/doctor/checks.h"
#include "capture/doctor/doctor.h"

typedef void (*Check)(GArray *findings, const Machine *machine);

/* A machine whose files are in a new folder. */
static Machine new_machine(void)
{
	char *root = g_dir_make_tmp("kmemtrace-doctor-XXXXXX", NULL);

	g_assert_nonnull(root);
	return (Machine){ root, "6.12.9", "x86_64" };
}

static void add_file(const Machine *machine, const char *path, const char *text)
{
	g_autofree char *full = g_strconcat(machine->root, path, NULL);
	g_autofree char *folder = g_path_get_dirname(full);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(full, text, -1, NULL));
}

static void remove_below(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *inner = g_build_filename(path, name, NULL);

		remove_below(inner);
	}
	g_remove(path);
}

static void free_machine(Machine *machine)
{
	remove_below(machine->root);
	g_free((char *)machine->root);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Machine, free_machine)

/* The findings of @check: "level: text [command]", one a line. */
static void assert_finds(Check check, const Machine *machine, const char *expected)
{
	g_autoptr(GArray) findings = findings_new();
	g_autoptr(GString) text = g_string_new(NULL);

	check(findings, machine);
	for (guint i = 0; i < findings->len; i++) {
		const Finding *finding = &g_array_index(findings, Finding, i);

		g_string_append_printf(text, "%s%s: %s", i ? "\n" : "",
				       finding_level_name(finding->level), finding->text);
		if (finding->command)
			g_string_append_printf(text, " [%s]", finding->command);
	}
	g_assert_cmpstr(text->str, ==, expected);
}

static void test_kernel(void)
{
	Machine machine = { "", "6.1.0-56-amd64", "x86_64" };

	assert_finds(check_kernel, &machine, "ok: 6.1.0-56-amd64, x86_64");
	machine.release = "10.0";
	assert_finds(check_kernel, &machine, "ok: 10.0, x86_64");
	machine.hardware = "aarch64";
	assert_finds(check_kernel, &machine, "ok: 10.0, aarch64");
	machine.hardware = "x86_64";
	machine.release = "5.19.7";
	assert_finds(check_kernel, &machine,
		     "wrong: 5.19.7, x86_64: older than 6.1, the oldest that is supported");
	machine.release = "6.0.1";
	assert_finds(check_kernel, &machine,
		     "wrong: 6.0.1, x86_64: older than 6.1, the oldest that is supported");
	machine.hardware = "i686";
	assert_finds(check_kernel, &machine, "wrong: 6.0.1, i686: only x86_64 and aarch64 are supported");
}

static void test_options(void)
{
	g_auto(Machine) machine = new_machine();

	assert_finds(
		check_options, &machine,
		"note: those for the module are not known: the kernel's configuration is neither in /proc/config.gz, /boot nor /lib/modules\n"
		"note: those for BPF are not known: the kernel's configuration is neither in /proc/config.gz, /boot nor /lib/modules");
	add_file(&machine, "/lib/modules/6.12.9/build/.config", "CONFIG_BPF_JIT=y\n");
	add_file(&machine, "/boot/config-6.12.9",
		 "CONFIG_MODULES=y\nCONFIG_DEBUG_FS=y\nCONFIG_SYSFS=y\nCONFIG_UNWINDER_ORC=y\n"
		 "CONFIG_STACKTRACE=y\nCONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\nCONFIG_RELAY=m\n"
		 "CONFIG_BPF_SYSCALL=y\n# CONFIG_BPF_JIT is not set\nCONFIG_BPF_EVENTS=n\n"
		 "CONFIG_DEBUG_INFO_BTF_MODULES=y\nCONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y\n");
	assert_finds(
		check_options, &machine,
		"ok: the kernel has those that the module uses\n"
		"note: the kernel was built without CONFIG_BPF_JIT, CONFIG_BPF_EVENTS, CONFIG_DEBUG_INFO_BTF, which BPF uses");
}

static void test_btf(void)
{
	g_auto(Machine) machine = new_machine();

	assert_finds(check_btf, &machine,
		     "note: the kernel has none: BPF programs can't be loaded");
	add_file(&machine, "/sys/kernel/btf/vmlinux", "");
	assert_finds(check_btf, &machine, "ok: the kernel has it");
}

static void test_module(void)
{
	g_auto(Machine) machine = new_machine();
	g_autofree char *before = g_get_current_dir();

	g_assert_cmpint(g_chdir(machine.root), ==, 0);
	assert_finds(check_module, &machine, "note: this kernel loads no modules");
	assert_finds(check_headers, &machine, "");
	add_file(&machine, "/proc/modules", "");
	assert_finds(check_module, &machine, "note: neither loaded nor built for this kernel");
	assert_finds(check_headers, &machine,
		     "note: /lib/modules/6.12.9/build is not there: the module can't be built");
	add_file(&machine, "/etc/os-release", "NAME=\"Some\"\nID=ubuntu\nID_LIKE=debian\n");
	assert_finds(
		check_headers, &machine,
		"note: /lib/modules/6.12.9/build is not there: the module can't be built [sudo apt install linux-headers-6.12.9]");
	add_file(&machine, "/etc/os-release", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n");
	assert_finds(
		check_headers, &machine,
		"note: /lib/modules/6.12.9/build is not there: the module can't be built [sudo dnf install kernel-devel-6.12.9]");
	add_file(&machine, "/lib/modules/6.12.9/build/Makefile", "");
	assert_finds(check_module, &machine,
		     "note: neither loaded nor built for this kernel [make modules]");
	assert_finds(check_headers, &machine, "ok: of this kernel: the module can be built");
	add_file(&machine, "/lib/modules/6.12.9/updates/dkms/kmemtrace.ko.xz", "");
	assert_finds(
		check_module, &machine,
		"note: not loaded; /lib/modules/6.12.9/updates/dkms/kmemtrace.ko.xz is there [sudo modprobe kmemtrace]");
	add_file(&machine, "/sys/module/kmemtrace/version", "0.1\n");
	assert_finds(check_module, &machine, "ok: loaded");
	g_assert_cmpint(g_chdir(before), ==, 0);
}

/* A folder where anybody could have put the module, or a Makefile. */
static void test_folder_of_others(void)
{
	g_auto(Machine) machine = new_machine();
	g_autofree char *before = g_get_current_dir();
	const char *built = "/here/build/6.12.9/kmemtrace.ko";
	g_autofree char *here = g_strconcat(machine.root, "/here", NULL);
	const char *doubtful =
		"note: not loaded; build/6.12.9/kmemtrace.ko is there, but another user may have put it there: load it only if you trust who can write there";
	static const char *const places[] = { ".", "build", "build/6.12.9",
					      "build/6.12.9/kmemtrace.ko" };

	add_file(&machine, "/proc/modules", "");
	add_file(&machine, "/lib/modules/6.12.9/build/Makefile", "");
	add_file(&machine, built, "");
	g_assert_cmpint(g_chdir(here), ==, 0);
	g_assert_cmpint(g_chmod(places[3], 0644), ==, 0);
	assert_finds(
		check_module, &machine,
		"note: not loaded; build/6.12.9/kmemtrace.ko is there [sudo insmod build/6.12.9/kmemtrace.ko]");
	for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
		g_assert_cmpint(g_chmod(places[i], 0777), ==, 0);
		assert_finds(check_module, &machine, doubtful);
		g_assert_cmpint(g_chmod(places[i], 0755), ==, 0);
		if (geteuid())
			continue;
		g_assert_cmpint(chown(places[i], 65534, 65534), ==, 0);
		assert_finds(check_module, &machine, doubtful);
		g_assert_cmpint(chown(places[i], 0, 0), ==, 0);
	}
	g_assert_cmpint(g_rename("build", "other"), ==, 0);
	g_assert_cmpint(symlink("other", "build"), ==, 0);
	assert_finds(check_module, &machine, doubtful);

	g_assert_cmpint(g_remove("build"), ==, 0);
	assert_finds(check_module, &machine,
		     "note: neither loaded nor built for this kernel [make modules]");
	g_assert_cmpint(g_chmod(".", 0777), ==, 0);
	assert_finds(check_module, &machine, "note: neither loaded nor built for this kernel");
	g_assert_cmpint(g_chmod(".", 01777), ==, 0);
	add_file(&machine, "/here/Makefile", "");
	g_assert_cmpint(g_chmod("Makefile", 0666), ==, 0);
	assert_finds(check_module, &machine, "note: neither loaded nor built for this kernel");
	g_assert_cmpint(g_chdir(before), ==, 0);
}

static void test_signature(void)
{
	g_auto(Machine) machine = new_machine();
	const char *path = "/lib/modules/6.12.9/extra/kmemtrace.ko";

	assert_finds(check_signature, &machine, "ok: none: the module needs no signature");
	add_file(&machine, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	add_file(&machine, "/sys/module/module/parameters/sig_enforce", "N\n");
	assert_finds(check_signature, &machine, "ok: none: the module needs no signature");
	add_file(&machine, "/sys/module/module/parameters/sig_enforce", "Y\n");
	assert_finds(check_signature, &machine,
		     "note: module.sig_enforce is set: it loads only signed modules");
	add_file(&machine, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	add_file(&machine, "/var/lib/dkms/mok.pub", "");
	add_file(&machine, path, "~Module signature appended~");
	assert_finds(
		check_signature, &machine,
		"note: the kernel is locked down (integrity): it loads only signed modules [sudo mokutil --import /var/lib/dkms/mok.pub]");
	add_file(&machine, path, "code~Module signature appended~\n");
	assert_finds(check_signature, &machine,
		     "ok: the kernel is locked down (integrity); the module is signed");
	add_file(&machine, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_finds(
		check_signature, &machine,
		"wrong: confidentiality: nobody may trace this kernel; boot it without lockdown=confidentiality");
}

static void test_mounts(void)
{
	g_auto(Machine) machine = new_machine();

	add_file(&machine, "/proc/self/mounts",
		 "debugfs /mnt debugfs rw 0 0\nbpf /sys/fs/bpf bpf rw,mode=700 0 0\n");
	assert_finds(check_debugfs, &machine, ""); /* only the module needs it */
	add_file(&machine, "/proc/modules", "");
	assert_finds(
		check_debugfs, &machine,
		"note: not mounted: the module's events are read there [sudo mount -t debugfs none /sys/kernel/debug]");
	assert_finds(check_bpffs, &machine, "ok: mounted");
	add_file(&machine, "/proc/self/mounts", "none /sys/kernel/debug debugfs rw 0 0\n");
	assert_finds(check_debugfs, &machine, "ok: mounted");
	assert_finds(
		check_bpffs, &machine,
		"note: not mounted: start can't leave BPF programs there; record does not need it [sudo mount -t bpf -o mode=700 bpf /sys/fs/bpf]");
}

static void test_kallsyms(void)
{
	g_auto(Machine) machine = new_machine();

	add_file(&machine, "/proc/sys/kernel/kptr_restrict", "2\n");
	add_file(&machine, "/proc/sys/kernel/perf_event_paranoid", "3\n");
	add_file(&machine, "/proc/kallsyms",
		 "0000000000000000 A fixed_percpu_data\n0000000000000000 T _text\n");
	assert_finds(
		check_kallsyms, &machine,
		"note: hides addresses (kptr_restrict 2, perf_event_paranoid 3): BPF programs can't be used, and functions have no names [sudo sysctl kernel.kptr_restrict=1]");
	add_file(&machine, "/proc/sys/kernel/kptr_restrict", "1\n");
	assert_finds(
		check_kallsyms, &machine,
		"note: hides addresses (kptr_restrict 1, perf_event_paranoid 3): BPF programs can't be used, and functions have no names [sudo kmemtrace-user doctor]");
	add_file(&machine, "/proc/kallsyms",
		 "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\n");
	assert_finds(check_kallsyms, &machine,
		     "ok: shows addresses (kptr_restrict 1, perf_event_paranoid 3)");
}

/* All topics are listed, whatever the machine lacks. */
static void test_all(void)
{
	g_auto(Machine) machine = new_machine();
	g_autoptr(GArray) findings = doctor_examine(&machine);
	g_autofree char *json = NULL;
	DoctorSource source = { "bpf", TRUE, NULL, (char *)"a\033b: \"why\"" };
	g_autoptr(GArray) sources = g_array_new(FALSE, FALSE, sizeof(source));

	g_assert_cmpuint(findings->len, >=, 11);
	g_assert_null(doctor_chosen(sources));
	g_array_append_val(sources, source);
	g_assert_cmpstr(doctor_chosen(sources)->name, ==, "bpf");
	json = doctor_to_json(sources, findings);
	g_assert_nonnull(strstr(json, "\"record_uses\" : \"bpf\""));
	g_assert_nonnull(strstr(json, "\"unseen\" : \"a\\u001bb: \\\"why\\\"\""));
	g_assert_nonnull(strstr(json, "\"topic\" : \"disk\""));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/doctor/kernel", test_kernel);
	g_test_add_func("/doctor/options", test_options);
	g_test_add_func("/doctor/btf", test_btf);
	g_test_add_func("/doctor/module", test_module);
	g_test_add_func("/doctor/folder-of-others", test_folder_of_others);
	g_test_add_func("/doctor/signature", test_signature);
	g_test_add_func("/doctor/mounts", test_mounts);
	g_test_add_func("/doctor/kallsyms", test_kallsyms);
	g_test_add_func("/doctor/all", test_all);
	return g_test_run();
}
