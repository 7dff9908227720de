-- SPDX-License-Identifier: GPL-2.0-or-later
-- Data that was not recorded; one row. has_stacks: an event has a stack, or there are no events.
-- unplaced: user stacks of addresses only. left_out: user stacks that load left out. unnamed: their frames whose names it left out.
-- short: allocations whose caller is a function of an allocator.
SELECT
	(SELECT group_concat(name, ', ') FROM event_group WHERE NOT traced) AS not_traced,
	(SELECT factor FROM scale) AS sample,
	EXISTS (SELECT 1 FROM stack) OR NOT EXISTS (SELECT 1 FROM origin) AS has_stacks,
	(SELECT value FROM meta WHERE key = 'user_stacks') AS user_stacks,
	(SELECT value FROM meta WHERE key = 'user_stacks_unplaced') AS unplaced,
	(SELECT value FROM meta WHERE key = 'user_stacks_left_out') AS left_out,
	(SELECT value FROM meta WHERE key = 'user_frames_unnamed') AS unnamed,
	(SELECT sum(t.count) FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN frame f ON f.id = o.caller
		WHERE t.backing = 0 AND f.allocator AND NOT (SELECT value FROM meta WHERE key = 'missing_stacks')) AS short,
	(SELECT group_concat(name, ', ') FROM event_group WHERE traced) AS traced;
