-- SPDX-License-Identifier: GPL-2.0-or-later
-- Whether all allocations of an origin are kept, or none is; one row.
SELECT by_origin AND NOT (by_task OR by_cpu OR by_age OR by_time) FROM temp.restriction;
