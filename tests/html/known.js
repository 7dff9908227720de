// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * known.js TOOL DATABASE PAGE FOLDER: a page of a trace shows the tool's figures in every view, and
 * all its controls work. Leaves screenshots and a printout in FOLDER. Prints TAP.
 */
'use strict';
const { execFileSync } = require('node:child_process');
const { readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { Browser } = require('./browser.js');
const { Page } = require('./look.js');
const { Trace, checkTables } = require('./sql.js');
const tap = require('./tap.js');

const [tool, db, file, folder] = process.argv.slice(2);
const trace = new Trace(tool, db);
const { span, width, count } = trace;
const ask = (...args) => trace.ask(...args);
const query = (sql) => trace.query(sql);

async function checkHead(page) {
	const lines = execFileSync(tool, ['peak', db], { encoding: 'utf8' }).split('\n').filter((line) => line.startsWith('Trust:'));

	tap.is('the first line is that of the command line', await page.text('#trust p'), lines[0]);
	tap.is('a complete trace is green, also with truncated stacks', await page.trust(), 'good');
	tap.like('truncated stacks are reported', await page.text('#trust'), /Stacks: CUT at 16 frames for \d+% of slab/);
	tap.like('the facts of the trace', await page.text('#facts'), /^Linux 6\.1\S+ x86_64 · 2 CPUs · 2,844 events in 137\.4ms · bash -c/);
}

async function checkChart(page, kind, peak) {
	const legend = await page.run(() => [...document.querySelectorAll('#legend li:not(.when) [data-value]')].map((v) => Number(v.dataset.value)));
	const [all] = query(`SELECT live_bytes FROM kinds WHERE kind = '${kind}'`);

	tap.is(`${kind}: the layers at the end make the live bytes`, legend.reduce((a, b) => a + b, 0), all.live_bytes);
	tap.is(`${kind}: each layer is drawn`, await page.run(() => document.querySelectorAll('#chart .areas path').length), legend.length);
	tap.is(`${kind}: the peak`, await page.value('#sum-peak'), peak.live_bytes);
	tap.like(`${kind}: the peak is in the chart`, await page.text('#chart .peak text'), /^peak \d/);
}

/* Hovering over the chart shows the live bytes at that time. */
async function checkPointing(page) {
	const box = await page.box('#chart .brush .overlay');

	await page.browser.mouse('mouseMoved', box.x + box.width / 2, box.y + box.height / 2);
	const [when, sum] = await page.run(() => [...document.querySelectorAll('#legend .when span')].map((span) => span.textContent));
	const [live] = query(`SELECT sum(bytes_alloc) AS bytes FROM allocations WHERE kind = 'slab' AND backing_id = 0 AND
		time_ns <= ${100 * width} AND (lifetime_ns IS NULL OR time_ns + lifetime_ns > ${100 * width})`);
	tap.is('the time under the pointer', when, `at ${(100 * width / 1e6).toFixed(1)}ms`);
	tap.is('the live bytes at that time', sum, `${(live.bytes / 1024).toFixed(1)}K`);
}

/* Commands with the displayed bounds give the figures of the page. */
async function checkCommands(page) {
	const [from, to] = (await page.text('#interval')).split(' to ');
	const [slab] = ask('live', '--json', '--at', to).live;
	const sites = await page.table('table-sites');
	const grown = ask('leaks', '--json', '-n', '1000', '--from', from, '--to', to).slab;

	tap.is('what does not follow the interval says so', await page.run(() => ['leaks', 'tree', 'pages'].filter((id) =>
		![...document.querySelectorAll(`#${id} .note`)].some((note) => /\bwhole trace\b/.test(note.textContent)))), []);
	tap.is('live --at the end of the interval has the same bytes', slab.live_bytes, await page.value('#sum-live'));
	tap.is('and the same count', slab.live_count, (await page.sum('table-sites')).liveCount);
	tap.ok('leaks --from --to has call sites that grew', grown.length > 3, grown.length);
	tap.is('and the same growth', grown.map((row) => sites[`${row.holder} ${row.module ?? ''}`.trim()]?.growth), grown.map((row) => row.grown_bytes));
}

async function checkBrush(page) {
	const box = await page.box('#chart .brush .overlay');
	const y = box.y + box.height / 2, x = (step) => box.x + (box.width * step * width) / span;

	await page.browser.drag(x(61), x(120), y);
	tap.is('dragging selects an interval', await page.interval(), [61, 120]);
	tap.is('which is shown to the nanosecond', await page.text('#interval'), [61, 120].map((step) => `${step * width / 1e6}ms`).join(' to '));
	await checkCommands(page);
	await checkTables(page, trace, 'dragged', 'slab', 61, 120);
	await page.browser.drag(x(90), x(100), y);
	tap.is('dragging the interval moves it', await page.interval(), [71, 130]);
	await page.browser.drag(x(130), x(150), y);
	tap.is('dragging its border widens it', await page.interval(), [71, 150]);
	await checkTables(page, trace, 'moved and widened', 'slab', 71, 150);
	await page.browser.click(x(20), y);
	tap.is('a click beside it selects the whole trace', await page.interval(), [0, count]);
	await page.browser.drag(x(10), x(20), y);
	await page.run(() => document.activeElement.blur());
	await page.browser.key('Escape');
	tap.is('so does Escape, wherever the focus is', await page.interval(), [0, count]);
	await page.browser.drag(x(10), x(20), y);
	await page.press('#whole');
	tap.is('the button selects the whole trace, too', await page.interval(), [0, count]);
}

async function checkIntervalKeys(page) {
	await page.run(() => document.getElementById('border-from').focus());
	for (const key of ['PageUp', 'PageUp', 'ArrowRight', 'ArrowUp', 'ArrowLeft'])
		await page.browser.key(key);
	await page.run(() => document.getElementById('border-to').focus());
	for (const key of ['PageDown', 'ArrowLeft'])
		await page.browser.key(key);
	tap.is('keys move the borders', await page.interval(), [21, count - 11]);
	await checkTables(page, trace, 'by keys', 'slab', 21, count - 11);
	await page.browser.key('Home');
	tap.is('borders do not cross', await page.interval(), [21, 22]);
	await page.browser.key('Escape');
	tap.is('Escape selects the whole trace', await page.interval(), [0, count]);
}

/* The selection is in the URL: a link keeps it, and Back undoes it. */
async function checkAddress(page) {
	const hash = () => page.run(() => location.hash);
	const type = (selector, text) => page.run((s, t) => {
		const field = document.querySelector(s);

		for (let i = 1; i <= t.length; i++) {
			field.value = t.slice(0, i);
			field.dispatchEvent(new Event('input'));
		}
	}, selector, text);
	const shown = () => page.run(() => ({
		interval: document.getElementById('interval').textContent,
		kind: document.querySelector('#bar .choice input:checked').value,
		tab: document.querySelector('[role="tabpanel"]:not(.closed)').id,
		shape: document.querySelector('#tree .choice input:checked').value,
		metric: document.getElementById('metric').value,
		search: document.getElementById('search').value,
		find: document.querySelector('#panel-caches input').value,
	}));
	const back = () => page.run(() => new Promise((done) => {
		addEventListener('popstate', () => done(), { once: true });
		history.back();
	}));
	const begin = await shown();

	tap.is('nothing is chosen in the beginning', await hash(), '');
	const box = await page.box('#chart .brush .overlay');
	const y = box.y + box.height / 2, x = (step) => box.x + (box.width * step * width) / span;
	await page.browser.drag(x(61), x(120), y);
	tap.is('the interval is in the address', await hash(), `#from=${61 * width}&to=${120 * width}`);
	const dragged = await shown();
	await page.press('#tab-caches');
	await page.choose('flame');
	await type('#panel-caches input', 'kmalloc');
	const before = await shown();
	await type('#search', 'truth <&"');
	const link = await hash(), all = await shown();
	tap.is('so is all that is chosen', link, `#from=${61 * width}&to=${120 * width}&tab=caches&shape=flame&search=truth+%3C%26%22&find-caches=kmalloc`);
	await back();
	tap.is('Back undoes a search, not each of its letters', await shown(), before);
	for (let i = 0; i < 3; i++)
		await back();
	tap.is('and what was chosen before', await shown(), dragged);
	await back();
	tap.is('down to the beginning', [await shown(), await hash()], [begin, '']);
	await page.browser.open(file, link);
	tap.is('a link shows the same', await shown(), all);
	tap.is('and its interval', await page.interval(), [61, 120]);
	tap.ok('and its rows', await page.run(() => [...document.querySelectorAll('#table-caches tbody th')].every((name) => name.textContent.includes('kmalloc'))));
	await page.browser.open(file, `#kind=none&from=${120 * width}&to=${61 * width}&shape=round&metric=%00&by=constructor&__proto__=1&tab=x`);
	tap.is('values that are none are ignored', await shown(), begin);
	await page.browser.open(file);
}

/* The page's tree as lines "path total self"; below, the tool's. */
function treeLines(rows) {
	const path = [];

	return rows.filter(([, , total]) => total > 0).map(([depth, name, total, self]) => {
		path.length = depth;
		path[depth] = name;
		return `${path.join(';')} ${total} ${self}`;
	}).sort();
}

const KEYS = { bytes: 'bytes', count: 'count', live: 'live_bytes', 'live-count': 'live_count', peak: 'peak_bytes', 'peak-count': 'peak_count',
	waste: 'waste_bytes', temporary: 'temporary', 'byte-seconds': 'byte_seconds', lived: 'lived_us' };

/* All entries with a total, which are wide enough to be drawn. */
function toolTree(kind, metric, ...more) {
	const { tree } = ask('report', '--by', 'stack', '--json', '--kind', kind, '--metric', metric, ...more);
	const scale = metric === 'byte-seconds' ? 1000 : 1, key = KEYS[metric];
	const lines = [], paths = [];
	const all = tree[0][`total_${key}`];

	for (const node of tree) {
		const total = node[`total_${key}`];

		paths[node.id] = node.id ? `${paths[node.parent]};${node.function}` : node.function;
		if (total > 0 && total >= 0.0008 * all)
			lines.push(`${paths[node.id]} ${Math.round(total * scale)} ${Math.round(node[`self_${key}`] * scale)}`);
	}
	return lines.sort();
}

async function checkTree(page, kind) {
	for (const metric of Object.keys(KEYS)) {
		await page.run((name) => {
			const select = document.getElementById('metric');
			select.value = name;
			select.dispatchEvent(new Event('change'));
		}, metric);
		await page.choose('icicle');
		tap.is(`${kind}: the tree of ${metric}`, treeLines(await page.tree()), toolTree(kind, metric));
		await page.choose('inverted');
		tap.is(`${kind}: inverted, ${metric}`, treeLines(await page.tree()), toolTree(kind, metric, '--caller'));
	}
	await page.choose('icicle');
}

async function checkSearch(page) {
	const { functions } = ask('report', '--by', 'function', '--json', '--kind', 'slab');
	const wanted = functions.find((one) => one.function === 'truth_take_all');

	await page.run(() => {
		const select = document.getElementById('metric');
		select.value = 'bytes';
		select.dispatchEvent(new Event('change'));
		document.activeElement.blur();
	});
	await page.browser.key('/');
	tap.is('/ goes to the search', await page.run(() => document.activeElement.id), 'search');
	await page.browser.type('take_all');
	tap.is('the matches, in bytes', await page.value('#found'), wanted.total_bytes);
	tap.like('and in words', await page.text('#found'), /^in 2 places, 243\.8K, 21\.6%$/);
	tap.is('it is marked', await page.run(() => [...document.querySelectorAll('.box.match')].map((box) => box.dataset.name)), ['truth_take_all', 'truth_take_all']);
	await page.run(() => {
		const search = document.getElementById('search');
		search.value = '';
		search.dispatchEvent(new Event('input'));
	});
	tap.is('and no more', await page.run(() => document.querySelectorAll('.box.match').length), 0);
}

/* The callers and callees of a function are the branches of the trees that the tool prints below it. */
async function checkCalls(page) {
	const name = 'ksys_write';
	const rows = (table) => page.run((id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) =>
		[row.children[0].dataset.value.replace(/ \[.*\]$/, ''), Number(row.children[1].dataset.value)]).sort(), table);

	for (const metric of ['count', 'bytes']) {
		await page.run((m) => {
			const select = document.getElementById('metric');
			select.value = m;
			select.dispatchEvent(new Event('change'));
		}, metric);
		await page.run((n) => {
			const field = document.getElementById('function');
			field.value = n;
			field.dispatchEvent(new Event('input'));
		}, name);
		for (const [table, ...more] of [['table-callees'], ['table-callers', '--caller']]) {
			const { tree } = ask('report', '--by', 'stack', '--json', '--kind', 'slab', '--metric', metric, '--callee', name, ...more);
			const top = tree.find((node) => node.function === name);
			const branches = tree.filter((node) => node.parent === top.id && node[`total_${KEYS[metric]}`]);

			tap.is(`${table} by ${metric}`, await rows(table), branches.map((node) => [node.function, node[`total_${KEYS[metric]}`]]).sort());
			tap.ok('there are some', branches.length > 0);
		}
	}
	await page.press('#table-callees tbody button');
	const callee = await page.run(() => document.getElementById('function').value);
	tap.ok('a click on a callee shows its callers', callee !== name && (await rows('table-callers')).some(([caller]) => caller === name), callee);
	tap.is('it is in the address', await page.run(() => new URLSearchParams(location.hash.slice(1)).get('function')), callee);
	const box = await page.box('.box[data-name="kernel_clone"]');
	await page.browser.click(box.x + box.width / 2, box.y + box.height / 2);
	tap.is('so does a click in the tree', await page.run(() => document.getElementById('function').value), 'kernel_clone');
	await page.press('#zoom-out');
}

