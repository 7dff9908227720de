-- SPDX-License-Identifier: GPL-2.0-or-later
-- Name of the group that :origin belongs to, by :by.
SELECT CASE :by WHEN 'module' THEN coalesce(f.module, '(kernel)') WHEN 'cache' THEN coalesce(c.name, '(no cache)')
	WHEN 'site' THEN f.function WHEN 'stack' THEN f.function END
FROM origin o LEFT JOIN frame f ON f.id = o.caller LEFT JOIN cache c ON c.id = o.cache WHERE o.id = :origin;
