// SPDX-License-Identifier: GPL-2.0-or-later
/* odd.js TOOL FOLDER: the pages of FOLDER, of hostile, incomplete, sampled, empty and large databases. Prints TAP. */
'use strict';
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');
const { Browser } = require('./browser.js');
const { Page } = require('./look.js');
const { Trace, checkTables } = require('./sql.js');
const tap = require('./tap.js');

const [tool, folder] = process.argv.slice(2);
const EVIL = '</script><script>window.bad=1</script><img src=x onerror=window.bad=2>&amp;"\'<!--';

function query(db, sql) {
	return JSON.parse(execFileSync(tool, ['query', '--json', join(folder, db), sql], { encoding: 'utf8' }));
}

async function open(page, name) {
	await page.browser.open(join(folder, name));
	return name;
}

async function checkEvil(page) {
	await open(page, 'evil.html');
	await page.run(() => document.querySelectorAll('.choice input, [role="tab"], thead button').forEach((one) => one.click()));
	await page.choose('0');
	await page.run(() => document.querySelectorAll('summary').forEach((one) => one.click()));
	tap.is('hostile names do nothing', await page.run(() => window.bad), undefined);
	tap.is('they make no elements', await page.run(() => document.querySelectorAll('img, b:not(#detail b, #marks b)').length), 0);
	tap.is('two scripts, as in any page', await page.run(() => document.scripts.length), 2);
	tap.ok('a call site is text', (await page.run(() => document.querySelector('#table-sites tbody th').textContent)).startsWith(EVIL));
	tap.ok('a cache is text', (await page.run(() => document.querySelector('#table-caches tbody').textContent)).includes(EVIL));
	tap.ok('a frame is text', (await page.run(() => document.querySelector('#node-1').dataset.name)).startsWith(EVIL));
	tap.ok('a command is text', (await page.text('#facts')).includes(EVIL));
	tap.ok('a path is text', (await page.text('#trust')).includes(EVIL));
	tap.ok('a mark is text', (await page.text('#marks')).includes(EVIL));
	await page.browser.key('/');
	await page.browser.type('<img');
	tap.like('the matches', await page.text('#found'), /^in [\d,]+ places, /);
	const hidden = await page.run(() => /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.exec(
		[...document.querySelectorAll('body *:not(script)')].map((one) => [one.getAttribute('title'), one.getAttribute('aria-label'),
			...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data)].join('')).join(''))?.[0] ?? '');
	tap.is('no hidden or direction-changing character', JSON.stringify(hidden), '""');
	tap.ok('it is escaped as the tool does', (await page.run(() => document.querySelector('#table-caches tbody').textContent)).includes('\\342\\200\\256\\033'));
	await open(page, 'name.html');
	tap.is('a trace\u2019s name is text', await page.text('#title'), '<b>&.db');
	tap.is('in the title too', await page.run(() => document.title), '<b>&.db \u2013 kmemtrace');
}

async function checkIncomplete(page) {
	await open(page, 'cut.html');
	tap.is('an incomplete trace is shown in red', await page.trust(), 'bad');
	tap.like('and how', await page.text('#trust p'), /^Trust: INCOMPLETE: .*the trace is cut at byte \d+/);
}

async function checkMarks(page) {
	await open(page, 'x.html');
	tap.is('without marks there is no list of marks', await page.run(() => document.querySelectorAll('#marks, .mark').length), 0);
	await open(page, 'many.html');
	tap.is('marks are listed', await page.run(() => [...document.querySelectorAll('#marks b')].map((b) => b.textContent)), ['first', 'second']);
	tap.is('and drawn', await page.run(() => document.querySelectorAll('#chart .mark').length), 2);
	await page.press('#marks button');
	const trace = new Trace(tool, join(folder, 'many.db'));
	const times = query('many.db', 'SELECT time_ns FROM marks').map((mark) => mark.time_ns);
	const steps = times.map((ns) => trace.bounds.indexOf(ns));
	tap.is('a click on a mark selects up to the next, exactly', [await page.interval(), await page.text('#interval')],
		[steps, times.map((ns) => `${ns / 1e6}ms`).join(' to ')]);
	tap.is('an allocation is made at the first', query('many.db', `SELECT count(*) > 0 AS any FROM allocations WHERE time_ns = ${times[0]}`)[0].any, 1);
	await checkTables(page, trace, 'between marks', 'slab', ...steps);
	await page.browser.open(join(folder, 'many.html'), `#from=0&to=${times[0]}`);
	const [slab] = trace.ask('live', '--json', '--at', `${times[0]}ns`).live;
	tap.is('what is live at an allocation\u2019s time includes it, as in live --at', await page.value('#sum-live'), slab.live_bytes);
}

