// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory limits of control groups, in folders that look like the kernel's. */
#include <glib.h>
#include <glib/gstdio.h>

#include "base/cgroup.h"

#define GROUPS	"sys/fs/cgroup"

static char *root;

static void put(const char *path, const char *text)
{
	g_autofree char *file = g_build_filename(root, path, NULL);
	g_autofree char *folder = g_path_get_dirname(file);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(file, text, -1, NULL));
}

static void setup(void)
{
	root = g_dir_make_tmp("kmt-XXXXXX", NULL);
	g_assert_nonnull(root);
}

static void remove_all(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *entry = g_build_filename(path, name, NULL);

		remove_all(entry);
	}
	g_assert_cmpint(g_remove(path), ==, 0);
}

static void teardown(void)
{
	remove_all(root);
	g_clear_pointer(&root, g_free);
}

static void check_limit(guint64 expected)
{
	g_assert_cmpuint(cgroup_memory_limit(root), ==, expected);
}

static void lowest_limit_of_all_levels_holds(void)
{
	setup();
	check_limit(G_MAXUINT64);
	put("proc/self/cgroup", "0::/a.slice/b.scope\n");
	check_limit(G_MAXUINT64);
	put(GROUPS "/a.slice/b.scope/memory.max", "max\n");
	put(GROUPS "/a.slice/b.scope/memory.high", "max\n");
	put(GROUPS "/a.slice/memory.max", "3000000\n");
	check_limit(3000000);
	put(GROUPS "/a.slice/b.scope/memory.high", "2000000\n");
	check_limit(2000000);
	put(GROUPS "/a.slice/b.scope/memory.max", "1000000\n");
	check_limit(1000000);
	teardown();
}

static void limit_of_version_1_is_read(void)
{
	setup();
	put("proc/self/cgroup", "9:name=systemd:/x\n4:cpu,memory:/one/two:three\n1:cpuset:/x\n0::/\n");
	put(GROUPS "/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put(GROUPS "/memory/one/two:three/memory.limit_in_bytes", "5000000\n");
	check_limit(5000000);
	put(GROUPS "/memory/one/memory.limit_in_bytes", "4000000\n");
	check_limit(4000000);
	teardown();
}

/* The path belongs to the host, or is above the namespace. */
static void limit_of_container_is_read(void)
{
	setup();
	put("proc/self/cgroup", "0::/../../x\n");
	put(GROUPS "/memory.max", "7000000\n");
	put("sys/x/memory.max", "1\n");
	put("x/memory.max", "1\n");
	check_limit(7000000);
	put("proc/self/cgroup", "4:memory:/docker/0123\n");
	put(GROUPS "/memory/memory.limit_in_bytes", "6000000\n");
	check_limit(6000000);
	teardown();
}

static void malformed_limits_are_ignored(void)
{
	setup();
	put("proc/self/cgroup", "\n0\n0:\n:::\n0::/x\n");
	put(GROUPS "/x/memory.max", "-1\n");
	put(GROUPS "/x/memory.high", "12 13\n");
	check_limit(G_MAXUINT64);
	teardown();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add_func("/cgroup/" #test, test)
	ADD(lowest_limit_of_all_levels_holds);
	ADD(limit_of_version_1_is_read);
	ADD(limit_of_container_is_read);
	ADD(malformed_limits_are_ignored);
	return g_test_run();
}
