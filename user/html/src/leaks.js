// SPDX-License-Identifier: GPL-2.0-or-later
/* Old live memory by call site: the verdicts, the evidence and the growth patterns of the command leaks, which judged them. */
import { h } from './dom.js';
import * as format from './format.js';
import { KINDS } from './model.js';
import { findInTree, name, number } from './tables.js';
import { Table } from './table.js';

const STYLES = { 'possible leak': 'warn', 'likely leak': 'bad', orphan: 'bad' };

const text = (key, label, title, more) => ({ key, label, title, value: (row) => row[key], text: (row) => row[key], ...more });

/* In the order of suspicion, which is that of leaks. */
function rowsOf({ data: { leaks } }, kind) {
	const same = (row) => (suspect) => suspect.kind === KINDS[kind] && suspect.holder === row.holder && suspect.module === row.module;

	return leaks[KINDS[kind]].map((row, rank) => ({
		rank, name: row.holder ?? '?', module: row.module ?? '', bytes: row.old_bytes, count: row.old_count, live: row.live_bytes, age: row.oldest_ns,
		verdict: row.verdict, shape: row.shape, evidence: leaks.suspects.find(same(row))?.evidence ?? '',
	}));
}

export function mountLeaks(element, model, state) {
	const { leaks } = model.data;
	const old = `older than ${format.time(leaks.older_ns)} at the end of the trace`;
	const site = name('Call site', (search) => findInTree(state, search));
	const table = new Table({
		id: 'table-leaks', state, caption: 'Old live memory, by call site', sort: 'verdict', down: false,
		find: (row) => `${row.name} ${row.module} ${row.verdict} ${row.shape} ${row.evidence}`,
		columns: [
			text('verdict', 'Verdict', 'Suspects first', {
				value: (row) => row.rank, cell: (row) => h('span', { class: `verdict ${STYLES[row.verdict] ?? ''}` }, row.verdict),
			}),
			{ ...site, cell: (row) => [site.cell(row), row.evidence ? h('div', { class: 'evidence' }, row.evidence) : null].flat() },
			number('bytes', 'Old bytes', `Live, and ${old}`, format.bytes),
			number('count', 'Old', `Allocations that are live, and ${old}`, format.count),
			number('live', 'Live bytes', 'Live at the end of the trace', format.bytes),
			number('age', 'Oldest', 'Age of the oldest at the end of the trace', format.time),
			text('shape', 'Growth', 'Pattern in which live bytes grew over the whole trace'),
		],
	});

	element.append(h('div', { class: 'head' }, h('h2', { id: 'leaks-title' }, 'Suspected leaks')),
		h('p', { id: 'conclusion' }, `${leaks.conclusion}.`),
		h('p', { class: 'note' }, `The whole trace, whatever interval is selected: what is live and ${old}, as kmemtrace-user leaks judges it.`),
		table.element);
	state.watch(['kind'], ({ kind }) => table.show(rowsOf(model, kind), null));
}
