-- SPDX-License-Identifier: GPL-2.0-or-later
-- The file is new and private: protecting old data, or locking out a second user, would only cost time.
-- Values in braces come from db.h: a pragma takes no parameters.
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -65536;
PRAGMA application_id = {application_id};
PRAGMA user_version = {user_version};
BEGIN;
