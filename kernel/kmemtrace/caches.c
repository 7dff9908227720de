// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slab caches and threads, which records refer to by number.
 *
 * Probes fill the table of caches. A slot is claimed by a compare-and-exchange of its cache pointer
 * and never freed, so an id means one name and size for as long as the buffers exist. At that time
 * the cache is in use, so its name can be read.
 *
 * A new cache may have the address of a destroyed one, and its name the address of the old name. As
 * caches are allocated from a slab cache, too, the end of one is traced as a free; from then on its
 * id is valid only for a cache of the same name and size. A cache whose end was missed is
 * recognized by the address of its name, if that differs.
 *
 * The offset of the name in struct kmem_cache is private to the slab allocator (since 6.8 or so).
 * It is found at init by searching a cache with a known name. The offset of the cache in a slab is
 * private, too, and found by searching slabs of known caches.
 */
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "caches.h"
#include "cpu.h"

#define KMT_CACHE_PROBES      64 /* slots searched before the table counts as full */
#define KMT_CACHE_NAME_LEN    48
#define KMT_NAME_SEARCH_WORDS 24  /* searched in struct kmem_cache, which is always larger */
#define KMT_NAME_UNKNOWN      0   /* the first field of struct kmem_cache is never the name */
#define KMT_KNOWN_SIZE        512 /* of kmalloc; smaller ones may share a cache */
#define KMT_KNOWN_NAME        "kmalloc-512"
#define KMT_CACHE_OF_CACHES   "kmem_cache"
#define KMT_CACHE_GONE        ((const char *)1) /* not the identity of any cache */

/* The fields that are rarely read; kmt_caches has the others. */
struct kmt_cache_text {
	struct kmem_cache *cache;      /* NULL: free; set once, by cmpxchg() */
	char name[KMT_CACHE_NAME_LEN]; /* set before the cache is in kmt_caches */
};

struct kmt_cache *kmt_caches;                  /* KMT_CACHES_MAX, from init to exit */
static struct kmt_cache_text *kmt_cache_texts; /* likewise */
size_t kmt_name_offset = KMT_NAME_UNKNOWN;     /* written only at init */
struct kmem_cache *kmt_cache_of_caches;
size_t kmt_slab_cache_offset; /* both written only at init */
size_t kmt_slab_object_max;

static bool kmt_is_known_name(const char *name)
{
	char text[sizeof(KMT_KNOWN_NAME)];

	return !copy_from_kernel_nofault(text, name, sizeof(text)) &&
	       !memcmp(text, KMT_KNOWN_NAME, sizeof(text));
}

static void kmt_find_name_offset(void)
{
	const char **words =
		(const char **)kmalloc_caches[KMALLOC_NORMAL][kmalloc_index(KMT_KNOWN_SIZE)];
	unsigned int i;

	for (i = 1; i < KMT_NAME_SEARCH_WORDS && kmt_name_offset == KMT_NAME_UNKNOWN; i++) {
		if (kmt_is_known_name(words[i]))
			kmt_name_offset = i * sizeof(*words);
	}
	if (kmt_name_offset == KMT_NAME_UNKNOWN)
		pr_warn("kmemtrace: can't determine the names of slab caches on this kernel\n");
}

/* Returns a bit for each word that points to @cache, of the head page of @object's slab. */
static unsigned long kmt_words_with_cache(const void *object, const struct kmem_cache *cache)
{
	const struct page *page = virt_to_head_page(object);
	const unsigned long *words = (const unsigned long *)page;
	unsigned long found = 0;
	unsigned int i;

	for (i = 0; i < sizeof(*page) / sizeof(*words); i++) {
		if (READ_ONCE(words[i]) == (unsigned long)cache)
			found |= BIT(i);
	}
	return found;
}

/*
 * Searches slabs of several caches for the same word, since in a single slab another word may match
 * by chance. Uses the largest kmalloc caches, since smaller ones may share a cache.
 */
static void kmt_find_slab_cache_offset(void)
{
	unsigned long found = ~0UL;
	unsigned int i;

	for (i = KMALLOC_SHIFT_HIGH - 3; i <= KMALLOC_SHIFT_HIGH; i++) {
		struct kmem_cache *cache = kmalloc_caches[KMALLOC_NORMAL][i];
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		found &= object ? kmt_words_with_cache(object, cache) : 0;
		if (object)
			kmem_cache_free(cache, object);
	}
	if (hweight_long(found) != 1) {
		pr_warn("kmemtrace: can't determine the slab caches of kmalloc() on this kernel\n");
		return;
	}
	kmt_slab_cache_offset = __ffs(found) * sizeof(long);
	kmt_slab_object_max = KMALLOC_MAX_CACHE_SIZE;
}

bool kmt_cache_has_name(const struct kmem_cache *cache, const char *name)
{
	return kmt_name_offset != KMT_NAME_UNKNOWN && !strcmp(kmt_cache_identity(cache), name);
}

bool kmt_cache_is_identifiable(const char *name)
{
	return kmt_name_offset != KMT_NAME_UNKNOWN &&
	       (kmt_slab_object_max || !strstr(name, "kmalloc-"));
}

