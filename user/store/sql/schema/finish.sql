-- SPDX-License-Identifier: GPL-2.0-or-later
-- Runs after the last row: fills the tables that are derived from the rows.

INSERT INTO gfp
SELECT o.gfp, fold_gfp(coalesce((SELECT group_concat(f.name, '|') FROM (SELECT * FROM gfp_flag ORDER BY bits) f
			WHERE o.gfp & f.bits = f.bits), printf('0x%x', o.gfp)))
FROM (SELECT DISTINCT gfp FROM origin WHERE gfp IS NOT NULL) o;

-- The tracer's own allocations: a function of the tracer is on the stack. These are the functions of its module, or kmt_… if it
-- is built in, and the function that opens the buffers of a CPU that comes online: other users of relay rarely have open
-- buffers.
INSERT INTO tracer_origin
WITH RECURSIVE own (id) AS (
	SELECT id FROM frame WHERE module = 'kmemtrace' OR (module IS NULL AND (function GLOB 'kmt_*' OR function = 'relay_prepare_cpu'))),
node (id) AS (
	SELECT id FROM stack WHERE frame IN (SELECT id FROM own)
	UNION SELECT s.id FROM node JOIN stack s ON s.parent = node.id)
SELECT id FROM origin
WHERE stack IN (SELECT id FROM node) OR caller IN (SELECT id FROM own) OR call_site IN (SELECT id FROM own);

-- Earlier recorders did not record their process ids: take the processes that were kmemtrace-user all the time. A command that the
-- recorder starts soon becomes another program.
INSERT OR IGNORE INTO recorder
SELECT tgid FROM task WHERE tid = tgid AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'host.recorder') GROUP BY tgid
HAVING min(comm) = 'kmemtrace-user' AND max(comm) = 'kmemtrace-user';

COMMIT;
