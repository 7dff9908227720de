-- SPDX-License-Identifier: GPL-2.0-or-later
-- temporary_total and temporary_count of the lifetimes that restrict.sql kept.
CREATE TEMP TABLE temporary_total AS
SELECT origin, within, count FROM temporary_totals((SELECT group_concat(id || ' ' || tid, ' ') FROM main.task));
CREATE TEMP TABLE temporary_count AS
SELECT o.event, o.caller, t.within, sum(t.count) AS count
FROM temporary_total t JOIN origin o ON o.id = t.origin GROUP BY 1, 2, 3;
