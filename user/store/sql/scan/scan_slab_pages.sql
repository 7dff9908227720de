-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages of slabs that remain at the end.
SELECT scan(origin, addr)
FROM main.lifetime
WHERE rowid BETWEEN max(:first, (SELECT value FROM meta WHERE key = 'first_left')) AND :last AND ending & 31 = 8;
