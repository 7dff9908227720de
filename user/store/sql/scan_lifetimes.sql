-- SPDX-License-Identifier: GPL-2.0-or-later
-- How long each lived.
SELECT origin, lifetime_ns, ending, task FROM lifetime WHERE rowid BETWEEN :first AND :last;
