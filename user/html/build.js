// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bundles the page's program into bundle.js, and writes LICENCES.txt: the licence of each library
 * of which code got into the bundle. `node build.js FOLDER` writes them there instead.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = process.argv[2] ?? '.';

const result = await build({
	entryPoints: ['src/main.js'],
	outfile: join(folder, 'bundle.js'),
	bundle: true,
	minify: true,
	format: 'iife',
	target: 'es2020',
	charset: 'ascii',
	legalComments: 'none',
	metafile: true,
	banner: { js: '// SPDX-License-Identifier: GPL-2.0-or-later' },
});

const [output] = Object.values(result.metafile.outputs);
const libraries = new Set();
for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
	const library = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
	if (library && bytesInOutput > 0)
		libraries.add(library);
}

function licence(library) {
	const at = join('node_modules', library);
	const { version, license, homepage } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
	const file = readdirSync(at).find((name) => /^(licen[cs]e|copying)/i.test(name));
	if (!file)
		throw new Error(`${library} has no licence`);
	return `${library} ${version} (${license}), ${homepage}\n\n${readFileSync(join(at, file), 'utf8').trim()}\n`;
}

const rule = `\n${'-'.repeat(72)}\n\n`;
writeFileSync(join(folder, 'LICENCES.txt'),
	`The program of this page has code of these libraries:\n${rule}${[...libraries].sort().map(licence).join(rule)}`);
