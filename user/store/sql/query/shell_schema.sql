-- SPDX-License-Identifier: GPL-2.0-or-later
SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND (:name = '' OR name = :name) ORDER BY name;
