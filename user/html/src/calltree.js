// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One call tree: what each node has itself and in all, and its children. Parents come before their
 * children, so one way backwards makes the totals. What is left out right below a node is "below".
 */

function values(pairs, metrics) {
	const all = new Array(metrics).fill(0);

	for (let i = 0; pairs && i < pairs.length; i += 2)
		all[pairs[i]] = pairs[i + 1];
	return all;
}

export class CallTree {
	constructor({ nodes }, frames, metrics) {
		this.nodes = nodes.map(([parent, frame, own, below], id) => {
			const self = values(own, metrics), gone = values(below, metrics);
			const [name, module] = [frames[frame][0], frames[frame][1] ?? ''];

			return {
				id, parent, name, module, label: id ? name + (module ? ` [${module}]` : '') : 'everything', self, below: gone,
				total: self.map((value, m) => value + gone[m]), children: [], depth: 0,
			};
		});
		for (let i = this.nodes.length - 1; i > 0; i--) {
			const node = this.nodes[i], parent = this.nodes[node.parent];

			parent.children.push(node);
			node.total.forEach((value, m) => { parent.total[m] += value; });
		}
		for (const node of this.nodes.slice(1))
			node.depth = this.nodes[node.parent].depth + 1;
	}

	get root() {
		return this.nodes[0];
	}

	/* Children that have some of @metric, the largest first. */
	childrenOf(node, metric) {
		return node.children.filter((child) => child.total[metric] > 0)
			.sort((a, b) => b.total[metric] - a.total[metric] || (a.name < b.name ? -1 : 1));
	}

	/* From the root down to @node. */
	pathTo(node) {
		const path = [node];

		while (path[0].id)
			path.unshift(this.nodes[path[0].parent]);
		return path;
	}

	/* Nodes whose name has @text in it, and what they have in all: of a path the outermost counts. */
	find(text, metric) {
		const wanted = text.toLowerCase();
		const found = new Set();
		let sum = 0;
		const walk = (node, counted) => {
			const fits = node.id > 0 && `${node.name} ${node.module}`.toLowerCase().includes(wanted);

			if (fits) {
				found.add(node.id);
				if (!counted)
					sum += node.total[metric];
			}
			for (const child of node.children)
				walk(child, counted || fits);
		};

		walk(this.root, false);
		return { found, sum };
	}

	/*
	 * What calls the function @label and what it calls, with @metric by label, and its own: of a path the outermost call counts.
	 * What is left out below it is called "(small functions)", and what calls an outermost function, "(nothing)".
	 */
	callsOf(label, metric) {
		const calls = { callers: new Map(), callees: new Map(), total: 0, self: 0 };
		const add = (map, key, value) => value && map.set(key, (map.get(key) ?? 0) + value);
		const walk = (node) => {
			if (!node.id || node.label !== label) {
				node.children.forEach(walk);
				return;
			}
			const parent = this.nodes[node.parent];

			calls.total += node.total[metric];
			calls.self += node.self[metric];
			add(calls.callers, parent.id ? parent.label : '(nothing)', node.total[metric]);
			node.children.forEach((child) => add(calls.callees, child.label, child.total[metric]));
			add(calls.callees, '(small functions)', node.below[metric]);
		};

		walk(this.root);
		return calls;
	}

	/* Where each node is drawn when @zoom takes all the width: {node, left, width} in parts of one, and the same of what is left out. */
	layout(zoom, metric, least) {
		const boxes = this.pathTo(zoom).map((node) => ({ node, left: 0, width: 1 }));
		const walk = (node, left) => {
			let at = left;

			for (const child of this.childrenOf(node, metric)) {
				const width = child.total[metric] / zoom.total[metric];

				if (width >= least) {
					boxes.push({ node: child, left: at, width });
					walk(child, at);
				}
				at += width;
			}
			const gone = node.below[metric] / zoom.total[metric];
			if (gone >= least)
				boxes.push({ node, left: at, width: gone, gone: true });
		};

		if (zoom.total[metric] > 0)
			walk(zoom, 0);
		return boxes;
	}
}
