// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters of the BPF source: which settings are accepted, and which constants the programs get.
 */
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "capture/bpf/filter.h"

static void no_filter_costs_nothing(void)
{
	const BpfFilterSettings settings = { .pids = (char *)"", .cache = (char *)"", .sample = 1 };
	const BpfFilterSettings none = { 0 };
	struct kmt_bpf_config config, zero;

	memset(&config, 0, sizeof(config));
	memset(&zero, 0, sizeof(zero));
	bpf_filter_configure(&config, &settings);
	g_assert_cmpmem(&config, sizeof(config), &zero, sizeof(zero));
	bpf_filter_configure(&config, &none);
	g_assert_cmpmem(&config, sizeof(config), &zero, sizeof(zero));
}

static void sample_is_a_mask(void)
{
	const BpfFilterSettings settings = { .sample = 8 };
	struct kmt_bpf_config config = { 0 };

	bpf_filter_configure(&config, &settings);
	g_assert_cmpuint(config.sample_mask, ==, 7);
	g_assert_cmpuint(config.filters, ==, 1);
	g_assert_cmpuint(config.keeps, ==, 0);
}

/* Filters that only apply to allocations must remember the address for the free. */
static void addresses_are_kept_for_frees(void)
{
	const BpfFilterSettings all[] = {
		{ .pids = (char *)"1" },
		{ .cache = (char *)"dentry" },
		{ .cgroup = 1 },
		{ .min_size = 1 },
	};

	for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
		struct kmt_bpf_config config = { 0 };

		bpf_filter_configure(&config, &all[i]);
		g_assert_cmpuint(config.filters, ==, 1);
		g_assert_cmpuint(config.keeps, ==, 1);
		g_assert_cmpuint(config.filter_pids, ==, all[i].pids != NULL);
		g_assert_cmpuint(config.filter_cgroup, ==, all[i].cgroup != 0);
		g_assert_cmpuint(config.min_size, ==, all[i].min_size);
		g_assert_cmpstr(config.cache, ==, all[i].cache ?: "");
	}
}

static void pids_are_numbers(void)
{
	g_autofree char *longest = g_strnfill(1023, ' '), *more = g_strnfill(1024, ' ');
	static const char *const fine[] = { "", "1", " 12, 34\t5", "4194303" };
	static const char *const wrong[] = { "x", "0", "-1", "1 x", "4194304", "1.5" };
	BpfFilterSettings settings = { 0 };

	for (guint i = 0; i < G_N_ELEMENTS(fine); i++) {
		g_assert_cmpint(bpf_filter_set_pids(&settings, fine[i]), ==, 0);
		g_assert_cmpstr(settings.pids, ==, fine[i]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_assert_cmpint(bpf_filter_set_pids(&settings, wrong[i]), ==, EINVAL);
		g_assert_cmpstr(settings.pids, ==, fine[G_N_ELEMENTS(fine) - 1]);
	}
	g_assert_cmpint(bpf_filter_set_pids(&settings, longest), ==, 0);
	g_assert_cmpint(bpf_filter_set_pids(&settings, more), ==, E2BIG);
	bpf_filter_settings_clear(&settings);
}

static void cache_has_a_longest_name(void)
{
	g_autofree char *longest = g_strnfill(47, 'x'), *more = g_strnfill(48, 'x');
	BpfFilterSettings settings = { 0 };

	g_assert_cmpint(bpf_filter_set_cache(&settings, longest), ==, 0);
	g_assert_cmpint(bpf_filter_set_cache(&settings, more), ==, E2BIG);
	g_assert_cmpstr(settings.cache, ==, longest);
	bpf_filter_settings_clear(&settings);
	g_assert_null(settings.cache);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf-filter/no_filter_costs_nothing", no_filter_costs_nothing);
	g_test_add_func("/bpf-filter/sample_is_a_mask", sample_is_a_mask);
	g_test_add_func("/bpf-filter/addresses_are_kept_for_frees", addresses_are_kept_for_frees);
	g_test_add_func("/bpf-filter/pids_are_numbers", pids_are_numbers);
	g_test_add_func("/bpf-filter/cache_has_a_longest_name", cache_has_a_longest_name);
	return g_test_run();
}
