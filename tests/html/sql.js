// SPDX-License-Identifier: GPL-2.0-or-later
/* The expected tables and histograms of a page, by SQL on the views, independent of the page's own code. */
'use strict';
const { execFileSync } = require('node:child_process');
const tap = require('./tap.js');

const STEPS = 200;
const LARGE = { encoding: 'utf8', maxBuffer: 1 << 28 };

/* A database, and the steps into which its page divides time. */
class Trace {
	constructor(tool, db) {
		Object.assign(this, { tool, db });
		const [{ span, width }] = this.query(`SELECT value AS span, value / ${STEPS} + 1 AS width FROM meta WHERE key = 'span_ns'`);
		const times = this.query('SELECT time_ns FROM marks').map((mark) => mark.time_ns).filter((ns) => ns > 0 && ns < span);

		for (let ns = 0; ns < span; ns += width)
			times.push(ns);
		const bounds = [...new Set([...times, span])].sort((a, b) => a - b);
		Object.assign(this, { span, width, bounds, count: bounds.length - 1 });
	}

	ask(...args) {
		return JSON.parse(execFileSync(this.tool, [...args, this.db], LARGE));
	}

	query(sql) {
		return JSON.parse(execFileSync(this.tool, ['query', '--json', this.db, sql.replace(/\s+/g, ' ').trim()], LARGE));
	}
}

/*
 * The figures of each group after the bound numbered from, up to the one numbered to, by SQL.
 * Objects being freed by RCU end with the trace; so do freed parts of a live block.
 */
function groups(trace, kind, name, from, to) {
	const a = from ? trace.bounds[from] : -1, z = trace.bounds[to], left = to === trace.count ? 'bytes_left' : 'bytes_alloc';
	const liveAt = (t) => `time_ns <= ${t} AND (end_ns IS NULL OR end_ns > ${t})`;
	const rows = trace.query(`WITH lives AS (SELECT *, CASE state_id WHEN 4 THEN ${trace.span} ELSE time_ns + lifetime_ns END AS end_ns
			FROM allocations WHERE kind = '${kind}' AND backing_id = 0)
		SELECT ${name} AS name,
		sum(CASE WHEN ${liveAt(z)} THEN ${left} ELSE 0 END) AS live,
		sum(${liveAt(z)}) AS liveCount,
		sum(CASE WHEN ${liveAt(z)} THEN ${left} ELSE 0 END) - sum(CASE WHEN ${liveAt(a)} THEN bytes_alloc ELSE 0 END) AS growth,
		sum(CASE WHEN time_ns > ${a} AND time_ns <= ${z} THEN bytes_alloc ELSE 0 END) AS bytes,
		sum(time_ns > ${a} AND time_ns <= ${z}) AS allocs,
		sum(end_ns > ${a} AND end_ns <= ${z}) AS ends,
		sum(CASE WHEN time_ns > ${a} AND time_ns <= ${z} THEN waste ELSE 0 END) AS waste
		FROM lives GROUP BY 1`);

	return Object.fromEntries(rows.map(({ name: key, ...values }) =>
		[key, Object.fromEntries(Object.entries(values).map(([k, v]) => [k, v ?? 0]))])
		.filter(([, v]) => v.allocs || v.ends || v.live || v.growth));
}

const MODULE = "coalesce(module, CASE WHEN caller IN (SELECT caller FROM tracer_sites) THEN '(the tracer)' END, '')";
const SITE = `trim(coalesce(caller, '(unknown)') || ' ' || ${MODULE})`, CACHE = "coalesce(cache, '(no cache)')";

const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

