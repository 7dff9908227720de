// SPDX-License-Identifier: GPL-2.0-or-later
/* Call sites, caches, processes, and what is live and old: of the interval. */
import { intervalText } from './bar.js';
import { button, h } from './dom.js';
import * as format from './format.js';
import { total } from './model.js';
import { Table } from './table.js';

export const number = (key, label, title, write, more) => ({
	key, label, title, num: true, value: (row) => row[key], text: (row) => write(row[key]), ...more,
});

export const figures = [
	number('live', 'Live bytes', 'Live at the end of the interval', format.bytes, { share: (row) => row.share }),
	number('liveCount', 'Live', 'Allocations that are live at the end of the interval', format.count),
	number('growth', 'Growth', 'Live bytes at the end of the interval, minus those at its start', format.growth(format.bytes)),
	number('bytes', 'Allocated', 'Bytes allocated in the interval', format.bytes),
	number('allocs', 'Allocations', 'Allocations in the interval', format.count),
	number('ends', 'Freed', 'Allocations that ended in the interval', format.count),
	number('waste', 'Wasted', 'Bytes allocated in the interval beyond the requested size', format.bytes),
];

export const name = (label, show) => ({
	key: 'name', label, value: (row) => `${row.name} ${row.module}`,
	cell: (row) => [show && !row.others && !row.sum ? button(row.name, { class: 'link', title: 'Find in the call tree', onclick: () => show(row.name) }) : row.name,
		row.module ? h('span', { class: 'module' }, ` ${row.module}`) : null],
});

export function findInTree(state, search) {
	state.set({ search });
	document.getElementById('tree').scrollIntoView({ block: 'start' });
}

const find = (row) => `${row.name} ${row.module} ${(row.stack ?? []).join(' ')}`;

export function groupRows(groups, { from, to }) {
	const rows = groups.map((group) => ({ name: group.name, module: group.module, others: group.others, size: group.size, ...group.in(from, to) }))
		.filter((row) => row.allocs || row.ends || row.live || row.growth);
	const { name: _, module: __, others: ___, size: ____, ...sum } = total(rows);

	for (const row of rows)
		row.share = sum.live > 0 ? row.live / sum.live : 0;
	return [rows, rows.length ? { ...sum, name: 'All of this kind', module: '', sum: true } : null];
}

function leftRows(model, { kind, from, to }) {
	const rows = model.of(kind, 'old').map((left) => {
		const { count, bytes, first } = left.in(from, to);

		return { name: left.name, module: left.module, others: left.others, stack: left.stack, count, bytes, age: model.span - first };
	}).filter((row) => row.count);
	const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
	const count = rows.reduce((sum, row) => sum + row.count, 0);

	for (const row of rows)
		row.share = bytes ? row.bytes / bytes : 0;
	return [rows, rows.length ? {
		name: 'All of this kind', module: '', stack: [], count, bytes, age: Math.max(...rows.map((row) => row.age)), sum: true,
	} : null];
}

function stackCell(row) {
	if (!row.stack.length)
		return '';
	return h('details', {}, h('summary', {}, row.stack.slice(0, 3).join(' < ') + (row.stack.length > 3 ? ' < \u2026' : '')),
		h('ol', {}, row.stack.map((frame) => h('li', {}, frame))));
}

function leftTable(show, state) {
	return new Table({
		id: 'table-old', state, caption: 'Live at the end, by stack', sort: 'age', find,
		columns: [
			number('age', 'Oldest', 'Age of the oldest at the end of the trace', format.time),
			number('bytes', 'Live bytes', 'Live at the end of the trace, allocated in the interval', format.bytes, { share: (row) => row.share }),
			number('count', 'Live', 'Allocations that are live at the end of the trace', format.count),
			name('Call site', show),
			{ key: 'stack', label: 'Stack', value: (row) => row.stack.join(' '), cell: stackCell },
		],
	});
}

/* Panels under tabs: the arrows go from one to the other. */
function tabs(panels, label, choose) {
	const buttons = panels.map(({ id, title }) => h('button', {
		type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`,
	}, title));
	const bodies = panels.map(({ id, title, note, content }) => h('div', {
		role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`,
	}, h('h3', { class: 'print' }, title), note, content));
	const open = (chosen) => panels.forEach((_, i) => {
		buttons[i].setAttribute('aria-selected', i === chosen);
		buttons[i].tabIndex = i === chosen ? 0 : -1;
		bodies[i].classList.toggle('closed', i !== chosen);
	});

	buttons.forEach((one, i) => {
		one.addEventListener('click', () => choose(panels[i].id));
		one.addEventListener('keydown', (event) => {
			const visible = buttons.filter((other) => !other.hidden);
			const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];

			if (!by)
				return;
			const next = visible[(visible.indexOf(one) + by + visible.length) % visible.length];
			next.click();
			next.focus();
		});
	});
	return { list: h('div', { role: 'tablist', class: 'tabs', 'aria-label': label }, buttons), buttons, bodies, open };
}

export function mountTables(element, model, state) {
	const show = (search) => findInTree(state, search);
	const sites = new Table({ id: 'table-sites', state, caption: 'Call sites', sort: 'live', find, columns: [name('Call site', show), ...figures] });
	const caches = new Table({ id: 'table-caches', state, caption: 'Caches', sort: 'live', find, columns: [name('Cache'), ...figures] });
	const processes = new Table({ id: 'table-processes', state, caption: 'Processes', sort: 'live', find, columns: [name('Process'), ...figures] });
	const old = leftTable(show, state);
	const scopes = [0, 1, 2].map(() => h('p', { class: 'note' }));
	const oldScope = h('p', { class: 'note' });
	const { list, buttons, bodies, open } = tabs([
		{ id: 'sites', title: 'Call sites', note: scopes[0], content: sites.element },
		{ id: 'caches', title: 'Caches', note: scopes[1], content: caches.element },
		{ id: 'processes', title: 'Processes', note: scopes[2], content: processes.element },
		{ id: 'old', title: 'Oldest live', note: oldScope, content: old.element },
	], 'Tables', (tab) => state.set({ tab }));

	element.append(h('div', { class: 'head' }, h('h2', { id: 'tables-title' }, 'Owners'), list), ...bodies);
	state.watch(['kind', 'from', 'to'], (now) => {
		const text = intervalText(model, now);

		for (const scope of scopes)
			scope.textContent = `In ${text}.`;
		oldScope.textContent = `Live at the end of the trace, and allocated in ${text}. Live is not leaked: old and growing memory may be.`;
		sites.show(...groupRows(model.of(now.kind, 'sites'), now));
		caches.show(...groupRows(model.of(now.kind, 'caches'), now));
		processes.show(...groupRows(model.of(now.kind, 'processes'), now));
		old.show(...leftRows(model, now));
		buttons[1].hidden = bodies[1].hidden = now.kind !== 0;
	});
	/* Other kinds have no caches. */
	state.watch(['kind', 'tab'], ({ kind, tab }) => {
		const chosen = buttons.findIndex(({ id }) => id === `tab-${tab}`);

		open(chosen < 0 || (kind !== 0 && chosen === 1) ? 0 : chosen);
	});
}
