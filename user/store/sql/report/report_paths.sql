-- SPDX-License-Identifier: GPL-2.0-or-later
-- Sources of events, unseen ones first.
SELECT name, state, why FROM paths ORDER BY state LIKE 'unseen%' DESC, name;
