// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/lines.h"

#include <string.h>

#include "base/message.h"
#include "base/seed.h"
#include "symbols/debuginfod.h"

/* The kernel or a module. */
typedef struct {
	char *name; /* NULL: the kernel */
	gboolean is_searched;
	DebugFile *file;    /* NULL: none */
	gboolean is_sure;   /* its build id is that in the trace */
	gboolean may_move;  /* a module without other builds in the trace */
	GHashTable *slides; /* section to gint64 *: traced address minus the file's */
} Binary;

typedef struct {
	const Binary *binary;
	guint64 start, addr;
} Key;

struct Lines {
	DebugPlaces places; /* owns the texts */
	DebugIndex *index;
	char *release; /* NULL: unknown */
	guint64 start;
	BuildIds *ids;
	Binary *kernel;
	GHashTable *modules; /* name to Binary */
	GHashTable *found;   /* Key to GPtrArray; NULL: no result */
};

static Binary *binary_new(const char *name)
{
	Binary *binary = g_new0(Binary, 1);

	binary->name = g_strdup(name);
	binary->slides = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	return binary;
}

static void binary_free(gpointer data)
{
	Binary *binary = data;

	debugfile_close(binary->file);
	g_hash_table_unref(binary->slides);
	g_free(binary->name);
	g_free(binary);
}

static guint hash_key(gconstpointer data)
{
	const Key *key = data;

	return seed_int64(&key->addr) ^ (guint)seed_mix(key->start, 1);
}

static gboolean same_key(gconstpointer a, gconstpointer b)
{
	const Key *x = a, *y = b;

	return x->binary == y->binary && x->start == y->start && x->addr == y->addr;
}

static void free_found(gpointer found)
{
	if (found)
		g_ptr_array_unref(found);
}

Lines *lines_new(const DebugPlaces *places, const char *release, guint64 start, BuildIds *ids)
{
	Lines *lines = g_new0(Lines, 1);

	lines->places = (DebugPlaces){ g_strdup(places->vmlinux), g_strdup(places->symfs) };
	lines->index = debugindex_new(places, release);
	lines->release = g_strdup(release);
	lines->start = start;
	lines->ids = ids;
	lines->kernel = binary_new(NULL);
	lines->modules = g_hash_table_new_full(seed_text, g_str_equal, NULL, binary_free);
	lines->found = g_hash_table_new_full(hash_key, same_key, g_free, free_found);
	return lines;
}

void lines_free(Lines *lines)
{
	if (!lines)
		return;
	g_hash_table_unref(lines->found);
	g_hash_table_unref(lines->modules);
	binary_free(lines->kernel);
	buildids_free(lines->ids);
	debugindex_free(lines->index);
	g_free((char *)lines->places.vmlinux);
	g_free((char *)lines->places.symfs);
	g_free(lines->release);
	g_free(lines);
}

/* ---- the file of a binary ---- */

static const char *shown_name(const Binary *binary)
{
	return binary->name ? binary->name : "the kernel";
}

/* Returns FALSE with an error if the file is of another build. */
static gboolean check_build(const Lines *lines, Binary *binary, const DebugFile *file,
			    GError **error)
{
	const GPtrArray *ids = buildids_of(lines->ids, binary->name);
	const char *id = debugfile_build_id(file);

	if (!ids || !id)
		return TRUE;
	for (guint i = 0; i < ids->len; i++) {
		if (!strcmp(g_ptr_array_index(ids, i), id)) {
			binary->is_sure = TRUE;
			binary->may_move = binary->name && ids->len == 1;
			return TRUE;
		}
	}
	g_set_error(
		error, SYMBOLS_ERROR, SYMBOLS_ERROR_OTHER,
		"%s is of another build than %s that was traced: its build id is %s, expected %s",
		debugfile_path(file), shown_name(binary), id,
		(const char *)g_ptr_array_index(ids, ids->len - 1));
	return FALSE;
}

static gint64 *slide_of(const Binary *binary, guint section)
{
	return g_hash_table_lookup(binary->slides, GUINT_TO_POINTER(section));
}

static void set_slide(Binary *binary, guint section, gint64 value)
{
	gint64 *slide = g_new(gint64, 1);

	*slide = value;
	g_hash_table_replace(binary->slides, GUINT_TO_POINTER(section), slide);
}

static void use_file(Lines *lines, Binary *binary, DebugFile *file)
{
	const DebugSymbol *start;
	guint count;

	binary->file = file;
	if (binary->name || !lines->start)
		return;
	start = debugfile_find(file, "_stext", &count);
	if (count == 1)
		set_slide(binary, start->section, (gint64)(lines->start - start->addr));
}

static gboolean try_file(Lines *lines, Binary *binary, const char *path, GError **error)
{
	g_autoptr(DebugFile) file = debugfile_open(path, error);

	if (!file || !check_build(lines, binary, file, error))
		return FALSE;
	use_file(lines, binary, g_steal_pointer(&file));
	return TRUE;
}

