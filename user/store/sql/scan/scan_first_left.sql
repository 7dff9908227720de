-- SPDX-License-Identifier: GPL-2.0-or-later
-- The first allocation that was not freed; no row if it is unknown.
SELECT value FROM main.meta WHERE key = ? AND typeof(value) = 'integer' AND value > 0;
