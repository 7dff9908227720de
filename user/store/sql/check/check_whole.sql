-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of the whole trace, by name; not scaled. not_traced: kinds.
SELECT (SELECT coalesce(sum(count), 0) FROM losses WHERE unit = 'records') AS lost,
	(SELECT coalesce(sum(count), 0) FROM losses WHERE unit = 'sub-buffers') AS missing,
	(SELECT count(*) FROM paths p WHERE state = 'unseen' AND EXISTS (SELECT 1 FROM paths o
		WHERE o.event_group = p.event_group AND o.state = 'on' AND o.name <> 'kfree_rcu')) AS unseen,
	(SELECT value FROM meta WHERE key = 'events') AS events,
	(SELECT coalesce(sum(count), 0) FROM failed) AS failed,
	(SELECT value FROM meta WHERE key = 'span_ns') AS span,
	(SELECT group_concat(kind, ' ') FROM untraced_kinds) AS not_traced;
