-- SPDX-License-Identifier: GPL-2.0-or-later
-- The view stacks, with source lines and inlined functions. A restricted connection already has such a view, or keeps this one.
DROP VIEW IF EXISTS temp.stacks;
CREATE TEMP VIEW stacks AS
SELECT s.id, s.depth, (
	WITH RECURSIVE walk (level, node, parent, frame) AS (
		SELECT 0, s.id, s.parent, s.frame
		UNION ALL
		SELECT w.level + 1, p.id, p.parent, p.frame FROM walk w JOIN stack p ON p.id = w.parent)
	SELECT group_concat(name, ' < ') FROM (
		SELECT frame_lines(f.name, CASE WHEN f.symbol IS NULL THEN NULL ELSE f.function END, f.module,
			f.addr - f.offset, f.addr) AS name
		FROM walk w JOIN frame f ON f.id = w.frame ORDER BY w.level)
	) AS text
FROM stack s WHERE s.whole;
