// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages by order and use, a map of the pageblocks that live ones lie in, and what was free. All pages
 * here, those that back slabs and other things too: it is one account, of places.
 */
import { h, svg } from './dom.js';
import * as format from './format.js';

const CELL = 14, PER_ROW = 64;
const TYPES = [['unmovable', 'unmovable'], ['reclaimable', 'reclaimable'], ['movable', 'movable']];

const useOf = (row) => (row.backing ? `for ${{ slab: 'slabs', 'kmalloc-large': 'large kmallocs', percpu: 'per-CPU' }[row.backing] ?? row.backing}`
	: row.migratetype ?? 'unknown');

/* ---- orders ---- */

function orderTable(rows, key, caption) {
	const orders = [...new Set(rows.map((row) => row.page_order))].sort((a, b) => a - b);
	const uses = [...new Set(rows.map(useOf))].sort((a, b) => a.startsWith('for ') - b.startsWith('for ') || (a < b ? -1 : 1));
	const most = Math.max(...rows.map((row) => row[key]), 1);
	const sums = new Map();

	for (const row of rows) {
		const at = `${row.page_order} ${useOf(row)}`;
		const sum = sums.get(at) ?? { bytes: 0, count: 0 };

		sums.set(at, { bytes: sum.bytes + row[key], count: sum.count + row[key.replace('bytes', 'count')] });
	}
	const cell = (order, use) => {
		const { bytes = 0, count = 0 } = sums.get(`${order} ${use}`) ?? {};
		const td = h('td', { class: 'num heat', 'data-order': order, 'data-use': use, 'data-value': bytes,
			title: bytes ? `${format.count(count)} blocks of order ${order}` : undefined }, bytes ? format.bytes(bytes) : '\u00b7');

		td.style.setProperty('--heat', `${bytes ? Math.round(8 + 50 * Math.sqrt(bytes / most)) : 0}%`);
		return td;
	};

	return h('table', { class: 'orders' }, h('caption', {}, caption),
		h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Order'), uses.map((use) => h('th', { scope: 'col', class: 'num' }, use)))),
		h('tbody', {}, orders.map((order) => h('tr', {}, h('th', { scope: 'row' }, String(order)), uses.map((use) => cell(order, use))))));
}

/* ---- pageblocks ---- */

function cellText(cell, { cell_blocks: blocks, block_pages: pages }) {
	const pfn = cell.cell * blocks * pages;

	return `page frames 0x${pfn.toString(16)} to 0x${(pfn + blocks * pages - 1).toString(16)}: ` +
		TYPES.filter(([key]) => cell[key]).map(([key, text]) => `${format.count(cell[key])} ${text}`).join(', ') +
		` of ${format.count(blocks * pages)} pages`;
}

/* Rows of cells; where rows have no live page there is a gap. */
function rowsOf(cells) {
	const rows = new Map();

	for (const cell of cells) {
		const row = Math.floor(cell.cell / PER_ROW);
		rows.set(row, [...(rows.get(row) ?? []), cell]);
	}
	return [...rows.entries()].sort(([a], [b]) => a - b);
}

function drawCell(cell, x, y, capacity) {
	let bottom = y + CELL - 1;
	const parts = TYPES.filter(([key]) => cell[key]).map(([key]) => {
		const height = Math.max(1.5, ((CELL - 1) * cell[key]) / capacity);

		bottom -= height;
		return svg('rect', { class: key, x, y: bottom, width: CELL - 1, height });
	});

	return svg('g', { class: 'cell', 'data-cell': cell.cell, 'data-movable': cell.movable, 'data-unmovable': cell.unmovable,
		'data-reclaimable': cell.reclaimable },
	svg('rect', { class: 'ground', x, y, width: CELL - 1, height: CELL - 1 }), parts);
}