async function checkManyMarks(page) {
	await open(page, 'marked.html');
	tap.is('the number of marks is limited', await page.run(() => document.querySelectorAll('#marks li').length), 1000);
	tap.like('and the total is shown', await page.text('#cut'), /marks: the first 1000 of 1,234/);
}

async function checkSample(page) {
	await open(page, 'sample.html');
	const [slab] = query('sample.db', "SELECT * FROM kinds WHERE kind = 'slab'");

	tap.like('a sample is reported', await page.text('#trust'), /1 in 8 SAMPLED: counts and bytes below are scaled by 8/);
	tap.is('live bytes are scaled', await page.value('#sum-live'), 8 * slab.live_bytes);
	tap.is('those of the table too', (await page.sum('table-sites')).bytes, 8 * slab.bytes_total);
	tap.is('and of the tree', await page.run(() => Number(document.querySelector('#node-0').dataset.total)), 8 * slab.live_bytes);
	tap.is('counts of lives too', await page.run(() => [...document.querySelectorAll('#histogram .bin')].every((bin) => bin.dataset.count % 8 === 0)), true);
	tap.is('and live bytes by stack', (await page.sum('table-old')).bytes, 8 * slab.live_bytes);
	tap.like('the map is of the sample, and says so', await page.text('#map-sample'), /only the sampled pages, 1 in 8: it isn\u2019t scaled/);
	tap.is('and it is unscaled', await page.run(() => [...document.querySelectorAll('#blocks .cell')].reduce((sum, cell) => sum + Number(cell.dataset.movable), 0)),
		query('x.db', 'SELECT sum(movable_pages) AS pages FROM pageblocks')[0].pages);
	const [oldest] = query('x.db', "SELECT (SELECT value FROM meta WHERE key = 'span_ns') - min(time_ns) AS age FROM live WHERE kind = 'slab'");
	tap.is('but no time is scaled', (await page.sum('table-old')).age, oldest.age);
}

async function checkLarge(page) {
	await open(page, 'large.html');
	const rows = await page.table('table-sites');
	const [slab] = query('x.db', "SELECT * FROM kinds WHERE kind = 'slab'");

	tap.ok('omitted call sites are one row', Object.keys(rows).some((name) => /^\d+ other call sites$/.test(name)), Object.keys(rows).length);
	tap.is('the sum includes them', (await page.sum('table-sites')).bytes, slab.bytes_total);
	tap.is('that of the tree, too', await page.run(() => Number(document.querySelector('#node-0').dataset.total)), slab.live_bytes);
	tap.ok('omitted functions of the tree are hatched', await page.run(() => document.querySelectorAll('.box.gone').length));
	tap.like('the end of the page lists omitted rows', await page.text('#cut'), /slab: of \d+ call sites, \d+ are listed one by one, all others together/);
	tap.like('of trees, too', await page.text('#cut'), /slab: of [\d,]+ functions in the top-down tree, [\d,]+ are drawn; none of the others has more than/);
}

/*
 * Per-CPU memory and vmalloc space, memory that RCU is freeing, and paths that were not requested.
 */
async function checkKinds(page) {
	const trace = new Trace(tool, join(folder, 'v2.db'));

	await open(page, 'v2.html');
	tap.like('events that were not recorded are reported', await page.text('#trust'), /UNSEEN|NOT TRACED/);
	tap.is('a complete trace is green, whatever was not requested', await page.trust(), 'good');
	const [rcu] = trace.query("SELECT freeing_count FROM kinds WHERE kind = 'slab'");
	tap.like('objects being freed by RCU are reported', await page.text('#freeing'), new RegExp(`^${rcu.freeing_count} more, `));
	for (const [kind, name] of ['slab', 'page', 'percpu', 'vmalloc'].entries()) {
		await page.choose(String(kind));
		await checkTables(page, trace, `${name} of 6.12`, name, 0, trace.count);
		await page.run(() => document.getElementById('border-to').focus());
		for (let i = 0; i < 6; i++)
			await page.browser.key('PageDown');
		await checkTables(page, trace, `${name} of 6.12, a part`, name, 0, trace.count - 60);
		await page.press('#whole');
	}
}

