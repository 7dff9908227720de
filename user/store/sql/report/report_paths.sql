-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which sources of events were seen, the others first.
SELECT name, state, why FROM paths ORDER BY state LIKE 'unseen%' DESC, name;
