-- SPDX-License-Identifier: GPL-2.0-or-later
-- The names of modules that --module takes.
SELECT DISTINCT f.module FROM origin o JOIN frame f ON f.id = o.caller WHERE f.module IS NOT NULL
UNION ALL VALUES ('kernel'), ('(kernel)');
