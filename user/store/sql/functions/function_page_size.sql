-- SPDX-License-Identifier: GPL-2.0-or-later
SELECT value FROM meta WHERE key = 'page_size';