async function checkZoom(page) {
	const name = 'kernel_clone', widthOf = () => page.run((n) => document.querySelector(`.box[data-name="${n}"]`)?.style.width, name);
	const box = await page.box(`.box[data-name="${name}"]`);

	await page.browser.click(box.x + 3, box.y + 8);
	tap.is('a click zooms', await widthOf(), '100%');
	tap.like('and shows its details', await page.text('#detail'), /^kernel_clone [\d.]+K, [\d.]+% of the bytes allocated/);
	await page.run(() => document.getElementById('flame').focus());
	await page.browser.key('Escape');
	tap.ok('Escape zooms out', Number.parseFloat(await widthOf()) < 50);
	await page.browser.key('ArrowDown');
	await page.browser.key('ArrowDown');
	const [, , second] = await page.tree();
	const active = () => page.run(() => document.querySelector('.box.active')?.dataset.name);
	tap.is('arrows go inwards', await active(), 'do_syscall_64');
	tap.is('which a screen reader gets', await page.run(() =>
		document.getElementById(document.getElementById('flame').getAttribute('aria-activedescendant')).dataset.name), second[1]);
	await page.browser.key('ArrowDown');
	const child = await active();
	await page.browser.key('ArrowRight');
	tap.ok('and sideways', (await active()) !== child, child);
	await page.browser.key('ArrowLeft');
	tap.is('and back', await active(), child);
	await page.browser.key('Enter');
	tap.is('Enter zooms', await page.run((n) => document.querySelector(`.box.active[data-name="${n}"]`)?.style.width, child), '100%');
	await page.press('#zoom-out');
	await page.choose('flame');
	const [top, bottom] = await page.run(() => ['everything', 'do_syscall_64'].map((n) =>
		Number.parseFloat([...document.querySelectorAll('.box')].find((b) => b.textContent === n).style.top)));
	tap.ok('a flame graph has its root below', top > bottom);
	await page.choose('icicle');
	await page.run(() => {
		const select = document.getElementById('metric');
		select.value = 'live';
		select.dispatchEvent(new Event('change'));
	});
}

