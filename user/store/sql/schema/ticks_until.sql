-- SPDX-License-Identifier: GPL-2.0-or-later
-- The time until which many events have the same time, as the clock went in steps; no row if it did not.
SELECT value FROM meta WHERE key = 'ticks_until_ns';
