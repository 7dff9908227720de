-- SPDX-License-Identifier: GPL-2.0-or-later
-- What was traced; one row.
SELECT
	(SELECT value FROM meta WHERE key = 'trace') AS trace,
	(SELECT value FROM meta WHERE key = 'release') AS release,
	(SELECT value FROM meta WHERE key = 'machine') AS machine,
	(SELECT value FROM meta WHERE key = 'command') AS command,
	(SELECT count(*) FROM cpu WHERE events > 0) AS cpus,
	(SELECT value FROM meta WHERE key = 'events') AS events,
	(SELECT value FROM meta WHERE key = 'span_ns') AS span_ns,
	(SELECT sum(count) FROM loss WHERE reason IN ('buffer_full', 'nmi', 'recursion')) AS lost_events,
	(SELECT sum(count) FROM loss WHERE reason = 'missing') AS lost_subbufs,
	(SELECT sum(count) FROM loss WHERE reason IN ('stack_full', 'cache_full')) AS lost_details,
	(SELECT value FROM meta WHERE key = 'cut') AS cut,
	(SELECT value FROM meta WHERE key = 'cut_at') AS cut_at,
	(SELECT sum(unfinished) FROM cpu) AS unfinished,
	(SELECT sum(backward) FROM cpu) AS backward;
