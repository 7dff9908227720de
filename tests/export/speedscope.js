// SPDX-License-Identifier: GPL-2.0-or-later
//
// speedscope.js RELEASE FILE…: reads each file with the importer of speedscope's released program, whose folder is
// RELEASE, and prints what it has found: [{file, name, active, profiles: [{name, unit, weight, stacks}]}].
// stacks: of each sample its functions, outermost first, with ";" between them, and its weight.
//
// The program is one script for browsers. It runs here as far as it comes without one, which is long behind the place
// where it loads its importer; that is kept.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm');

const [release, ...files] = process.argv.slice(2);
const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const importer = /var (\w+)=Promise\.resolve\(\)\.then\(\(\)=>\(\w+\(\),\w+\)\);\1\.then\(\(\)=>\{\}\);/;
const code = fs.readFileSync(path.join(release, script), 'utf8');
if (!importer.test(code))
	throw new Error(`${script} has no importer where it was`);

// What stands for all that a browser has.
const anything = new Proxy(function () {}, {
	get: (_, key) => (key === 'then' ? undefined : key === Symbol.toPrimitive ? () => 0 : anything),
	set: () => true, has: () => true, apply: () => anything, construct: () => anything,
});
const context = vm.createContext({
	console: { log() {}, error() {}, warn() {}, time() {}, timeEnd() {} }, TextDecoder, TextEncoder, URL, setTimeout,
	clearTimeout, atob, btoa, performance, Uint8Array, ArrayBuffer, document: anything, navigator: anything,
	localStorage: anything, location: { hash: '', protocol: 'file:' }, HTMLElement: class {}, HTMLCanvasElement: class {},
	requestAnimationFrame: () => 0, addEventListener() {},
});
context.window = context.self = context;
try {
	vm.runInContext(code.replace(importer, '$&globalThis.importer=$1;'), context, { filename: script });
} catch (error) {
	if (!context.importer)
		throw error;
}

function stacksOf(profile) {
	const stacks = [];
	let stack = [], last = 0;
	profile.forEachCall((node, value) => {
		if (value > last)
			stacks.push([stack.join(';'), value - last]);
		last = value;
		stack.push(node.frame.name);
	}, (node, value) => {
		if (value > last)
			stacks.push([stack.join(';'), value - last]);
		last = value;
		stack.pop();
	});
	return stacks;
}

(async () => {
	const found = [];
	for (const file of files) {
		const bytes = fs.readFileSync(file);
		const group = await (await context.importer).importProfilesFromArrayBuffer(path.basename(file),
			bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
		found.push({
			file, name: group && group.name, active: group && group.indexToView,
			profiles: group && group.profiles.map((profile) => ({
				name: profile.getName(), unit: profile.getWeightUnit(), weight: profile.getTotalWeight(),
				stacks: stacksOf(profile),
			})),
		});
	}
	console.log(JSON.stringify(found));
})();
