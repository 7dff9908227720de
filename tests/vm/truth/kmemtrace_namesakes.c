// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_namesakes - has functions with the names of the functions that the tracer probes, in
 * this kernel and in others. They do nothing, and their arguments are not readable memory.
 *
 * Writing N to debugfs kmemtrace_namesakes/call calls each of them N times. "calls" is the number
 * of calls.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

/* In user space, below where anything is mapped. */
#define NAMESAKE_WILD	0x1000UL

static u32 namesake_calls;

/*
 * The label is the name in the symbol table; in C the name may be a macro or declared differently.
 */
#define NAMESAKE(name)								\
static noinline long namesake_of_##name(unsigned long a, unsigned long b, unsigned long c,	\
					unsigned long d, unsigned long e, unsigned long f)	\
	asm(#name);								\
static noinline long namesake_of_##name(unsigned long a, unsigned long b, unsigned long c,	\
					unsigned long d, unsigned long e, unsigned long f)	\
{										\
	asm volatile("# " #name ::: "memory");					\
	namesake_calls++;							\
	return (long)(a & b & c & d & e & f);					\
}

/* Since 6.10 */
NAMESAKE(kmem_cache_alloc_bulk_noprof)
NAMESAKE(krealloc_noprof)
NAMESAKE(alloc_pages_bulk_noprof)
NAMESAKE(alloc_contig_range_noprof)
/* and before. */
NAMESAKE(kmem_cache_alloc_bulk)
NAMESAKE(krealloc)
NAMESAKE(__alloc_pages_bulk)
NAMESAKE(alloc_contig_range)
NAMESAKE(alloc_contig_frozen_range_noprof)
/* In all of them. */
NAMESAKE(kmem_cache_free_bulk)
NAMESAKE(kvfree_call_rcu)
NAMESAKE(folio_migrate_flags)
/* For user stacks. */
NAMESAKE(mmap_region)
NAMESAKE(unmap_vmas)
NAMESAKE(do_vmi_munmap)
NAMESAKE(do_vmi_align_munmap)
NAMESAKE(setup_new_exec)
/* What other tracers put in place of return addresses. */
NAMESAKE(arch_rethook_trampoline)
NAMESAKE(__kretprobe_trampoline)
NAMESAKE(return_to_handler)

static long (*const namesakes[])(unsigned long, unsigned long, unsigned long, unsigned long,
				 unsigned long, unsigned long) = {
	namesake_of_kmem_cache_alloc_bulk_noprof, namesake_of_krealloc_noprof,
	namesake_of_alloc_pages_bulk_noprof, namesake_of_alloc_contig_range_noprof,
	namesake_of_kmem_cache_alloc_bulk, namesake_of_krealloc, namesake_of___alloc_pages_bulk,
	namesake_of_alloc_contig_range, namesake_of_kmem_cache_free_bulk,
	namesake_of_kvfree_call_rcu, namesake_of_folio_migrate_flags, namesake_of_mmap_region,
	namesake_of_alloc_contig_frozen_range_noprof, namesake_of_unmap_vmas,
	namesake_of_do_vmi_munmap, namesake_of_do_vmi_align_munmap, namesake_of_setup_new_exec,
	namesake_of_arch_rethook_trampoline, namesake_of___kretprobe_trampoline,
	namesake_of_return_to_handler,
};

static struct dentry *namesake_dir;

/* All arguments are the same, as it depends on the function which one is an address. */
static int namesake_call(void *data, u64 count)
{
	unsigned int i;

	for (; count; count--) {
		for (i = 0; i < ARRAY_SIZE(namesakes); i++)
			namesakes[i](NAMESAKE_WILD, NAMESAKE_WILD, NAMESAKE_WILD, NAMESAKE_WILD,
				     NAMESAKE_WILD, NAMESAKE_WILD);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(namesake_call_fops, NULL, namesake_call, "%llu\n");

static int __init namesake_init(void)
{
	namesake_dir = debugfs_create_dir("kmemtrace_namesakes", NULL);
	debugfs_create_file("call", 0200, namesake_dir, NULL, &namesake_call_fops);
	debugfs_create_u32("calls", 0400, namesake_dir, &namesake_calls);
	return 0;
}

static void __exit namesake_exit(void)
{
	debugfs_remove_recursive(namesake_dir);
}

module_init(namesake_init);
module_exit(namesake_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Functions of the names of others, for kmemtrace's tests");
