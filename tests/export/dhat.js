// SPDX-License-Identifier: GPL-2.0-or-later
//
// dhat.js DH_VIEW FILE: reads the file as valgrind's viewer DH_VIEW (dh_view.js) does, which tells all that it misses,
// and prints the sums of the tree it makes.
'use strict';
const fs = require('fs'), vm = require('vm');

const [viewer, file] = process.argv.slice(2);
const context = vm.createContext({ console, performance, document: {}, text: fs.readFileSync(file, 'utf8') });
vm.runInContext(`${fs.readFileSync(viewer, 'utf8')}
gData = JSON.parse(text);
gSelect = { childNodes: [{}], selectedIndex: 0 };
buildTree();
var sums = {};
for (let name of ["_totalBytes", "_totalBlocks", "_totalLifetimes", "_atTGmaxBytes", "_atTGmaxBlocks",
	"_atTEndBytes", "_atTEndBlocks"])
	sums[name.slice(1)] = gRoot[name];
`, context);
console.log(JSON.stringify(context.sums));
