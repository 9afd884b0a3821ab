/** `npm run lab -- measure`: the shape of the code in one table. `--root DIR` measures another checkout, `--json` prints JSON. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measure } from './figures.js';
import { readSourceTree } from './source-tree.js';

const { values } = parseArgs({ options: { root: { type: 'string' }, json: { type: 'boolean', default: false } } });
const root = resolve(values.root ?? resolve(import.meta.dirname, '../..'));
const figures = measure(readSourceTree(root, ['src', 'strategies']), readSourceTree(root, ['test']));
if (values.json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
else for (const { name, value } of figures) process.stdout.write(`${name.padEnd(50)} ${value}\n`);
