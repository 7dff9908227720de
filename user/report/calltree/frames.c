// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/calltree/frames.h"

#include <string.h>

#include "base/glob.h"
#include "base/seed.h"
#include "report/groups/subsystem.h"
#include "symbols/debugfile.h"
#include "symbols/symbols.h"
#include "trace/file/reader.h"

#define KERNEL "[kernel]"

typedef struct {
	char *function; /* without compiler suffixes; "[module]" for a module */
	char *module;   /* NULL: the kernel */
	char *raw;      /* of an inlined function, its name in the debug file */
	CallPlace place;
	gboolean allocator;
	gboolean no_subsystem; /* a kernel function of unknown subsystem */
	guint32 module_frame;
} Frame;

struct CallFrames {
	GArray *frames;     /* of Frame */
	GHashTable *by_key; /* "function module place" to frame */
	GArray *addrs;      /* of CallAddr, by number - 1 */
	GArray *stacks;     /* of CallStack, by number - 1 */
	guint32 user_addrs,
		user_stacks; /* number of kernel addresses and stacks, which come first in both */
	guint32 all_user_stacks; /* number of nodes of user stacks */
	GHashTable *joined;      /* gint64: a kernel and a user stack to their joined number */
};

/* ---- frames ---- */

static void clear_frame(gpointer data)
{
	Frame *frame = data;

	g_free(frame->function);
	g_free(frame->module);
	g_free(frame->raw);
	g_free((char *)frame->place.file);
}

static void clear_addr(gpointer data)
{
	CallAddr *addr = data;

	g_free(addr->raw);
	g_clear_pointer(&addr->inlined, g_array_unref);
}

static Frame *frame_at(const CallFrames *names, guint32 frame)
{
	return &g_array_index(names->frames, Frame, frame);
}

/* Takes over @function. */
static guint32 add_frame(CallFrames *names, char *function, const char *module,
			 const CallPlace *place)
{
	g_autofree char *key = g_strdup_printf("%s\n%s\n%s\n%u\n%d", function, module ?: "",
					       place->file ?: "", place->line, place->inlined);
	guint32 found = GPOINTER_TO_UINT(g_hash_table_lookup(names->by_key, key));
	Frame frame = { .function = function, .place = *place };

	if (found) {
		g_free(function);
		return found;
	}
	frame.module = g_strdup(module);
	frame.place.file = g_strdup(place->file);
	g_array_append_val(names->frames, frame);
	found = names->frames->len - 1;
	g_hash_table_insert(names->by_key, g_steal_pointer(&key), GUINT_TO_POINTER(found));
	return found;
}

/* Adds a frame that is not a function, as a module of its own. */
static guint32 add_special(CallFrames *names, const char *name)
{
	guint32 frame = add_frame(names, g_strdup(name), NULL, &(CallPlace){ NULL });

	frame_at(names, frame)->module_frame = frame;
	return frame;
}

static guint32 add_bracketed(CallFrames *names, const char *name)
{
	g_autofree char *text = g_strdup_printf("[%s]", name);

	return add_special(names, text);
}

static guint32 add_function(CallFrames *names, const char *raw, const char *module,
			    const CallPlace *place, gboolean allocator)
{
	guint32 frame = add_frame(names, symbols_plain_name(raw), module, place);
	guint32 of;

	if (frame_at(names, frame)->module_frame)
		return frame;
	of = module ? add_bracketed(names, module) : add_special(names, KERNEL);
	frame_at(names, frame)->raw = place->inlined ? g_strdup(raw) : NULL;
	frame_at(names, frame)->allocator = allocator;
	frame_at(names, frame)->module_frame = of;
	return frame;
}

/* ---- reading the database ---- */

static gboolean call_frames_fail(const char *table, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
		    "the table %s is invalid: its rows are not sorted", table);
	return FALSE;
}

/* Columns of calls_frames.sql. */
enum { FRAME_ID, FRAME_FUNCTION, FRAME_MODULE, FRAME_ALLOCATOR, FRAME_ADDR, FRAME_START };

static gboolean take_frame(CallFrames *names, StoreRows *rows, GError **error)
{
	const char *raw = store_rows_raw(rows, FRAME_FUNCTION);
	gboolean kernel = store_rows_type(rows, FRAME_MODULE) == STORE_NULL;
	CallAddr addr = {
		.raw = g_strdup(raw),
		.addr = (guint64)store_rows_int(rows, FRAME_ADDR),
		.start = (guint64)store_rows_int(rows, FRAME_START),
	};

	if (addr.addr == TRACE_STACK_CUT) {
		addr.frame = add_special(names, raw);
		addr.start = 0;
	} else {
		addr.frame = add_function(
			names, raw, kernel ? NULL : store_rows_raw(rows, FRAME_MODULE),
			&(CallPlace){ NULL }, store_rows_int(rows, FRAME_ALLOCATOR) != 0);
	}
	addr.function = addr.frame;
	addr.subsystem = frame_at(names, addr.frame)->module_frame;
	g_array_append_val(names->addrs, addr);
	return store_rows_int(rows, FRAME_ID) == names->addrs->len ||
	       call_frames_fail("frame", error);
}

