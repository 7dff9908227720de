-- SPDX-License-Identifier: GPL-2.0-or-later
-- The name of each cache.
SELECT id, name FROM cache WHERE name IS NOT NULL;
