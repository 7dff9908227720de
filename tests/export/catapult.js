// SPDX-License-Identifier: GPL-2.0-or-later
//
// catapult.js READER FILE: reads the file with Catapult's importer of Chrome traces, whose folder is READER, and prints what
// it has found: {warnings, metadata, processes: [{pid, name, counters: [{name, samples: [[ns, bytes]]}], instants:
// [{name, ns, args}]}]}. Counters with more than one series, or with other things than bytes, are warned of.
'use strict';
const fs = require('fs'), path = require('path');

const [reader, file] = process.argv.slice(2);

// It wants libraries for what is drawn and for zip files, and looks for them below lib/, where something empty stands.
const anything = new Proxy(function () {}, {
	get: (_, key) => (key === Symbol.toPrimitive ? () => 0 : anything), set: () => true, apply: () => anything,
});
global.window = global;
for (const name of ['vec2', 'vec3', 'vec4', 'mat2', 'mat2d', 'mat4'])
	global[name] = anything;
global.JSZip = {};
global.mannwhitneyu = {};
global.HTMLImportsLoader = { hrefToAbsolutePath: () => '../../../lib/empty-stub.js' };
require(path.resolve(reader, 'index.js'));

const ns = (ms) => Math.round(ms * 1e6);
const model = new global.tr.Model(), options = new global.tr.importer.ImportOptions();
options.showImportWarnings = false;
options.pruneEmptyContainers = false;
options.shiftWorldToZero = false;
new global.tr.importer.Import(model, options).importTraces([fs.readFileSync(file, 'utf8')]);

const warnings = model.importWarnings.map((warning) => warning.message);

function counterOf(counter) {
	if (counter.series.length !== 1 || counter.series[0].name !== 'bytes')
		warnings.push(`${counter.name} is no counter of bytes`);
	return { name: counter.name, samples: counter.series[0].samples.map(({ timestamp, value }) => [ns(timestamp), value]) };
}

const processes = model.getAllProcesses().map((process) => ({
	pid: process.pid, name: process.name,
	counters: Object.values(process.counters).map(counterOf),
	instants: process.instantEvents.map(({ title, start, args }) => ({ name: title, ns: ns(start), args })),
}));
console.log(JSON.stringify({ warnings, metadata: model.metadata, processes }));
