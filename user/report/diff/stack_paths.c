// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff/stack_paths.h"

#include <string.h>

#include "base/seed.h"

typedef struct {
	guint caller; /* path of the outer functions; 0: none */
	guint name;   /* number of the name of the innermost */
} Path;

struct StackPaths {
	GPtrArray *names;      /* by number */
	GHashTable *numbers;   /* name to number */
	GArray *paths;         /* of Path, by number; the first one is unused */
	GHashTable *found;     /* Path, as a number, to its number */
	GHashTable *of_stacks; /* a stack of this trace to its path */
	const StableNames *trace;
};

static GHashTable *new_table(void)
{
	return g_hash_table_new_full(seed_int64, g_int64_equal, g_free, NULL);
}

StackPaths *stack_paths_new(void)
{
	StackPaths *paths = g_new0(StackPaths, 1);

	paths->names = g_ptr_array_new_with_free_func(g_free);
	paths->numbers = g_hash_table_new(seed_text, g_str_equal);
	paths->paths = g_array_new(FALSE, TRUE, sizeof(Path));
	g_array_set_size(paths->paths, 1);
	paths->found = new_table();
	paths->of_stacks = new_table();
	return paths;
}

void stack_paths_free(StackPaths *paths)
{
	if (!paths)
		return;
	g_ptr_array_unref(paths->names);
	g_hash_table_unref(paths->numbers);
	g_array_unref(paths->paths);
	g_hash_table_unref(paths->found);
	g_hash_table_unref(paths->of_stacks);
	g_free(paths);
}

void stack_paths_begin(StackPaths *paths, const StableNames *names)
{
	paths->trace = names;
	g_hash_table_remove_all(paths->of_stacks);
}

static guint number_of(StackPaths *paths, const char *name)
{
	gpointer number;

	if (g_hash_table_lookup_extended(paths->numbers, name, NULL, &number))
		return GPOINTER_TO_UINT(number);
	g_ptr_array_add(paths->names, g_strdup(name));
	g_hash_table_insert(paths->numbers, paths->names->pdata[paths->names->len - 1],
			    GUINT_TO_POINTER(paths->names->len - 1));
	return paths->names->len - 1;
}

static guint find_path(StackPaths *paths, guint caller, const char *name)
{
	Path path = { caller, number_of(paths, name) };
	gint64 key = (gint64)((guint64)path.caller << 32 | path.name);
	gpointer number;

	if (g_hash_table_lookup_extended(paths->found, &key, NULL, &number))
		return GPOINTER_TO_UINT(number);
	g_array_append_val(paths->paths, path);
	g_hash_table_insert(paths->found, seed_key(key), GUINT_TO_POINTER(paths->paths->len - 1));
	return paths->paths->len - 1;
}

guint stack_paths_add(StackPaths *paths, gint64 stack)
{
	gint64 stacks[STABLE_NAMES_DEPTH], frames[STABLE_NAMES_DEPTH];
	guint depth = 0, path = 0;

	while (depth < STABLE_NAMES_DEPTH) {
		path = GPOINTER_TO_UINT(g_hash_table_lookup(paths->of_stacks, &stack));
		stacks[depth] = stack;
		if (path || !stable_names_step(paths->trace, stack, &frames[depth], &stack))
			break;
		depth++;
	}
	while (depth--) {
		path = find_path(paths, path, stable_names_function(paths->trace, frames[depth]));
		g_hash_table_insert(paths->of_stacks, seed_key(stacks[depth]),
				    GUINT_TO_POINTER(path));
	}
	return path;
}

static const Path *path_at(const StackPaths *paths, guint path)
{
	return &g_array_index(paths->paths, Path, path);
}

static const char *name_at(const StackPaths *paths, guint path)
{
	return paths->names->pdata[path_at(paths, path)->name];
}

char *stack_paths_text(const StackPaths *paths, guint path)
{
	GString *text = g_string_new(path ? NULL : "(no stack)");

	for (guint at = path; at; at = path_at(paths, at)->caller)
		g_string_append_printf(text, "%s%s", at == path ? "" : " < ", name_at(paths, at));
	return g_string_free(text, FALSE);
}

int stack_paths_compare(const StackPaths *paths, guint a, guint b)
{
	while (a && b && a != b) {
		int result = strcmp(name_at(paths, a), name_at(paths, b));

		if (result)
			return result;
		a = path_at(paths, a)->caller;
		b = path_at(paths, b)->caller;
	}
	return a == b ? 0 : a ? 1 : -1;
}
