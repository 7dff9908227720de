/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps kernel addresses to names, by the kallsyms and modules texts of a trace.
 */
#ifndef KMT_SYMBOLS_SYMBOLS_H
#define KMT_SYMBOLS_SYMBOLS_H

#include <glib.h>

#define SYMBOLS_MODULE_MAX 255 /* bytes of a module's name; MODULE_NAME_LEN is 64 or less */

typedef struct Symbols Symbols;

typedef struct {
	const char *name;   /* owned by the Symbols */
	const char *module; /* NULL: the kernel itself */
	guint64 start;      /* address of the symbol's first byte */
	guint64 offset;     /* of the address in it, bytes */
} Symbol;

/*
 * @kallsyms: text of /proc/kallsyms; @modules: text of /proc/modules, NULL if there is none.
 * Invalid lines are skipped and counted. Never NULL.
 */
Symbols *symbols_new(const char *kallsyms, const char *modules);
void symbols_free(Symbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Symbols, symbols_free)

/*
 * Looks up @addr as a return address: finds the symbol with the byte before it, since a call may be
 * the last instruction of a function. The first byte of a trampoline that other tracers put in the
 * place of a return address belongs to the trampoline. FALSE if no symbol covers it.
 */
gboolean symbols_resolve(const Symbols *symbols, guint64 addr, Symbol *out);

/*
 * Looks up @addr as symbols_resolve() does, in the symbols at the end and at the start of a trace;
 * either may be NULL. The end has precedence: only it has modules that were loaded meanwhile.
 * Code that the kernel generated, such as a BPF program, may have been replaced by other code: it
 * has a name only if both agree. @module: NULL, or the only module whose symbols are used.
 */
gboolean symbols_resolve_both(const Symbols *end, const Symbols *start, guint64 addr,
			      const char *module, Symbol *out);

/*
 * Returns whether the function @name replaces return addresses, for kretprobes or function graph
 * tracing. It is never called, so its first byte is not a return address into the function before.
 */
gboolean symbols_replaces_returns(const char *name);

/*
 * Returns whether @addr, which has no name, is probably in a BPF trampoline, which some tool has
 * put between a function and its caller: their lengths are unknown. @symbols: NULL is allowed.
 */
gboolean symbols_is_trampoline(const Symbols *symbols, guint64 addr);

/*
 * Sets the lengths of the functions of BPF programs, and forgets those loaded after @time_ns:
 * before that, others may have been at their places. @programs: lines "load_ns address bytes".
 * @later: the same at the end of the trace, so that those which are not in it are forgotten; NULL:
 * all are. Returns the number of invalid lines.
 */
guint64 symbols_set_programs(Symbols *symbols, const char *programs, const char *later,
			     guint64 time_ns);

/*
 * Returns @name without the suffixes of compilers and the allocation profiler (".isra.0",
 * ".constprop.0", ".part.0", ".llvm.1", ".cold", "_noprof"), which differ from one build to the
 * next. For g_free().
 */
char *symbols_plain_name(const char *name);

/*
 * Returns TRUE if @name is a function of the allocators: not the caller that a user looks for.
 * @module, as in all functions below: the module of the function, as in Symbol; NULL: the kernel
 * itself. A module's own function with such a name is not an allocator, but its copy of a header's
 * inline function is.
 */
gboolean symbols_is_allocator(const char *name, const char *module);

/*
 * The same for page events. A function that fills or flushes a sheaf (the slab allocator's array of
 * free objects) is the caller for the array, which a cache keeps. It is not the caller for the
 * pages of slabs that it allocates and frees meanwhile.
 */
gboolean symbols_is_page_allocator(const char *name, const char *module);

/* Returns TRUE if the slab allocator allocates its pages with the function @name. */
gboolean symbols_is_slab_backing(const char *name, const char *module);

/* Returns TRUE if the per-CPU allocator allocates and frees its chunks with the function @name. */
gboolean symbols_is_percpu_backing(const char *name, const char *module);

/* Returns TRUE if the tracer may have a BPF program at the end of @name. */
gboolean symbols_has_bpf_exit(const char *name, const char *module);

/* Returns TRUE if the memory that @name frees, pages or areas, was allocated without an event. */
gboolean symbols_is_page_taker(const char *name, const char *module);

/* Returns the address of _stext, where the kernel's text begins; 0: unknown. */
guint64 symbols_kernel_start(const Symbols *symbols);

guint64 symbols_skipped_lines(const Symbols *symbols);

#endif