/* Columns of calls_stacks.sql. */
enum { STACK_ID, STACK_PARENT, STACK_FRAME };

static gboolean take_stack(CallFrames *names, StoreRows *rows, GError **error)
{
	gint64 id = store_rows_int(rows, STACK_ID), parent = store_rows_int(rows, STACK_PARENT);
	gint64 addr = store_rows_int(rows, STACK_FRAME);
	CallStack stack = { .parent = parent, .addr = addr };

	if (id != (gint64)names->stacks->len + 1 || parent < 0 || parent >= id || addr < 1 ||
	    addr > names->addrs->len)
		return call_frames_fail("stack", error);
	g_array_append_val(names->stacks, stack);
	return TRUE;
}

/* Columns of calls_user_frames.sql. */
enum { USER_FRAME_ID, USER_FRAME_FUNCTION, USER_FRAME_FILE };

/*
 * Adds a frame of a program or library, which is a module of its own. All unnamed addresses in it
 * are one frame.
 */
static gboolean take_user_frame(CallFrames *names, StoreRows *rows, GError **error)
{
	gboolean named = store_rows_type(rows, USER_FRAME_FUNCTION) != STORE_NULL;
	gboolean placed = store_rows_type(rows, USER_FRAME_FILE) != STORE_NULL;
	const char *raw = named ? store_rows_raw(rows, USER_FRAME_FUNCTION) : "(unknown)";
	g_autofree char *module = g_path_get_basename(store_rows_raw(rows, USER_FRAME_FILE));
	CallAddr addr = { .raw = g_strdup(raw), .frame = CALLNAMES_UNKNOWN };

	if (placed)
		addr.frame = add_function(names, raw, module, &(CallPlace){ NULL }, FALSE);
	else if (named) /* cut */
		addr.frame = add_special(names, raw);
	addr.function = addr.frame;
	addr.subsystem = frame_at(names, addr.frame)->module_frame;
	g_array_append_val(names->addrs, addr);
	return store_rows_int(rows, USER_FRAME_ID) == names->addrs->len - names->user_addrs ||
	       call_frames_fail("user_frame", error);
}

static gboolean take_user_stack(CallFrames *names, StoreRows *rows, GError **error)
{
	gint64 id = store_rows_int(rows, STACK_ID), parent = store_rows_int(rows, STACK_PARENT);
	gint64 addr = store_rows_int(rows, STACK_FRAME);
	guint32 before = names->user_stacks;
	CallStack stack = {
		.parent = parent ? before + parent : 0,
		.addr = names->user_addrs + addr,
	};

	if (id != (gint64)(names->stacks->len - before) + 1 || parent < 0 || parent >= id ||
	    addr < 1 || addr > names->addrs->len - names->user_addrs)
		return call_frames_fail("user_stack", error);
	g_array_append_val(names->stacks, stack);
	return TRUE;
}

static gboolean read_all(CallFrames *names, StoreDb *db, const char *query,
			 gboolean (*take)(CallFrames *names, StoreRows *rows, GError **error),
			 GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, query, NULL, error);

	while (store_rows_next(rows)) {
		if (!take(names, rows, error))
			return FALSE;
	}
	return store_rows_done(rows, error);
}

CallFrames *call_frames_read(StoreDb *db, GError **error)
{
	g_autoptr(CallFrames) names = g_new0(CallFrames, 1);

	names->frames = g_array_new(FALSE, TRUE, sizeof(Frame));
	g_array_set_clear_func(names->frames, clear_frame);
	names->addrs = g_array_new(FALSE, TRUE, sizeof(CallAddr));
	g_array_set_clear_func(names->addrs, clear_addr);
	names->stacks = g_array_new(FALSE, TRUE, sizeof(CallStack));
	names->by_key = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	add_special(names, "everything");
	add_special(names, "(no stack)");
	add_special(names, "(unknown)");
	add_special(names, "(unknown subsystem)");
	if (!read_all(names, db, "calls_frames", take_frame, error) ||
	    !read_all(names, db, "calls_stacks", take_stack, error))
		return NULL;
	names->user_addrs = names->addrs->len;
	names->user_stacks = names->stacks->len;
	names->joined = g_hash_table_new_full(seed_int64, g_int64_equal, g_free, NULL);
	if (!read_all(names, db, "calls_user_frames", take_user_frame, error) ||
	    !read_all(names, db, "calls_user_stacks", take_user_stack, error))
		return NULL;
	names->all_user_stacks = names->stacks->len - names->user_stacks;
	return g_steal_pointer(&names);
}

