-- SPDX-License-Identifier: GPL-2.0-or-later
-- The sampling factor of counts.
SELECT coalesce((SELECT factor FROM scale), 1);