function blockMap(cells) {
	const [first] = cells;
	const capacity = first.cell_blocks * first.block_pages;
	const drawn = [];
	const left = 84;
	let y = 2, before = null, at = 0;
	const detail = h('p', { class: 'detail', id: 'block-detail', 'aria-live': 'polite' }, cellText(first, first));
	const map = svg('svg', { class: 'blocks', id: 'blocks', width: left + PER_ROW * CELL, tabindex: 0, role: 'img' });
	const groups = [];

	for (const [row, inRow] of rowsOf(cells)) {
		if (before !== null && row !== before + 1) {
			drawn.push(svg('text', { x: left, y: y + 8, class: 'gap' },
				`\u22ee  ${format.count((row - before - 1) * PER_ROW * first.cell_blocks)} pageblocks without`));
			y += 14;
		}
		drawn.push(svg('text', { x: left - 8, y: y + CELL - 3, 'text-anchor': 'end' }, `0x${(row * PER_ROW * capacity).toString(16)}`),
			svg('rect', { class: 'row', x: left, y, width: PER_ROW * CELL - 1, height: CELL - 1 }));
		for (const cell of inRow) {
			groups.push([cell, drawCell(cell, left + (cell.cell % PER_ROW) * CELL, y, capacity)]);
			drawn.push(groups[groups.length - 1][1]);
		}
		y += CELL;
		before = row;
	}
	const choose = (i) => {
		groups[at][1].classList.remove('active');
		at = Math.max(0, Math.min(groups.length - 1, i));
		groups[at][1].classList.add('active');
		detail.textContent = cellText(groups[at][0], first);
	};

	groups.forEach(([, group], i) => group.addEventListener('pointerenter', () => choose(i)));
	map.addEventListener('keydown', (event) => {
		const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10, Home: -groups.length, End: groups.length }[event.key];

		if (!by)
			return;
		choose(at + by);
		event.preventDefault();
	});
	map.append(...drawn);
	map.setAttribute('height', y + 2);
	map.setAttribute('viewBox', `0 0 ${left + PER_ROW * CELL} ${y + 2}`);
	map.setAttribute('aria-label', 'Map of pageblocks by their live pages; arrow keys move between them');
	return [
		h('h3', {}, 'Pageblocks'),
		h('p', { class: 'note' }, first.cell_blocks > 1 ? `Each cell is ${format.count(first.cell_blocks)} pageblocks` : 'Each cell is a pageblock',
			`, ${format.count(capacity)} pages, filled by those that were allocated in the trace and are live at its end. Older live pages are unknown.`),
		h('p', { class: 'keys' }, TYPES.map(([key, text]) => h('span', {}, h('i', { class: `swatch ${key}` }), text))),
		h('div', { class: 'scroll' }, map), detail,
	];
}

/* ---- free blocks ---- */

function freeTable(rows) {
	const zones = [...new Set(rows.map((row) => `${row.node} ${row.zone}`))];
	const orders = [...new Set(rows.map((row) => row.page_order))].sort((a, b) => a - b);
	const find = (zone, order) => rows.find((row) => `${row.node} ${row.zone}` === zone && row.page_order === order);
	const text = (value) => (value === null || value === undefined ? '\u2013' : format.count(value));

	return h('table', { class: 'orders', id: 'free' }, h('caption', {}, 'Free blocks of each order, at the start and at the end (/proc/buddyinfo)'),
		h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Node, zone'), orders.map((order) => h('th', { scope: 'col', class: 'num' }, `order ${order}`)))),
		h('tbody', {}, zones.map((zone) => h('tr', {}, h('th', { scope: 'row' }, zone.replace(' ', ', ')), orders.map((order) => {
			const row = find(zone, order);

			return h('td', { class: 'num' }, h('span', { class: 'was' }, text(row?.start_blocks)), ' ', text(row?.end_blocks));
		})))));
}

export function mountPages(element, model) {
	const { orders, blocks, free, trace: [{ sample }] } = model.data;

	if (!orders.length && !blocks.length && !free.length) {
		element.remove();
		return;
	}
	element.append(h('div', { class: 'head' }, h('h2', { id: 'pages-title' }, 'Pages by order and location')),
		h('p', { class: 'note' }, 'All pages of the whole trace, including those that back slabs, large kmallocs and per-CPU memory.',
		sample > 1 ? h('b', { id: 'map-sample' }, ` The map has only the sampled pages, 1 in ${format.count(sample)}: it isn\u2019t scaled.`) : ''));
	if (orders.length)
		element.append(h('div', { class: 'scroll' }, orderTable(orders, 'live_bytes', 'Live at the end'),
			orderTable(orders, 'bytes', 'Allocated')));
	if (blocks.length)
		element.append(...blockMap(blocks));
	if (free.length)
		element.append(h('h3', {}, 'Free memory'), h('div', { class: 'scroll' }, freeTable(free)));
}
