-- SPDX-License-Identifier: GPL-2.0-or-later
-- The names of caches that share slabs.
SELECT slabs, name FROM cache_alias ORDER BY slabs, name;
