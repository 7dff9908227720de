-- SPDX-License-Identifier: GPL-2.0-or-later
-- The allocations that the connection is restricted to, in time order. Migrated pages have the address after their last
-- migration.
SELECT time_ns, cpu, addr, lifetime_ns FROM alloc ORDER BY time_ns, id;
