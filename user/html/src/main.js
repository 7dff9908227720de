// SPDX-License-Identifier: GPL-2.0-or-later
/* The page: reads its figures and lets each part draw itself. */
import { mountBar } from './bar.js';
import { mountChart } from './chart.js';
import { byId } from './dom.js';
import { visible } from './format.js';
import { mountHead, mountNotes } from './head.js';
import { mountHistogram } from './histogram.js';
import { Model } from './model.js';
import { mountPages } from './pages.js';
import { makeState } from './state.js';
import { mountSummary } from './summary.js';
import { mountTables } from './tables.js';
import { mountTheme } from './theme.js';
import { mountTree } from './tree.js';

const model = new Model(JSON.parse(byId('data').textContent,
	(key, value) => (typeof value === 'string' ? visible(value) : value)));
const state = makeState({
	kind: model.kinds[0] ?? 0,
	from: 0,
	to: model.count,
	by: 'sites',
	measure: 'bytes',
	metric: 'live',
	shape: 'icicle',
	search: '',
});

mountTheme(byId('theme'));
mountHead(model);
mountBar(byId('bar'), model, state);
mountSummary(byId('summary'), model, state);
mountChart(byId('time'), model, state);
mountTables(byId('tables'), model, state);
mountTree(byId('tree'), model, state);
mountHistogram(byId('lives'), model, state);
mountPages(byId('pages'), model);
mountNotes(byId('cut'), model);
document.documentElement.dataset.ready = 'yes';