async function checkSorting(page) {
	const names = () => page.run(() => [...document.querySelectorAll('#table-sites tbody [data-key="waste"]')].map((cell) => Number(cell.dataset.value)));

	await page.press('#table-sites thead [data-key="waste"]');
	const down = await names();
	tap.ok('a click sorts, the largest first', down.length > 5 && down.every((value, i) => !i || value <= down[i - 1]));
	tap.is('a screen reader gets the order', await page.run(() => document.querySelector('#table-sites [aria-sort]').getAttribute('aria-sort')), 'descending');
	await page.press('#table-sites thead [data-key="waste"]');
	const up = await names();
	tap.ok('another one sorts upwards', up.every((value, i) => !i || value >= up[i - 1]));
	await page.press('#table-sites thead [data-key="live"]');
	await page.run(() => {
		const find = document.querySelector('#panel-sites input');
		find.value = 'truth_take_l';
		find.dispatchEvent(new Event('input'));
	});
	tap.is('rows are found by text', Object.keys(await page.table('table-sites')), ['truth_take_large kmemtrace_truth', 'truth_take_leaked kmemtrace_truth']);
	await page.run(() => {
		const find = document.querySelector('#panel-sites input');
		find.value = '';
		find.dispatchEvent(new Event('input'));
	});
	await page.run(() => document.getElementById('tab-sites').focus());
	await page.browser.key('ArrowRight');
	tap.is('arrows go to the next table', await page.run(() => [document.activeElement.id, document.querySelector('[role="tabpanel"]:not(.closed)').id]),
		['tab-caches', 'panel-caches']);
	await page.press('#tab-sites');
}