static gboolean try_servers(Lines *lines, Binary *binary)
{
	const GPtrArray *ids = buildids_of(lines->ids, binary->name);

	for (guint i = 0; ids && i < ids->len; i++) {
		g_autofree char *path = debuginfod_download(g_ptr_array_index(ids, i));

		if (path && try_file(lines, binary, path, NULL))
			return TRUE;
	}
	return FALSE;
}

/* Recognizes "6.1.0-30-amd64", "6.12.9+bpo-arm64", "6.1.0-30-rt-amd64" by their end. */
static gboolean is_debian(const char *release)
{
	static const char *const endings[] = {
		"-amd64",      "-arm64",       "-armmp",   "-armmp-lpae", "-686",
		"-686-pae",    "-powerpc64le", "-riscv64", "-s390x",      "-rpi",
		"-loongson-3", "-mips64r2el",  "-loong64",
	};

	for (guint i = 0; release && i < G_N_ELEMENTS(endings); i++) {
		if (g_str_has_suffix(release, endings[i]))
			return TRUE;
	}
	return FALSE;
}

/* Returns other sources of the kernel's file: "; …", or "". For g_free(). */
static char *other_ways(const Lines *lines)
{
	g_autofree char *package = NULL;
	const char *servers;

	if (is_debian(lines->release))
		package =
			g_strdup_printf("; Debian's package is linux-image-%s-dbg", lines->release);
	servers = debuginfod_is_set() ? "; DEBUGINFOD_URLS is set, but it returned nothing" : "";
	return g_strconcat(package ? package : "", servers, NULL);
}

static void set_missing(const Lines *lines, const Binary *binary, GError **error)
{
	const char *release = lines->release ? lines->release : "of unknown release";
	g_autofree char *ways = other_ways(lines);
	g_autofree char *where =
		g_strconcat(lines->places.symfs ? " below " : "",
			    lines->places.symfs ? lines->places.symfs
						: " in /usr/lib/debug, /boot and /lib/modules",
			    NULL);

	if (binary->name)
		g_set_error(
			error, SYMBOLS_ERROR, SYMBOLS_ERROR_FAILED,
			"no debug file of module %s for kernel %s%s: its functions have no lines",
			binary->name, release, where);
	else
		g_set_error(error, SYMBOLS_ERROR, SYMBOLS_ERROR_FAILED,
			    "no debug file of kernel %s%s: use --vmlinux FILE or --symfs DIR%s",
			    release, where, ways);
}

/*
 * Keeps the first error, but not for stripped files of the distribution, which are not debug files.
 */
static void keep_first(const Lines *lines, GError **first, GError *error)
{
	gboolean is_named = lines->places.vmlinux || lines->places.symfs;

	if (!*first && (is_named || g_error_matches(error, SYMBOLS_ERROR, SYMBOLS_ERROR_OTHER)))
		*first = g_error_copy(error);
}

/* Opens the first usable file. Returns FALSE with the error of the first unusable one. */
static gboolean search(Lines *lines, Binary *binary, GError **error)
{
	const GPtrArray *ids = buildids_of(lines->ids, binary->name);
	g_autoptr(GPtrArray) files = debugindex_files(lines->index, binary->name, ids);
	gboolean is_named = !binary->name && lines->places.vmlinux;
	g_autoptr(GError) first = NULL;

	binary->is_searched = TRUE;
	for (guint i = 0; i < files->len; i++) {
		g_autoptr(GError) local = NULL;

		if (try_file(lines, binary, g_ptr_array_index(files, i), &local))
			return TRUE;
		keep_first(lines, &first, local);
	}
	if (!is_named && try_servers(lines, binary))
		return TRUE;
	if (first)
		g_propagate_error(error, g_steal_pointer(&first));
	else
		set_missing(lines, binary, error);
	return FALSE;
}

static void search_once(Lines *lines, Binary *binary)
{
	g_autoptr(GError) error = NULL;

	if (!binary->is_searched && !search(lines, binary, &error))
		message("%s", error->message);
}

gboolean lines_check(Lines *lines, GError **error)
{
	const char *symfs = lines->places.symfs;

	if (symfs && !g_file_test(symfs, G_FILE_TEST_IS_DIR)) {
		g_set_error(error, SYMBOLS_ERROR, SYMBOLS_ERROR_FAILED,
			    "%s is not a directory (expected one with debug files)", symfs);
		return FALSE;
	}
	if (symfs && !lines->places.vmlinux)
		return TRUE;
	return search(lines, lines->kernel, error);
}

/* ---- addresses ---- */

