-- SPDX-License-Identifier: GPL-2.0-or-later
SELECT application_id, user_version FROM pragma_application_id, pragma_user_version;