async function checkPages(page) {
	const cells = await page.run(() => [...document.querySelectorAll('.orders .heat')].filter((cell) => cell.dataset.value !== '0')
		.map((cell) => [Number(cell.dataset.order), cell.dataset.use, Number(cell.dataset.value)]));
	const orders = query(`SELECT page_order, CASE backing WHEN 'slab' THEN 'for slabs' WHEN 'kmalloc-large' THEN 'for large kmallocs'
			WHEN 'percpu' THEN 'for per-CPU' ELSE migratetype END AS use, sum(CASE state_id WHEN 0 THEN bytes_left ELSE 0 END) AS live, sum(bytes_alloc) AS bytes
		FROM allocations WHERE kind = 'page' GROUP BY 1, 2`);
	const expected = ['live', 'bytes'].flatMap((key) => orders.filter((row) => row[key]).map((row) => [row.page_order, row.use, row[key]]));
	const text = (rows) => rows.map((row) => row.join(' ')).sort();

	tap.is('pages by order and use', text(cells), text(expected));
	tap.is('the map of pageblocks', await page.run(() => [...document.querySelectorAll('#blocks .cell')].map((cell) =>
		['cell', 'movable', 'unmovable', 'reclaimable'].map((key) => Number(cell.dataset[key])))),
	query('SELECT pageblock, movable_pages, unmovable_pages, reclaimable_pages FROM pageblocks ORDER BY 1').map((row) => Object.values(row)));
	await page.run(() => document.getElementById('blocks').focus());
	await page.browser.key('End');
	const last = query('SELECT pfn, unmovable_pages AS pages FROM pageblocks ORDER BY 1 DESC LIMIT 1')[0];
	tap.is('keys go through the map', await page.text('#block-detail'),
		`page frames 0x${last.pfn.toString(16)} to 0x${(last.pfn + 511).toString(16)}: ${last.pages} unmovable of 512 pages`);
	const [free] = query("SELECT blocks FROM buddyinfo WHERE phase = 'end' AND zone = 'DMA32' AND page_order = 10");
	tap.like('free blocks', await page.text('#free tbody tr:last-child td:last-child'), new RegExp(` ${free.blocks}$`));
}

