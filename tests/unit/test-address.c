// SPDX-License-Identifier: GPL-2.0-or-later
/* Which events concern an address. */
#include "report/script/address.h"

#define BASE G_GUINT64_CONSTANT(0xffff888000000000)

static gboolean has(AddressEvents *events, guint8 type, guint64 addr, guint32 bytes, guint8 order)
{
	const struct trace_event event = {
		.event = type, .addr = addr, .bytes_req = bytes, .bytes_alloc = bytes,
		.order = order,
	};

	return address_events_has(events, &event);
}

static AddressEvents *at(guint64 addr)
{
	char abi[] = "page_size 4096\nlinear_base 0xffff888000000000\n";

	return address_events_new(addr, abi);
}

static void object_has_its_inner_addresses_until_it_is_freed(void)
{
	AddressEvents *events = at(BASE + 100);

	g_assert_false(has(events, KMEMTRACE_EVENT_KMALLOC, BASE, 100, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 64, 0));
	g_assert_false(has(events, KMEMTRACE_EVENT_KMALLOC, BASE + 101, 64, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_KFREE_RCU, BASE + 64, 0, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_RESIZE, BASE + 64, 16, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_KFREE, BASE + 64, 0, 0));
	g_assert_false(has(events, KMEMTRACE_EVENT_KFREE, BASE + 64, 0, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_CACHE_FREE, BASE + 100, 0, 0));
	address_events_free(events);
}

static void smaller_object_at_the_same_start_does_not_have_it(void)
{
	AddressEvents *events = at(BASE + 100);

	g_assert_true(has(events, KMEMTRACE_EVENT_CACHE_ALLOC, BASE, 128, 0));
	g_assert_false(has(events, KMEMTRACE_EVENT_CACHE_ALLOC, BASE, 64, 0));
	g_assert_false(has(events, KMEMTRACE_EVENT_CACHE_FREE, BASE, 0, 0));
	address_events_free(events);
}

static void failed_allocations_have_no_address(void)
{
	AddressEvents *events = at(0x10);

	g_assert_false(has(events, KMEMTRACE_EVENT_KMALLOC, 0, 4096, 0));
	address_events_free(events);
}

static void other_kinds_of_memory_have_addresses_too(void)
{
	AddressEvents *events = at(BASE + 0x3010);

	g_assert_true(has(events, KMEMTRACE_EVENT_PERCPU_ALLOC, BASE + 0x3000, 32, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_PERCPU_FREE, BASE + 0x3000, 0, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_VMAP_ALLOC, BASE, 0x8000, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_VMAP_FREE, BASE, 0, 0));
	address_events_free(events);
}

static void page_has_the_addresses_in_it(void)
{
	AddressEvents *events = at(BASE + 0x3010);
	struct trace_event move = {
		.event = KMEMTRACE_EVENT_PAGE_MOVE, .addr = 100, .bytes_req = 3,
	};

	g_assert_true(has(events, KMEMTRACE_EVENT_PAGE_ALLOC, 3, 0, 0));
	g_assert_true(has(events, KMEMTRACE_EVENT_PAGE_FREE, 0, 0, 2));
	g_assert_false(has(events, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 0, 1));
	g_assert_false(has(events, KMEMTRACE_EVENT_PAGE_ALLOC, 4, 0, 1));
	g_assert_false(has(events, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 0, 200));
	g_assert_false(has(events, KMEMTRACE_EVENT_COMPACT, 3, 0, 0));
	g_assert_true(address_events_has(events, &move));
	address_events_free(events);
}

static void pages_are_unknown_without_the_linear_base(void)
{
	AddressEvents *events = address_events_new(BASE, NULL);

	g_assert_false(has(events, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 0, 40));
	address_events_free(events);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/address/" #name, name)
	TEST(object_has_its_inner_addresses_until_it_is_freed);
	TEST(smaller_object_at_the_same_start_does_not_have_it);
	TEST(failed_allocations_have_no_address);
	TEST(other_kinds_of_memory_have_addresses_too);
	TEST(page_has_the_addresses_in_it);
	TEST(pages_are_unknown_without_the_linear_base);
	return g_test_run();
}