/* Joins node by node: common outer parts of two stacks stay common after @user. */
static guint32 join(CallFrames *names, guint32 stack, guint32 user)
{
	gint64 key = (gint64)stack << 32 | user;
	guint32 joined = GPOINTER_TO_UINT(g_hash_table_lookup(names->joined, &key));
	CallStack node;

	if (!stack)
		return names->user_stacks + user;
	if (joined)
		return joined;
	node = *call_frames_stack(names, stack);
	node.parent = join(names, node.parent, user);
	g_array_append_val(names->stacks, node);
	g_hash_table_insert(names->joined, g_memdup2(&key, sizeof(key)),
			    GUINT_TO_POINTER(names->stacks->len));
	return names->stacks->len;
}

gint64 call_frames_join(CallFrames *names, gint64 stack, gint64 user)
{
	if (user < 1 || user > names->all_user_stacks || stack < 0 || stack > names->user_stacks)
		return stack;
	return join(names, stack, user);
}

void call_frames_free(CallFrames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->by_key);
	g_clear_pointer(&names->joined, g_hash_table_unref);
	g_array_unref(names->frames);
	g_array_unref(names->addrs);
	g_array_unref(names->stacks);
	g_free(names);
}

/* ---- debug information ---- */

static const GPtrArray *find_lines(const CallFrames *names, StoreDb *db, const CallAddr *addr)
{
	Symbol symbol = { .name = addr->raw,
			  .start = addr->start,
			  .module = frame_at(names, addr->function)->module };

	return addr->start ? store_find_lines(db, &symbol, addr->addr) : NULL;
}

static void add_inlined(CallFrames *names, CallAddr *addr, const DebugLine *line)
{
	const char *name = line->function ? line->function : "?";
	g_autofree char *module = g_strdup(frame_at(names, addr->function)->module);
	const CallPlace place = { line->file, line->line, TRUE };
	/* An inlined function of a module with an allocator's name is from the kernel's headers. */
	guint32 frame = add_function(names, name, module, &place, symbols_is_allocator(name, NULL));

	if (!addr->inlined)
		addr->inlined = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_array_append_val(addr->inlined, frame);
}

static void set_subsystem(CallFrames *names, CallAddr *addr, const char *file, const char *root)
{
	Frame *function = frame_at(names, addr->function);
	gboolean module = function->module != NULL;
	g_autofree char *subsystem = file ? subsystem_of(file, root, module) : NULL;

	if (subsystem) {
		addr->subsystem = add_bracketed(names, subsystem);
	} else if (!module) {
		addr->subsystem = CALLNAMES_NO_SUBSYSTEM;
		function->no_subsystem = TRUE;
	}
}

/* Returns the line of the function itself. */
static const DebugLine *last_line(const GPtrArray *found)
{
	return found && found->len ? g_ptr_array_index(found, found->len - 1) : NULL;
}

static void add_lines(CallFrames *names, CallAddr *addr, const GPtrArray *found, const char *root)
{
	g_autofree char *module = g_strdup(frame_at(names, addr->function)->module);
	const DebugLine *line = last_line(found);

	set_subsystem(names, addr, line ? line->file : NULL, root);
	for (guint i = 0; line && i + 1 < found->len; i++)
		add_inlined(names, addr, g_ptr_array_index(found, i));
	if (line && line->file)
		addr->frame = add_function(names, addr->raw, module,
					   &(CallPlace){ line->file, line->line, FALSE },
					   call_frames_is_allocator(names, addr->function));
}

/* Returns the root of the kernel's source; NULL: unknown. For g_free(). */
static char *find_root(const CallFrames *names, StoreDb *db, const gboolean *wanted)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

	for (guint32 i = 1; i <= names->addrs->len; i++) {
		const CallAddr *addr = call_frames_addr(names, i);
		const DebugLine *line = wanted[i] ? last_line(find_lines(names, db, addr)) : NULL;

		if (line && line->file && !frame_at(names, addr->function)->module)
			g_ptr_array_add(files, g_strdup(line->file));
	}
	return subsystem_root(files);
}

/*
 * Looks up twice: a file may turn out to be of another build at any of its addresses, and then all
 * of its lines are dropped. The second time, results are cached.
 */
