-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why there are no rows, if the trace has no events of the group :kind.
SELECT printf('%s events were not traced: record -e slab,page%s', name, iif(name IN ('slab', 'page'), '', ',' || name))
FROM event_group WHERE name = :kind AND NOT traced;
