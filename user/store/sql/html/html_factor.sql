-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a count stands for.
SELECT coalesce((SELECT factor FROM scale), 1);