int kmt_caches_init(void)
{
	kmt_caches = vzalloc(array_size(KMT_CACHES_MAX, sizeof(*kmt_caches)));
	kmt_cache_texts = vzalloc(array_size(KMT_CACHES_MAX, sizeof(*kmt_cache_texts)));
	if (!kmt_caches || !kmt_cache_texts) {
		kmt_caches_exit();
		return -ENOMEM;
	}
	kmt_find_name_offset();
	kmt_find_slab_cache_offset();
	return 0;
}

void kmt_caches_exit(void)
{
	vfree(kmt_caches);
	vfree(kmt_cache_texts);
	kmt_caches = NULL;
	kmt_cache_texts = NULL;
}

void kmt_caches_reset(void)
{
	memset(kmt_caches, 0, KMT_CACHES_MAX * sizeof(*kmt_caches));
	memset(kmt_cache_texts, 0, KMT_CACHES_MAX * sizeof(*kmt_cache_texts));
}

void kmt_caches_invalidate(void)
{
	unsigned int i;

	for (i = 0; i < KMT_CACHES_MAX; i++) {
		if (kmt_caches[i].cache)
			kmt_caches[i].identity = KMT_CACHE_GONE;
	}
}

u64 kmt_caches_bytes(void)
{
	return KMT_CACHES_MAX * (sizeof(*kmt_caches) + sizeof(*kmt_cache_texts)) +
	       num_possible_cpus() * sizeof(struct kmt_cpu);
}

static void kmt_cache_fill(u32 index, struct kmem_cache *cache)
{
	struct kmt_cache *known = &kmt_caches[index];

	known->identity = kmt_cache_identity(cache);
	known->object_size = kmem_cache_size(cache);
	if (kmt_name_offset != KMT_NAME_UNKNOWN)
		strscpy(kmt_cache_texts[index].name, known->identity, KMT_CACHE_NAME_LEN);
	if (kmt_cache_has_name(cache, KMT_CACHE_OF_CACHES))
		WRITE_ONCE(kmt_cache_of_caches, cache);
	smp_store_release(&known->cache, cache);
}

/* Searches all slots: several caches may have had this address, one after the other. */
noinline void kmt_cache_forget(const void *cache)
{
	u32 first = hash_ptr(cache, KMT_CACHE_BITS);
	unsigned int i;

	for (i = 0; i < KMT_CACHE_PROBES; i++) {
		struct kmt_cache *known = &kmt_caches[(first + i) % KMT_CACHES_MAX];

		if (smp_load_acquire(&known->cache) == cache)
			WRITE_ONCE(known->identity, KMT_CACHE_GONE);
	}
}

/* Returns whether the slot, claimed by a cache at the address of @cache, is of @cache itself. */
static bool kmt_cache_is_at(u32 index, struct kmem_cache *cache)
{
	struct kmt_cache *known = &kmt_caches[index];
	const char *identity = kmt_cache_identity(cache);

	/* Another CPU may be filling the slot in right now, for this same cache. */
	if (!smp_load_acquire(&known->cache) || READ_ONCE(known->identity) == identity)
		return true;
	/* Created again, as by a reloaded module: the id has the same name and size. */
	if (kmt_name_offset == KMT_NAME_UNKNOWN || known->object_size != kmem_cache_size(cache) ||
	    strncmp(kmt_cache_texts[index].name, identity, KMT_CACHE_NAME_LEN - 1))
		return false;
	WRITE_ONCE(known->identity, identity);
	return true;
}

noinline struct kmt_cache_ref kmt_cache_find(struct kmem_cache *cache)
{
	u32 first = hash_ptr(cache, KMT_CACHE_BITS);
	unsigned int i;

	for (i = 0; i < KMT_CACHE_PROBES; i++) {
		u32 index = (first + i) % KMT_CACHES_MAX;
		struct kmem_cache *old = READ_ONCE(kmt_cache_texts[index].cache);

		if (!old) {
			old = cmpxchg(&kmt_cache_texts[index].cache, NULL, cache);
			if (!old)
				kmt_cache_fill(index, cache);
		}
		if ((!old || old == cache) && kmt_cache_is_at(index, cache))
			return (struct kmt_cache_ref){
				.id = index + 1,
				.object_size = kmem_cache_size(cache),
			};
	}
	kmt_count_loss(KMEMTRACE_LOSS_CACHE_FULL);
	return (struct kmt_cache_ref){ KMEMTRACE_CACHE_NONE, kmem_cache_size(cache) };
}

void kmt_caches_show(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < KMT_CACHES_MAX; i++) {
		const char *name = kmt_cache_texts[i].name;

		if (!smp_load_acquire(&kmt_caches[i].cache))
			continue;
		seq_printf(seq, "%u %u ", i + 1, kmt_caches[i].object_size);
		seq_escape(seq, name[0] ? name : "?", "\n\\");
		seq_putc(seq, '\n');
	}
}

void kmt_tasks_show(struct seq_file *seq)
{
	struct task_struct *process, *thread;

	rcu_read_lock();
	for_each_process_thread(process, thread)
	{
		char comm[TASK_COMM_LEN];

		strscpy_pad(comm, thread->comm, sizeof(comm));
		seq_printf(seq, "%d %d ", thread->pid, thread->tgid);
		seq_escape(seq, comm, "\n\\");
		seq_putc(seq, '\n');
	}
	rcu_read_unlock();
}
