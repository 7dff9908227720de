-- SPDX-License-Identifier: GPL-2.0-or-later
-- The marks, in time order.
SELECT time_ns, text, comm FROM marks ORDER BY time_ns, id LIMIT :limit;
