// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "clock.h"
#include "kmemtrace.h"
#include "pauses.h"

#define KMT_PAUSES_KEPT 16 /* the last ones; older ones count only in the sum */

/* Times are those of kmt_clock_ns(). All under kmt_mutex. */
static struct {
	u64 off_ns; /* start of the current pause; 0: tracing is enabled, or never was */
	u64 count;
	u64 total_ns;
	struct {
		u64 off_ns, on_ns;
	} kept[KMT_PAUSES_KEPT]; /* by number modulo KMT_PAUSES_KEPT */
} kmt_pauses;

void kmt_pauses_reset(void)
{
	memset(&kmt_pauses, 0, sizeof(kmt_pauses));
}

void kmt_pauses_begin(void)
{
	kmt_pauses.off_ns = kmt_clock_ns();
}

void kmt_pauses_end(void)
{
	unsigned int place = kmt_pauses.count % KMT_PAUSES_KEPT;
	u64 on_ns = kmt_clock_ns();

	if (!kmt_pauses.off_ns)
		return;
	kmt_pauses.kept[place].off_ns = kmt_pauses.off_ns;
	kmt_pauses.kept[place].on_ns = on_ns;
	kmt_pauses.total_ns += on_ns - kmt_pauses.off_ns;
	kmt_pauses.count++;
	kmt_pauses.off_ns = 0;
}

void kmt_pauses_show(struct seq_file *seq)
{
	u64 i;

	mutex_lock(&kmt_mutex);
	if (kmt_pauses.count)
		seq_printf(seq, "pauses %llu %llu\n", kmt_pauses.count, kmt_pauses.total_ns);
	for (i = kmt_pauses.count - min_t(u64, kmt_pauses.count, KMT_PAUSES_KEPT);
	     i < kmt_pauses.count; i++)
		seq_printf(seq, "pause %llu %llu\n", kmt_pauses.kept[i % KMT_PAUSES_KEPT].off_ns,
			   kmt_pauses.kept[i % KMT_PAUSES_KEPT].on_ns);
	mutex_unlock(&kmt_mutex);
}
