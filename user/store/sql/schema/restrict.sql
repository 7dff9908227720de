-- SPDX-License-Identifier: GPL-2.0-or-later
-- The allocations to which this connection is restricted; a parameter that is NULL restricts nothing. restrict_lifetime.sql makes the
-- views of them. by_…: the table or the columns restrict.
CREATE TEMP TABLE restriction AS
SELECT coalesce(:from, -9223372036854775807 - 1) AS from_ns, coalesce(:to, 9223372036854775807) AS to_ns,
	coalesce(:cpu_least, 0) AS cpu_least, coalesce(:cpu_most, 9223372036854775807) AS cpu_most,
	coalesce(:age_least, 0) AS age_least, coalesce(:age_most, 9223372036854775807) AS age_most,
	coalesce(:kind, :caches, :site, :callers, :module, :stack_least, :node_least, :order_least, :size_least, :origins) IS NOT NULL AS by_origin,
	coalesce(:process, :thread) IS NOT NULL AS by_task, :cpu_least IS NOT NULL AS by_cpu, :age_least IS NOT NULL AS by_age,
	coalesce(:from, :to) IS NOT NULL AS by_time,
	(SELECT value FROM main.meta WHERE key = 'span_ns') AS span_ns;

CREATE TEMP TABLE kept_origin (id INTEGER PRIMARY KEY);
INSERT INTO temp.kept_origin
SELECT o.id
FROM main.origin o
JOIN main.event e ON e.id = o.event
LEFT JOIN main.frame f ON f.id = o.caller
WHERE (SELECT by_origin FROM temp.restriction) AND (:kind IS NULL OR e.kind = :kind)
	AND (:site IS NULL OR f.function = CAST(:site AS TEXT))
	AND (:caches IS NULL OR o.cache IN (SELECT value FROM json_each(:caches)))
	AND (:callers IS NULL OR o.caller IN (SELECT value FROM json_each(:callers)))
	AND (:module IS NULL OR CAST(:module AS TEXT) IN (coalesce(f.module, 'kernel'), coalesce(f.module, '(kernel)')))
	AND (:stack_least IS NULL OR o.stack BETWEEN :stack_least AND :stack_most)
	AND (:node_least IS NULL OR o.node BETWEEN :node_least AND :node_most)
	AND (:order_least IS NULL OR o.page_order BETWEEN :order_least AND :order_most)
	AND (:size_least IS NULL OR o.bytes_alloc BETWEEN :size_least AND :size_most)
	AND (:origins IS NULL OR o.id IN (SELECT value FROM json_each(:origins)));

-- A process has the last name of its main thread, as groups by task have it.
CREATE TEMP TABLE kept_task (id INTEGER PRIMARY KEY);
INSERT INTO temp.kept_task
SELECT t.id
FROM main.task t
JOIN task_groups g ON g.id = t.id
JOIN main.task p ON p.id = g.process
WHERE (SELECT by_task FROM temp.restriction)
	AND (:process IS NULL OR CAST(:process AS TEXT) IN (p.comm, CAST(coalesce(p.tgid, p.tid) AS TEXT), p.comm || '-' || coalesce(p.tgid, p.tid)))
	AND (:thread IS NULL OR CAST(:thread AS TEXT) IN (t.comm, CAST(t.tid AS TEXT), t.comm || '-' || t.tid));
