// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If kallsyms has no variables, this process allocates pages. /proc/self/pagemap has their page
 * frame numbers, and a program notes the addresses of their struct page. The two give the address
 * of the first struct page. The pages also contain a unique word. The address at which that word is
 * read, and the number of its page, give the start of the direct map.
 */
#include "capture/bpf/learn.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/tracer/control_class.h"

#define PAGES        16U
#define ALIGNMENT    (G_GUINT64_CONSTANT(1) << 30) /* of both addresses */
#define LINEAR_TRIES (1U << 20)
#define PFN_MASK     ((G_GUINT64_CONSTANT(1) << 55) - 1) /* of an entry of pagemap */

static gboolean peek_word(const struct bpf_program *peek, struct kmt_bpf_learn *learn, guint64 addr,
			  guint64 *value)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	learn->addr = addr;
	learn->error = -1;
	if (bpf_prog_test_run_opts(bpf_program__fd(peek), &options) || learn->error)
		return FALSE;
	*value = learn->value;
	return TRUE;
}

static gboolean read_variable(const BpfSymbols *symbols, const struct bpf_program *peek,
			      struct kmt_bpf_learn *learn, const char *name, guint64 *value)
{
	guint64 addr = bpf_symbols_find(symbols, name);

	return addr && peek_word(peek, learn, addr, value) && *value;
}

/* ---- pages of this process ---- */

typedef struct {
	guint8 *memory;
	gsize page_size;
	guint64 pfn[PAGES];
	guint64 mark; /* the first word of each page */
} Pages;

static gboolean read_numbers(Pages *pages)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	gboolean fine = fd >= 0;

	for (guint i = 0; fine && i < PAGES; i++) {
		guint64 at = (guint64)(gsize)pages->memory / pages->page_size + i, entry = 0;

		fine = pread(fd, &entry, sizeof(entry), (off_t)(at * sizeof(entry))) ==
			       sizeof(entry) &&
		       entry & PFN_MASK;
		pages->pfn[i] = entry & PFN_MASK;
	}
	if (fd >= 0)
		close(fd);
	return fine;
}

/* Allocates small pages, one after the other. A huge page would have a single struct page. */
static gboolean allocate(Pages *pages)
{
	*pages = (Pages){ .page_size = sysconf(_SC_PAGESIZE) };
	pages->memory = mmap(NULL, PAGES * pages->page_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages->memory == MAP_FAILED)
		return FALSE;
	madvise(pages->memory, PAGES * pages->page_size, MADV_NOHUGEPAGE);
	pages->mark = (guint64)g_random_int() << 32 | g_random_int() | 1;
	for (guint i = 0; i < PAGES; i++)
		memcpy(pages->memory + i * pages->page_size, &pages->mark, sizeof(pages->mark));
	return read_numbers(pages);
}

static void release(Pages *pages)
{
	if (pages->memory && pages->memory != MAP_FAILED)
		munmap(pages->memory, PAGES * pages->page_size);
}

/*
 * Returns how many of @pages have one of the noted addresses if the first struct page is at
 * @vmemmap.
 */
static guint count_fitting(const Pages *pages, const struct kmt_bpf_learn *learn,
			   guint64 page_bytes, guint64 vmemmap)
{
	guint count = 0;

	for (guint i = 0; i < PAGES; i++) {
		for (guint k = 0; k < MIN(learn->pages, KMT_BPF_LEARNED); k++) {
			if (learn->page[k] == vmemmap + pages->pfn[i] * page_bytes) {
				count++;
				break;
			}
		}
	}
	return count;
}

static gboolean find_vmemmap(const Pages *pages, const struct kmt_bpf_learn *learn,
			     guint64 page_bytes, guint64 *vmemmap)
{
	for (guint k = 0; k < MIN(learn->pages, KMT_BPF_LEARNED); k++) {
		*vmemmap = learn->page[k] - pages->pfn[0] * page_bytes;
		if (!(*vmemmap % ALIGNMENT) &&
		    count_fitting(pages, learn, page_bytes, *vmemmap) >= PAGES / 2)
			return TRUE;
	}
	return FALSE;
}

/* The task_struct of this process is in the memory that is searched for. */
static gboolean find_linear(const Pages *pages, const struct bpf_program *peek,
			    struct kmt_bpf_learn *learn, guint64 *linear_base)
{
	guint64 word;

	if (!peek_word(peek, learn, 0, &word) && !learn->task)
		return FALSE;
	*linear_base = learn->task / ALIGNMENT * ALIGNMENT + ALIGNMENT;
	for (guint i = 0; i < LINEAR_TRIES; i++) {
		*linear_base -= ALIGNMENT;
		if (peek_word(peek, learn, *linear_base + pages->pfn[0] * pages->page_size,
			      &word) &&
		    word == pages->mark)
			return TRUE;
	}
	return FALSE;
}

static gboolean learn_from_pages(const struct bpf_program *peek, const struct bpf_program *note,
				 struct kmt_bpf_learn *learn, guint64 page_bytes,
				 guint64 *linear_base, guint64 *vmemmap)
{
	struct bpf_link *link;
	Pages pages;
	gboolean fine;

	guint64 word;

	peek_word(peek, learn, 0, &word); /* also stores the id of this process */
	learn->pages = 0;
	link = bpf_program__attach(note);
	if (!link)
		return FALSE;
	fine = allocate(&pages);
	bpf_link__destroy(link);
	fine = fine && page_bytes && find_vmemmap(&pages, learn, page_bytes, vmemmap) &&
	       find_linear(&pages, peek, learn, linear_base);
	release(&pages);
	return fine;
}

gboolean learn_memory(const BpfSymbols *symbols, const struct bpf_program *peek,
		      const struct bpf_program *pages, struct kmt_bpf_learn *learn,
		      guint64 page_bytes, guint64 *linear_base, guint64 *vmemmap, GError **error)
{
	if (read_variable(symbols, peek, learn, "page_offset_base", linear_base) &&
	    read_variable(symbols, peek, learn, "vmemmap_base", vmemmap))
		return TRUE;
	if (learn_from_pages(peek, pages, learn, page_bytes, linear_base, vmemmap))
		return TRUE;
	return control_fail(
		error, CAPTURE_ERROR_FAILED,
		"can't determine page_offset_base and vmemmap_base: kallsyms has no variables, and /proc/self/pagemap shows no page frame numbers (it needs CAP_SYS_ADMIN)");
}
