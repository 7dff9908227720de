// SPDX-License-Identifier: GPL-2.0-or-later
/* What the page begins and ends with: the trace, whether it can be trusted, and what was left out. */
import { byId, h } from './dom.js';
import * as format from './format.js';

/* The lines that every answer of the tool begins with, without the trace's name. */
function trustLines(lines) {
	return lines.filter((line) => !line.startsWith('Trace:'));
}

export function mountHead(model) {
	const { data } = model;
	const [trace] = data.trace;
	const lines = trustLines(data.head);

	document.title = `${data.name} \u2013 kmemtrace`;
	byId('title').textContent = data.name;
	byId('facts').textContent = [
		`Linux ${trace.release ?? '?'} ${trace.machine ?? ''}`.trim(),
		`${trace.cpus} CPUs`,
		`${format.count(trace.events)} events in ${format.time(trace.span_ns)}`,
		trace.command,
	].filter(Boolean).join(' \u00b7 ');
	/* By what the first line says; the others, of what no trace of this recording could show, make a complete one no worse. */
	byId('trust').classList.add(data.incomplete ? 'bad' : /^Trust: complete/.test(lines[0]) ? 'good' : 'limited');
	byId('trust').replaceChildren(...lines.map((line) => h('p', {}, line)));
}

export function mountNotes(element, model) {
	const { cut } = model.data;

	element.append(
		h('h2', {}, 'About this page'),
		h('p', {}, `Totals, not single events. Time is divided into ${format.count(model.count)} steps, by marks too; an interval starts and ` +
			'ends with a step. Its figures are exact: those of what happened after its start, up to its end, and what is live is what ' +
			'kmemtrace-user live --at prints for that time.'),
		h('p', {}, 'Slab objects, pages, per-CPU memory and vmalloc space are separate accounts: the first ' +
			'and the third are backed by pages, and the last is only address space. Pages that back them appear ' +
			'only in the maps of pages. Live is not leaked: the trace ended before it was freed.'),
		cut.length ? h('p', {}, 'Omitted, or summed up:') : h('p', {}, 'Nothing was omitted.'),
		h('ul', {}, cut.map((line) => h('li', {}, line))));
}
