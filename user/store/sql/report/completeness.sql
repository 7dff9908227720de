-- SPDX-License-Identifier: GPL-2.0-or-later
-- What is missing from the trace, because it was lost, unseen or not selected; one row. Complete: nothing was lost,
-- all or no sources of each event group were seen (none if this kernel has none), and no row of meta that a load
-- writes is missing. A traced kfree_rcu() does not count as a seen source: it belongs to two groups.
WITH known (key) AS (VALUES
		('cut'), ('cut_offset'), ('files'), ('recovered_bytes'), ('recovered_places'), ('recovered_end'),
		('paused'), ('paused_ns'), ('start_ns'), ('span_ns'), ('events'), ('allocations'), ('lost'), ('page_size'),
		('linear_base'), ('trace_bytes'), ('skipped_lines'), ('frees_matched'), ('frees_unmatched'),
		('frees_early'), ('frees_of_null'), ('frees_unseen'), ('frees_undone'), ('failed_allocations'),
		('given_to_rcu'), ('freed_rcu'), ('freeing'), ('sample'), ('module_eras'), ('told_again'),
		('areas_retried'), ('resized'), ('absurd_pages'), ('moves'), ('moved_pages'), ('moved_out'),
		('frees_moved'), ('peak_live'), ('first_left'), ('missing_stacks'), ('uncounted'),
		('missing_chunks'), ('torn_texts'), ('mixed_sessions'), ('ends_early'), ('surplus_records'))
SELECT *, NOT (coalesce(lost_events, 0) OR coalesce(lost_subbufs, 0) OR coalesce(cut, 0) OR coalesce(recovered_bytes, 0)
	OR NOT coalesce(recovered_end, 0) OR coalesce(paused, 0) OR partly_unseen IS NOT NULL OR lacking IS NOT NULL OR coalesce(missing_stacks, 0) OR coalesce(uncounted, 0)
	OR coalesce(missing_chunks, 0) OR coalesce(torn_texts, 0) OR coalesce(mixed_sessions, 0) OR unfinished_records OR unknown_records
	OR coalesce(surplus_records, 0) OR backward_records OR coalesce(absurd_pages, 0) OR coalesce(frozen, 0)) AS complete
FROM (SELECT
	(SELECT sum(count) FROM losses WHERE unit = 'records') AS lost_events,
	(SELECT sum(count) FROM losses WHERE unit = 'sub-buffers') AS lost_subbufs,
	(SELECT value FROM meta WHERE key = 'cut') AS cut,
	(SELECT value FROM meta WHERE key = 'cut_offset') AS cut_offset,
	(SELECT value FROM meta WHERE key = 'recovered_bytes') AS recovered_bytes,
	(SELECT value FROM meta WHERE key = 'recovered_places') AS recovered_places,
	(SELECT value FROM meta WHERE key = 'recovered_end') AS recovered_end,
	(SELECT value FROM meta WHERE key = 'paused') AS paused,
	(SELECT value FROM meta WHERE key = 'paused_ns') AS paused_ns,
	(SELECT value FROM meta WHERE key = 'late_missing') AS overwritten,
	(SELECT value FROM meta WHERE key = 'late_left_out') AS overwritten_left_out,
	(SELECT value FROM meta WHERE key = 'late_ns') AS overwritten_ns,
	(SELECT value FROM meta WHERE key = 'late_cpu') AS overwritten_cpu,
	(SELECT l.value IS NOT NULL AND (coalesce(m.value, '') = 'continue' OR coalesce(p.value, '1') <> '1' OR coalesce(o.value, 1) = 0 OR e.value)
		FROM (SELECT 1) LEFT JOIN meta l ON l.key = 'late_cpu' LEFT JOIN meta m ON m.key = 'host.mode'
		LEFT JOIN meta p ON p.key = 'host.part' LEFT JOIN meta o ON o.key = 'overwrite' LEFT JOIN meta e ON e.key = 'late_elsewhere') AS overwritten_elsewhere,
	(SELECT group_concat(kind, ', ') FROM (SELECT DISTINCT coalesce(event_group, 'of any kind') AS kind FROM paths
		WHERE state = 'unseen' AND name LIKE '%free%' ORDER BY kind)) AS unseen_frees,
	(SELECT group_concat(name, ', ') FROM (SELECT name FROM paths WHERE state = 'unseen' ORDER BY name)) AS unseen,
	(SELECT factor FROM scale) AS sample,
	(SELECT group_concat(name, ' ') FROM event_group WHERE NOT traced) AS not_traced,
	(SELECT group_concat(name || ' ' || value, ', ') FROM (SELECT name, value FROM filters WHERE in_force ORDER BY name))
		AS filters,
	(SELECT group_concat(name, ', ') FROM (SELECT name FROM paths p WHERE state = 'unseen' AND EXISTS (SELECT 1 FROM paths o
		WHERE o.event_group = p.event_group AND o.state = 'on' AND o.name <> 'kfree_rcu') ORDER BY name)) AS partly_unseen,
	(SELECT group_concat(key, ', ') FROM known WHERE key NOT IN (SELECT key FROM meta WHERE typeof(value) = 'integer'))
		AS lacking,
	(SELECT value FROM meta WHERE key = 'missing_stacks') AS missing_stacks,
	(SELECT value FROM meta WHERE key = 'uncounted') AS uncounted,
	(SELECT value FROM meta WHERE key = 'missing_chunks') AS missing_chunks,
	(SELECT value FROM meta WHERE key = 'torn_texts') AS torn_texts,
	(SELECT value FROM meta WHERE key = 'mixed_sessions') AS mixed_sessions,
	(SELECT value FROM meta WHERE key = 'ends_early') AS ends_early,
	(SELECT coalesce(sum(unfinished), 0) FROM cpu) AS unfinished_records,
	(SELECT coalesce(sum(unknown), 0) FROM cpu) AS unknown_records,
	(SELECT value FROM meta WHERE key = 'surplus_records') AS surplus_records,
	(SELECT coalesce(sum(backward), 0) FROM cpu) AS backward_records,
	(SELECT value FROM meta WHERE key = 'absurd_pages') AS absurd_pages,
	(SELECT value FROM meta WHERE key = 'tracer_frozen.by_oops') AS frozen,
	(SELECT max(n.value - s.value, 0) FROM meta n JOIN meta s ON s.key = 'start_ns' WHERE n.key = 'tracer_frozen.at_ns' AND n.value > 0) AS frozen_ns);
