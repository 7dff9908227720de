-- SPDX-License-Identifier: GPL-2.0-or-later
-- The version of the schema.
SELECT user_version FROM pragma_user_version;
