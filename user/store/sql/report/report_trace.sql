-- SPDX-License-Identifier: GPL-2.0-or-later
-- The trace and its machine; one row.
SELECT
	(SELECT value FROM meta WHERE key = 'host.release') AS release,
	(SELECT value FROM meta WHERE key = 'host.machine') AS machine,
	(SELECT value FROM meta WHERE key = 'host.command') AS command,
	max((SELECT count(*) FROM cpu WHERE events > 0),
		coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'host.cpus'), 0)) AS cpus,
	(SELECT value FROM meta WHERE key = 'events') AS events,
	(SELECT value FROM meta WHERE key = 'span_ns') AS span_ns,
	(SELECT sum(count) FROM losses WHERE unit = 'records') AS lost_events,
	(SELECT sum(count) FROM losses WHERE unit = 'sub-buffers') AS lost_subbufs,
	(SELECT sum(count) FROM losses WHERE unit = 'details') AS lost_details,
	(SELECT sum(count) FROM losses WHERE unit = 'names') AS lost_names,
	(SELECT value FROM meta WHERE key = 'cut') AS cut,
	(SELECT value FROM meta WHERE key = 'cut_offset') AS cut_offset,
	(SELECT sum(unfinished + unknown) FROM cpu) AS unreadable,
	(SELECT sum(backward) FROM cpu) AS backward,
	(SELECT factor FROM scale) AS sample,
	(SELECT value FROM meta WHERE key = 'tick_ns') AS tick_ns,
	(SELECT value FROM meta WHERE key = 'ticks_until_ns') AS ticks_until_ns,
	(SELECT group_concat(name, ' ') FROM event_group WHERE NOT traced) AS not_traced,
	coalesce((SELECT value FROM meta WHERE key = 'host.source'), 'module') AS source;
