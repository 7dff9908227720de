-- SPDX-License-Identifier: GPL-2.0-or-later
-- What nobody asked to be recorded; one row. has_stacks: any event has one, or there is no event at all.
-- unplaced: user stacks that are addresses alone.
SELECT
	(SELECT group_concat(name, ' ') FROM event_group WHERE NOT traced) AS not_traced,
	(SELECT factor FROM scale) AS sample,
	EXISTS (SELECT 1 FROM stack) OR NOT EXISTS (SELECT 1 FROM origin) AS has_stacks,
	(SELECT value FROM meta WHERE key = 'user_stacks') AS user_stacks,
	(SELECT value FROM meta WHERE key = 'user_stacks_unplaced') AS unplaced;
