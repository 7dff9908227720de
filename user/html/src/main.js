// SPDX-License-Identifier: GPL-2.0-or-later
/* The page: reads its figures and lets each part draw itself. */
import { mountBar } from './bar.js';
import { mountCalls } from './calls.js';
import { mountChart } from './chart.js';
import { byId } from './dom.js';
import { visible } from './format.js';
import { mountHead, mountNotes } from './head.js';
import { mountHistogram } from './histogram.js';
import { mountLeaks } from './leaks.js';
import { KINDS, Model } from './model.js';
import { mountPages } from './pages.js';
import { mountSizes } from './sizes.js';
import { makeState } from './state.js';
import { mountSummary } from './summary.js';
import { mountTables } from './tables.js';
import { mountTheme } from './theme.js';
import { mountTree } from './tree.js';

const model = new Model(JSON.parse(byId('data').textContent,
	(key, value) => (typeof value === 'string' ? visible(value) : value)));
const oneOf = (...values) => ({ first: values[0], read: (text) => values.find((value) => value === text), write: String });
const text = { first: '', read: String, write: String };
const bound = (first) => ({ first, read: (ns) => (/^\d{1,16}$/.test(ns) ? model.nearest(Number(ns)) : undefined), write: (at) => model.timeOf(at) });
const state = makeState({
	kind: { first: model.kinds[0] ?? 0, read: (name) => model.kinds.find((kind) => KINDS[kind] === name), write: (kind) => KINDS[kind] },
	from: bound(0),
	to: bound(model.count),
	by: oneOf('sites', 'caches'),
	measure: oneOf('bytes', 'count'),
	tab: oneOf('sites', 'caches', 'processes', 'old'),
	metric: oneOf('live', ...model.data.trees.metrics.map(({ name }) => name)),
	shape: oneOf('icicle', 'flame', 'inverted'),
	lives: oneOf('count', 'bytes'),
	sizes: oneOf('live', 'liveCount', 'bytes', 'allocs'),
	search: text,
	function: text,
	'find-leaks': text,
	'find-sites': text,
	'find-caches': text,
	'find-processes': text,
	'find-old': text,
	'find-sizes': text,
	'find-callers': text,
	'find-callees': text,
});

mountTheme(byId('theme'));
mountHead(model);
mountBar(byId('bar'), model, state);
mountSummary(byId('summary'), model, state);
mountChart(byId('time'), model, state);
mountLeaks(byId('leaks'), model, state);
mountTables(byId('tables'), model, state);
mountTree(byId('tree'), model, state);
mountCalls(byId('calls'), model, state);
mountHistogram(byId('lives'), model, state);
mountSizes(byId('sizes'), model, state);
mountPages(byId('pages'), model);
mountNotes(byId('cut'), model);
document.documentElement.dataset.ready = 'yes';