void call_frames_add_lines(CallFrames *names, StoreDb *db, const gboolean *wanted)
{
	g_autofree char *root = NULL;

	if (!store_has_lines(db))
		return;
	root = find_root(names, db, wanted);
	for (guint32 i = 1; i <= names->user_addrs; i++) {
		CallAddr *addr = &g_array_index(names->addrs, CallAddr, i - 1);

		if (wanted[i])
			add_lines(names, addr, find_lines(names, db, addr), root);
	}
}

guint32 call_frames_unknown_subsystems(const CallFrames *names)
{
	guint32 count = 0;

	for (guint32 i = 0; i < names->frames->len; i++)
		count += frame_at(names, i)->no_subsystem;
	return count;
}

const CallAddr *call_frames_addr(const CallFrames *names, gint64 addr)
{
	return addr < 1 || addr > names->addrs->len
		       ? NULL
		       : &g_array_index(names->addrs, CallAddr, addr - 1);
}

const CallStack *call_frames_stack(const CallFrames *names, gint64 stack)
{
	return stack < 1 || stack > names->stacks->len
		       ? NULL
		       : &g_array_index(names->stacks, CallStack, stack - 1);
}

guint32 call_frames_addrs(const CallFrames *names)
{
	return names->addrs->len;
}

guint32 call_frames_stacks(const CallFrames *names)
{
	return names->stacks->len;
}

guint32 call_frames_kernel_stacks(const CallFrames *names)
{
	return names->user_stacks;
}

guint32 call_frames_frame(const CallFrames *names, gint64 addr)
{
	const CallAddr *found = call_frames_addr(names, addr);

	return found ? found->frame : CALLNAMES_UNKNOWN;
}

guint32 call_frames_frames(const CallFrames *names)
{
	return names->frames->len - 1;
}

const char *call_frames_function(const CallFrames *names, guint32 frame)
{
	return frame_at(names, frame)->function;
}

const char *call_frames_module(const CallFrames *names, guint32 frame)
{
	return frame_at(names, frame)->module;
}

const CallPlace *call_frames_place(const CallFrames *names, guint32 frame)
{
	return &frame_at(names, frame)->place;
}

gboolean call_frames_is_allocator(const CallFrames *names, guint32 frame)
{
	return frame_at(names, frame)->allocator;
}

guint32 call_frames_module_frame(const CallFrames *names, guint32 frame)
{
	return frame_at(names, frame)->module_frame;
}

/* ---- matching expressions ---- */

gboolean call_frames_fits(const CallFrames *names, GPatternSpec *pattern, guint32 addr)
{
	const CallAddr *found = call_frames_addr(names, addr);

	return glob_matches(pattern, found->raw) ||
	       glob_matches(pattern, call_frames_function(names, found->frame));
}

gboolean call_frames_fits_inlined(const CallFrames *names, GPatternSpec *pattern, guint32 frame)
{
	const Frame *inlined = frame_at(names, frame);

	return inlined->raw &&
	       (glob_matches(pattern, inlined->raw) || glob_matches(pattern, inlined->function));
}

static guint64 match_inlined(const CallFrames *names, const StackExpr *expr, const GArray *inlined)
{
	guint64 fits = 0;

	for (guint i = 0; inlined && i < inlined->len; i++) {
		const Frame *frame = frame_at(names, g_array_index(inlined, guint32, i));

		fits |= stackexpr_raw_names(expr, frame->raw) |
			stackexpr_names(expr, frame->function);
	}
	return fits;
}

guint64 call_frames_match_addr(const CallFrames *names, const StackExpr *expr, gint64 addr)
{
	const CallAddr *found = call_frames_addr(names, addr);
	const Frame *frame = found ? frame_at(names, found->frame) : NULL;

	if (!frame)
		return 0;
	return stackexpr_raw_names(expr, found->raw) | stackexpr_names(expr, frame->function) |
	       stackexpr_names(expr, call_frames_function(names, frame->module_frame)) |
	       stackexpr_names(expr, call_frames_function(names, found->subsystem)) |
	       match_inlined(names, expr, found->inlined);
}

guint64 *call_frames_match(const CallFrames *names, const StackExpr *expr)
{
	g_autofree guint64 *addrs = g_new0(guint64, (gsize)names->addrs->len + 1);
	guint64 *stacks = g_new0(guint64, (gsize)names->stacks->len + 1);

	for (guint32 i = 1; i <= names->addrs->len; i++)
		addrs[i] = call_frames_match_addr(names, expr, i);
	for (guint32 i = 1; i <= names->stacks->len; i++) {
		const CallStack *stack = call_frames_stack(names, i);

		stacks[i] = stacks[stack->parent] | addrs[stack->addr];
	}
	return stacks;
}
