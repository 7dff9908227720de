-- SPDX-License-Identifier: GPL-2.0-or-later
-- Caches of the trace that the allocator has merged with others, those with most allocations first.
SELECT m.cache, m.merged_with, sum(t.count * o.bytes_alloc) * factor AS total_bytes, sum(t.count) * factor AS count
FROM scale, caches m JOIN cache c ON c.name = m.cache JOIN origin o ON o.cache = c.id JOIN alloc_total t ON t.origin = o.id
WHERE m.merged_with IS NOT NULL
GROUP BY m.cache ORDER BY total_bytes DESC, m.cache LIMIT :limit;
