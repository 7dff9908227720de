// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of tap.sh, for JavaScript. */
'use strict';

let count = 0, failed = 0;

function result(name, fine, notes = []) {
	count++;
	failed += !fine;
	console.log(`${fine ? 'ok' : 'not ok'} ${count} - ${name}`);
	if (!fine)
		notes.forEach((note) => console.log(`# ${String(note).slice(0, 1500).replace(/\n/g, '\n# ')}`));
}

/* The same as JSON. */
function is(name, got, expected) {
	const a = JSON.stringify(got), b = JSON.stringify(expected);

	result(name, a === b, [`got:      ${a}`, `expected: ${b}`]);
}

function like(name, got, pattern) {
	result(name, pattern.test(got), [`got:      ${got}`, `expected: ${pattern}`]);
}

function ok(name, value, note = '') {
	result(name, Boolean(value), [note]);
}

function end() {
	console.log(`1..${count}`);
	process.exitCode = failed ? 1 : 0;
}

module.exports = { is, like, ok, end };
