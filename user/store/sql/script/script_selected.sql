-- SPDX-License-Identifier: GPL-2.0-or-later
-- The allocations that the connection is restricted to, in time order. Migrated pages have the address after their last
-- migration.
SELECT a.time_ns, a.cpu, a.addr, a.lifetime_ns, o.event, o.page_order
FROM alloc a JOIN origin o ON o.id = a.origin ORDER BY a.time_ns, a.id;
