-- SPDX-License-Identifier: GPL-2.0-or-later
-- The interval that this connection is restricted to.
SELECT from_ns, to_ns FROM temp.interval;
