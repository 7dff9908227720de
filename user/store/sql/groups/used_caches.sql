-- SPDX-License-Identifier: GPL-2.0-or-later
-- The names of caches that events have.
SELECT DISTINCT c.name FROM origin o JOIN cache c ON c.id = o.cache WHERE c.name IS NOT NULL ORDER BY c.name;
