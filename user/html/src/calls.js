// SPDX-License-Identifier: GPL-2.0-or-later
/* What calls one function, and what it calls, by the metric of the call tree. Of the whole trace, as that is. */
import { CallTree } from './calltree.js';
import { h } from './dom.js';
import * as format from './format.js';
import { Table } from './table.js';

const rowsOf = (map, total) => [...map].map(([name, value]) => ({ name, value, share: value / total }));

export function mountCalls(element, model, state) {
	const { metrics, kinds, frames } = model.data.trees;
	const trees = new Map();
	const treeOf = (kind) => {
		const found = kinds.find((one) => one.kind === kind);

		if (found && !trees.has(kind))
			trees.set(kind, new CallTree(found.down, frames, metrics.length));
		return trees.get(kind);
	};
	const metric = () => metrics.findIndex(({ name }) => name === state.get().metric);
	const table = (id, label) => new Table({
		id, state, caption: label, sort: 'value', find: (row) => row.name,
		columns: [
			{ key: 'name', label, value: (row) => row.name, cell: (row) => (row.name.startsWith('(') ? row.name
				: h('button', { type: 'button', class: 'link', onclick: () => state.set({ function: row.name }) }, row.name)) },
			{ key: 'value', label: 'Total', num: true, value: (row) => row.value, share: (row) => row.share,
				text: (row) => format.units[metrics[metric()].unit](row.value) },
		],
	});
	const callers = table('table-callers', 'Callers'), callees = table('table-callees', 'Callees');
	const names = h('datalist', { id: 'functions' });
	const field = h('input', {
		type: 'search', id: 'function', list: 'functions', placeholder: 'Function', 'aria-label': 'Function whose callers and callees are shown',
		oninput: () => state.set({ function: field.value }, 'run'),
	});
	const text = h('p', { class: 'note', id: 'calls-text' });
	const draw = () => {
		const { kind, function: chosen } = state.get(), tree = treeOf(kind);
		const calls = tree?.callsOf(chosen, metric());
		const unit = format.units[metrics[metric()].unit];

		if (field.value !== chosen)
			field.value = chosen;
		tables.hidden = !calls?.total;
		callers.show(rowsOf(calls?.callers ?? [], calls?.total), null);
		callees.show(rowsOf(calls?.callees ?? [], calls?.total), null);
		text.textContent = tables.hidden ? `${chosen ? 'No such function has any. ' : ''}Click a function in the call tree, or enter its name.`
			: `The whole trace: ${unit(calls.total)}, ${format.percent(calls.total, tree.root.total[metric()])} of the ${metrics[metric()].title}, ${unit(calls.self)} itself.`;
	};
	const tables = h('div', { class: 'pair' }, callers.element, callees.element);

	element.append(h('div', { class: 'head' }, h('h2', { id: 'calls-title' }, 'Callers and callees'), field, names), text, tables);
	state.watch(['kind'], ({ kind }) => names.replaceChildren(...[...new Set(treeOf(kind)?.nodes.slice(1).map((node) => node.label))].sort()
		.map((value) => h('option', { value }))));
	state.watch(['kind', 'metric', 'function'], draw);
}
