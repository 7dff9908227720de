-- SPDX-License-Identifier: GPL-2.0-or-later
-- As restrict_temporaries.sql, where all allocations of an origin are kept, or none is.
CREATE TEMP TABLE temporary_total AS
SELECT origin, within, count FROM main.temporary_total WHERE origin IN temp.kept_origin;
CREATE TEMP TABLE temporary_count AS
SELECT o.event, o.caller, t.within, sum(t.count) AS count
FROM temporary_total t JOIN origin o ON o.id = t.origin GROUP BY 1, 2, 3;
