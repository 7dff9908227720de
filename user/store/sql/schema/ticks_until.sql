-- SPDX-License-Identifier: GPL-2.0-or-later
-- The time until which many events have the same time, since the clock advanced in ticks; no row if it did not.
SELECT value FROM meta WHERE key = 'ticks_until_ns';