async function checkLooks(page) {
	const ground = () => page.run(() => getComputedStyle(document.body).backgroundColor);
	const media = (features, type = '') => page.browser.send('Emulation.setEmulatedMedia', { media: type, features });

	await media([{ name: 'prefers-color-scheme', value: 'light' }]);
	const light = await ground();
	for (const [width_, height] of [[1280, 900], [480, 900]]) {
		for (const scheme of ['light', 'dark']) {
			await page.browser.resize(width_, height);
			await media([{ name: 'prefers-color-scheme', value: scheme }]);
			await page.browser.evaluate('new Promise((done) => setTimeout(done, 200))');
			await page.browser.screenshot(join(folder, `page-${width_}-${scheme}.png`));
			tap.ok(`a screenshot, ${width_} wide, ${scheme}`, statSync(join(folder, `page-${width_}-${scheme}.png`)).size > 50000);
			tap.ok(`nothing is wider than the window of ${width_}`, await page.run(() => document.documentElement.scrollWidth <= innerWidth));
		}
	}
	tap.ok('dark is another colour', (await ground()) !== light);
	await page.press('#theme');
	tap.is('the switch makes it light', await ground(), light);
	await page.press('#theme');
	tap.ok('and dark', (await ground()) !== light);
	await page.press('#theme');
	await page.browser.resize(1280, 900);
	await media([], 'print');
	tap.is('a print has all tables', await page.run(() => [...document.querySelectorAll('[role="tabpanel"]')].map((panel) =>
		getComputedStyle(panel).display)), ['block', 'block', 'block', 'block']);
	await page.browser.pdf(join(folder, 'page.pdf'));
	tap.is('and is made', readFileSync(join(folder, 'page.pdf')).subarray(0, 5).toString(), '%PDF-');
	await media([{ name: 'prefers-color-scheme', value: 'light' }]);
}