/* Verdicts, patterns and evidence equal those of the command leaks, in its order and wording. */
async function checkLeaks(page) {
	const ask = (...args) => execFileSync(tool, ['leaks', '-n', '50', ...args, join(folder, 'leak.db')], { encoding: 'utf8' });
	const leaks = JSON.parse(ask('--json')), words = ask().replace(/\s+/g, ' ');
	const expected = leaks.slab.map((row) => [row.verdict, `${row.holder} ${row.module ?? ''}`.trim(), row.old_bytes, row.old_count, row.live_bytes, row.oldest_ns, row.shape]);

	await open(page, 'leak.html');
	const rows = await page.run(() => [...document.querySelectorAll('#table-leaks tbody tr')].map((row) =>
		Object.fromEntries([...[...row.children].map((cell) => [cell.dataset.key, [cell.textContent, cell.dataset.value]]),
			['evidence', row.querySelector('.evidence')?.textContent]])));
	tap.is('suspected leaks are those of leaks, in its order', rows.map((row) => [row.verdict[0], row.name[1].trim(), ...['bytes', 'count', 'live', 'age'].map((key) => Number(row[key][1])),
		row.shape[0]]), expected);
	tap.is('the first is a likely leak', [rows[0].verdict[0], rows[0].name[1]], ['likely leak', 'truth_take_leaked kmemtrace_truth']);
	tap.ok('with the evidence that leaks prints', rows[0].evidence && words.includes(`likely leak: truth_take_leaked [kmemtrace_truth], ${rows[0].evidence} `), rows[0].evidence);
	tap.ok('and its conclusion', words.trim().endsWith((await page.text('#conclusion')).slice(0, -1)), await page.text('#conclusion'));
	tap.like('leaks say that they are of the whole trace', await page.text('#leaks .note'), /^The whole trace, whatever interval is selected/);
	await page.choose('1');
	tap.is('the leaks of another kind', await page.run(() => [...document.querySelectorAll('#table-leaks tbody th')].map((cell) => cell.dataset.value.trim())),
		leaks.page.map((row) => `${row.holder} ${row.module ?? ''}`.trim()));
}

/*
 * A program's calls continue, inwards, in the kernel's calls; in the tree below the allocator's
 * caller they come last.
 */
async function checkUser(page) {
	await open(page, 'user.html');
	await page.run(() => {
		const select = document.getElementById('metric');
		select.value = 'bytes';
		select.dispatchEvent(new Event('change'));
	});
	const rows = await page.tree();
	const sums = Object.fromEntries(query('user.db', `SELECT coalesce(user_stack, 0) AS stack, sum(bytes_alloc) AS bytes FROM allocations
		WHERE kind = 'slab' AND backing_id = 0 GROUP BY 1`).map((row) => [row.stack, row.bytes]));
	const at = rows.findIndex(([depth, name]) => depth === 1 && name === 'main');

	tap.is('a program is the root of a stack, with all its allocations', rows[at], [1, 'main', sums[2], 0]);
	tap.is('its library is next', rows[at + 1], [2, 'take<b>', sums[2], 0]);
	tap.ok('and then the kernel', rows[at + 2]?.[0] === 3 && !/main|take/.test(rows[at + 2][1]), rows[at + 2]);
	tap.is('unnamed frames are one', rows.filter(([depth, name]) => depth === 1 && name === '(unknown)').map(([, , total]) => total), [sums[3]]);
	tap.is('nothing is lost or counted twice', rows[0], [0, 'everything', sums[0] + sums[2] + sums[3], 0]);
	tap.like('a program is named as a module is', await page.run((i) => document.querySelectorAll('#flame .box[data-name="main"]')[i].getAttribute('aria-label'), 0),
		/^main \[prog\], /);
	await page.choose('inverted');
	tap.is('inverted, it ends a stack', (await page.tree()).filter(([, name, , self]) => name === 'main' && self).length > 0, true);
}

async function checkNone(page) {
	await open(page, 'none.html');
	tap.is('a trace without allocations says so', await page.text('#summary'), 'Nothing was allocated during the trace.');
}

async function main() {
	const browser = await Browser.start(1000, 800);
	const page = new Page(browser);

	try {
		await checkEvil(page);
		await checkIncomplete(page);
		await checkMarks(page);
		await checkManyMarks(page);
		await checkSample(page);
		await checkLarge(page);
		await checkKinds(page);
		await checkLeaks(page);
		await checkUser(page);
		await checkNone(page);
		tap.is('no complaint in the console', browser.complaints(), []);
		tap.is('no request', browser.requests(), []);
	} finally {
		await browser.stop();
	}
	tap.end();
}

main().catch((error) => {
	tap.ok('the browser runs the tests', false, error.stack);
	tap.end();
});