/* The lifetimes that ended in this interval, in bins of 1, 2, 5, 10 … ns. */
function lives(trace, kind, from, to) {
	const bins = {};
	const edges = [0];

	for (let decade = 1; decade < 1e15; decade *= 10)
		edges.push(decade, 2 * decade, 5 * decade);
	for (const { ns, bytes, end } of trace.query(`SELECT lifetime_ns AS ns, bytes_alloc AS bytes, time_ns + lifetime_ns AS end FROM allocations
		WHERE kind = '${kind}' AND backing_id = 0 AND state_id IN (1, 3)`)) {
		const edge = edges.filter((e) => e <= ns).pop();

		if ((from && end <= trace.bounds[from]) || end > trace.bounds[to])
			continue;
		bins[edge] = [(bins[edge]?.[0] ?? 0) + 1, (bins[edge]?.[1] ?? 0) + bytes];
	}
	return bins;
}

function left(trace, kind, from, to) {
	return sorted(Object.fromEntries(trace.query(`SELECT trim(coalesce(caller, '(unknown)') || ' ' || ${MODULE} || ' ' ||
			coalesce((SELECT replace(text, ' < ', ' ') FROM stacks WHERE id = stack), '')) AS name,
		${trace.span} - min(time_ns) AS age, sum(bytes_left) AS bytes, count(*) AS count
		FROM live WHERE kind = '${kind}' AND backing_id = 0 AND time_ns > ${from ? trace.bounds[from] : -1} AND time_ns <= ${trace.bounds[to]}
		GROUP BY stack, caller, module`).map(({ name, ...values }) => [name.replace(/ +/g, ' '), values])));
}

/* Each table and the histogram that the page shows, for this interval. */
async function checkTables(page, trace, what, kind, from, to) {
	const sites = await page.table('table-sites');

	tap.is(`${what}: call sites`, sorted(sites), sorted(groups(trace, kind, SITE, from, to)));
	if (kind === 'slab')
		tap.is(`${what}: caches`, sorted(await page.table('table-caches')), sorted(groups(trace, kind, CACHE, from, to)));
	tap.is(`${what}: their sum`, (await page.sum('table-sites')).bytes, Object.values(sites).reduce((sum, row) => sum + row.bytes, 0));
	const processes = await page.table('table-processes');
	const held = trace.ask('live', '--json', '--by', 'process', '-n', '100000', '--at', `${trace.bounds[to]}ns`).holders.filter((row) => row.kind === kind);
	tap.is(`${what}: processes`, sorted(Object.fromEntries(Object.entries(processes).filter(([, row]) => row.liveCount).map(([key, row]) => [key, [row.live, row.liveCount]]))),
		sorted(Object.fromEntries(held.map((row) => [row.name, [row.live_bytes, row.live_count]]))));
	tap.is(`${what}: their sum`, await page.sum('table-processes'), await page.sum('table-sites'));
	tap.is(`${what}: sizes`, sorted(await page.table('table-sizes')), sorted(groups(trace, kind, 'coalesce(bytes_req, -1)', from, to)));
	const old = await page.table('table-old');
	tap.is(`${what}: live bytes by stack`, sorted(Object.fromEntries(Object.entries(old).map(([k, v]) => [k.replace(/ +/g, ' '), v]))),
		left(trace, kind, from, to));
	const bins = await page.run(() => Object.fromEntries([...document.querySelectorAll('#histogram .bin')]
		.filter((bin) => bin.dataset.count !== '0').map((bin) => [bin.dataset.edge, [Number(bin.dataset.count), Number(bin.dataset.bytes)]])));
	tap.is(`${what}: the histogram of sizes`, (await page.run(() => [...document.querySelectorAll('#size-histogram .bin')].map((bin) => Number(bin.dataset.value))))
		.reduce((a, b) => a + b, 0), (await page.sum('table-sizes')).live);
	tap.is(`${what}: lifetimes`, sorted(bins), sorted(lives(trace, kind, from, to)));
	tap.is(`${what}: live bytes in the summary`, await page.value('#sum-live'), Object.values(sites).reduce((sum, row) => sum + row.live, 0));
}

module.exports = { Trace, checkTables };