/*
 * On wide and narrow screens, for each kind: nothing is outside the window, no labels overlap, and
 * deep stacks scroll.
 */
async function checkWidths(page) {
	const steps = () => page.browser.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

	for (const width_ of [1400, 900, 400, 320]) {
		await page.browser.resize(width_, 400);
		for (const kind of ['slab', 'page']) {
			await page.browser.open(file, `#kind=${kind}&from=${width}&to=${150 * width}&function=vfs_write&tab=old`);
			await steps();
			tap.is(`${kind} at ${width_} pixels: nothing is misplaced`, await page.misplaced(), []);
		}
	}
	tap.ok('a deep stack scrolls to its end', await page.run(() => {
		const box = document.querySelector('.flame-box'), last = [...box.querySelectorAll('.box')].reduce((a, b) => (a.offsetTop > b.offsetTop ? a : b));

		last.scrollIntoView({ block: 'nearest' });
		return box.scrollHeight > box.clientHeight && box.scrollTop > 0 && last.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1;
	}));
	await page.browser.resize(1280, 900);
	await page.browser.open(file);
}

async function checkAlone(page) {
	const text = readFileSync(file, 'utf8');

	tap.ok('the page has less than 5 MB', text.length < 5e6, text.length);
	tap.is('the page refers to no other resource', (text.match(/<(?:script|link|img|iframe|object|embed|a)\b[^>]*\b(?:src|href)\s*=\s*"[^"]*"/g) ?? []),
		['<a class="skip" href="#main"']);
	tap.is('no complaint in the console', page.browser.complaints(), []);
	tap.is('no request', page.browser.requests(), []);
	tap.is('its policy allows no request', await page.run(() => fetch('http://127.0.0.1:9/').then(() => 'done', (error) => error.name)), 'TypeError');
	tap.ok('because of the policy', page.browser.complaints().some((line) => /Content Security Policy/.test(line)), page.browser.complaints());
}

async function main() {
	const browser = await Browser.start(1280, 900);
	const page = new Page(browser);

	try {
		const { peak } = ask('peak', '--json');

		await browser.open(file);
		await checkHead(page);
		await checkChart(page, 'slab', peak[0]);
		await checkTables(page, trace, 'the whole trace', 'slab', 0, count);
		await checkPointing(page);
		await checkBrush(page);
		await checkIntervalKeys(page);
		await checkAddress(page);
		await checkSorting(page);
		await checkTree(page, 'slab');
		await checkSearch(page);
		await checkCalls(page);
		await checkZoom(page);
		await checkPages(page);
		await checkWidths(page);
		await checkLooks(page);
		await page.choose('1');
		await checkChart(page, 'page', peak[1]);
		await checkTables(page, trace, 'pages', 'page', 0, count);
		await checkTree(page, 'page');
		tap.is('pages have no caches', await page.run(() => document.getElementById('tab-caches').hidden), true);
		await checkAlone(page);
	} finally {
		await browser.stop();
	}
	tap.end();
}

main().catch((error) => {
	tap.ok('the browser runs the tests', false, error.stack);
	tap.end();
});
