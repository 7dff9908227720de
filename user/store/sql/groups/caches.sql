-- SPDX-License-Identifier: GPL-2.0-or-later
-- The names of all caches.
SELECT name FROM cache WHERE name IS NOT NULL UNION SELECT name FROM slabinfo UNION SELECT name FROM cache_alias;
