-- SPDX-License-Identifier: GPL-2.0-or-later
-- Settings of begin.sql that had no effect; no row if all did.
SELECT 'journal_mode', journal_mode FROM pragma_journal_mode WHERE journal_mode <> 'off'
UNION ALL SELECT 'synchronous', synchronous FROM pragma_synchronous WHERE synchronous <> 0
UNION ALL SELECT 'locking_mode', locking_mode FROM pragma_locking_mode WHERE locking_mode <> 'exclusive'
UNION ALL SELECT 'application_id', application_id FROM pragma_application_id WHERE application_id <> {application_id}
UNION ALL SELECT 'user_version', user_version FROM pragma_user_version WHERE user_version <> {user_version};
