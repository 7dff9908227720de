-- SPDX-License-Identifier: GPL-2.0-or-later
-- What is missing from the trace; one row.
SELECT
	(SELECT sum(count) FROM losses WHERE unit = 'records') AS lost_events,
	(SELECT sum(count) FROM losses WHERE unit = 'sub-buffers') AS lost_subbufs,
	(SELECT value FROM meta WHERE key = 'cut') AS cut,
	(SELECT value FROM meta WHERE key = 'cut_offset') AS cut_offset,
	(SELECT value FROM meta WHERE key = 'recovered_bytes') AS recovered_bytes,
	(SELECT value FROM meta WHERE key = 'recovered_places') AS recovered_places,
	(SELECT value FROM meta WHERE key = 'recovered_end') AS recovered_end,
	(SELECT group_concat(name, ', ') FROM (SELECT name FROM paths WHERE state = 'unseen' ORDER BY name)) AS unseen,
	(SELECT factor FROM scale) AS sample;