/* Rejects a file that turns out to be of another build, and drops earlier results. */
static void refuse(Lines *lines, Binary *binary, const DebugSymbol *symbol, guint64 start,
		   GError **error)
{
	guint64 expected = start - (guint64)*slide_of(binary, symbol->section);

	g_set_error(error, SYMBOLS_ERROR, SYMBOLS_ERROR_OTHER,
		    "%s is of another build than %s that was traced: %s is at 0x%" G_GINT64_MODIFIER
		    "x in it, expected 0x%" G_GINT64_MODIFIER "x",
		    debugfile_path(binary->file), shown_name(binary), symbol->name, symbol->addr,
		    expected);
	g_clear_pointer(&binary->file, debugfile_close);
	g_hash_table_remove_all(lines->found);
}

/*
 * Computes the offset of a function to its address in the file. Of several functions with that
 * name, it is the one with the offset of its section. A module may have been loaded several times,
 * at different addresses. Returns FALSE if unknown, or with an error if the file is rejected.
 */
static gboolean find_slide(Lines *lines, Binary *binary, const Symbol *symbol, gint64 *slide,
			   GError **error)
{
	guint count;
	const DebugSymbol *places = debugfile_find(binary->file, symbol->name, &count);

	for (guint i = 0; i < count; i++) {
		const gint64 *known = slide_of(binary, places[i].section);

		*slide = (gint64)(symbol->start - places[i].addr);
		if (known && *known == *slide)
			return TRUE;
	}
	if (count != 1)
		return FALSE;
	if (!slide_of(binary, places[0].section)) {
		set_slide(binary, places[0].section, *slide);
		return TRUE;
	}
	if (binary->may_move)
		return TRUE;
	if (!binary->is_sure)
		refuse(lines, binary, &places[0], symbol->start, error);
	return FALSE;
}

gboolean lines_verify(Lines *lines, const Symbol *symbol, GError **error)
{
	Binary *binary = lines->kernel;
	GError *local = NULL;
	gint64 slide;

	if (symbol->module || !binary->file || binary->is_sure)
		return TRUE;
	find_slide(lines, binary, symbol, &slide, &local);
	if (local)
		g_propagate_error(error, local);
	return !local;
}

/* Looks up an address as symbols_resolve() does: the call precedes the return address. */
static GPtrArray *look_up(Lines *lines, Binary *binary, const Symbol *symbol, guint64 addr)
{
	g_autoptr(GError) error = NULL;
	gint64 slide;

	if (binary->file && find_slide(lines, binary, symbol, &slide, &error))
		return debugfile_lines(binary->file, addr - 1 - (guint64)slide);
	if (error)
		message("%s", error->message);
	return NULL;
}

static Binary *binary_of(Lines *lines, const char *module)
{
	Binary *binary;

	if (!module)
		return lines->kernel;
	binary = g_hash_table_lookup(lines->modules, module);
	if (!binary) {
		binary = binary_new(module);
		g_hash_table_insert(lines->modules, binary->name, binary);
	}
	return binary;
}

const GPtrArray *lines_find(Lines *lines, const Symbol *symbol, guint64 addr)
{
	Binary *binary = binary_of(lines, symbol->module);
	Key key = { binary, symbol->start, addr };
	gpointer found;

	if (g_hash_table_lookup_extended(lines->found, &key, NULL, &found))
		return found;
	search_once(lines, binary);
	found = look_up(lines, binary, symbol, addr);
	g_hash_table_insert(lines->found, g_memdup2(&key, sizeof(key)), found);
	return found;
}

/* ---- text ---- */

static void append_place(GString *text, const DebugLine *line)
{
	g_string_append(text, line->file);
	if (line->line)
		g_string_append_printf(text, ":%u", line->line);
	else
		g_string_append(text, ":?");
}

static void append_line(GString *text, const DebugLine *line, const char *name, gboolean inlined)
{
	g_string_append_printf(text, "%s%s", text->len ? " < " : "", name ? name : "?");
	if (line->file || inlined)
		g_string_append(text, " (");
	if (line->file)
		append_place(text, line);
	if (inlined)
		g_string_append(text, line->file ? ", inlined" : "inlined");
	if (line->file || inlined)
		g_string_append_c(text, ')');
}

#define INLINED_BYTES 4096 /* of an address, as each printed frame has them */

char *lines_describe(const GPtrArray *found, const char *name)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; found && i < found->len; i++) {
		const DebugLine *line = g_ptr_array_index(found, i);
		gboolean inlined = i + 1 < found->len;

		if (inlined && text->len > INLINED_BYTES) {
			g_string_append(text, " < … (cut)");
			i = found->len - 1;
			line = g_ptr_array_index(found, i);
			inlined = FALSE;
		}
		append_line(text, line, inlined ? line->function : name, inlined);
	}
	if (!text->len)
		g_string_append(text, name);
	return g_string_free(text, FALSE);
}

char *lines_innermost(const GPtrArray *found)
{
	const DebugLine *line = found && found->len ? g_ptr_array_index(found, 0) : NULL;
	GString *text;

	if (!line || !line->file)
		return NULL;
	text = g_string_new(NULL);
	append_place(text, line);
	return g_string_free(text, FALSE);
}
