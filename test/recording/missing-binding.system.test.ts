/** An installation without DuckDB's binding: commands that need it say so at once; trading does not need it. */

import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { loadingFirst, twinbook } from '../support/processes.js';

const SAMPLE = resolve(import.meta.dirname, '../../data/sample');

/** The error of Node for a package that npm skipped on this platform. */
const WITHOUT_BINDING = `
import Module from 'node:module';
const resolve = Module._resolveFilename;
Module._resolveFilename = function (name, ...rest) {
  if (!name.startsWith('@duckdb/node-bindings-')) return resolve.call(this, name, ...rest);
  throw new Error(\`Cannot find module '\${name}'\\nRequire stack:\\n- somewhere\`);
};
`;

const needed: readonly (readonly [string, readonly string[]])[] = [
  ['record', ['record', '-c', 'CONFIG', '--out', 'RECORDINGS']],
  ['backtest', ['backtest', '-c', 'config/strategies/crowd-maker.yaml', '--data', SAMPLE]],
  ['data stats', ['data', 'stats', SAMPLE]],
  ['data query', ['data', 'query', 'select 1', SAMPLE]],
  ['data verify', ['data', 'verify', SAMPLE]],
];

it.each(needed)('%s says which binding is missing and what to do', async (_, words) => {
  const folder = folderOf({ 'trader.yaml': trader(), 'hook.mjs': WITHOUT_BINDING });
  const places: Readonly<Record<string, string>> = { CONFIG: 'trader.yaml', RECORDINGS: 'recordings' };
  const argv = words.map((word) => (places[word] === undefined ? word : join(folder, places[word])));
  const running = twinbook(argv, loadingFirst(join(folder, 'hook.mjs')));
  expect(await running.exited, running.output()).not.toBe(0);
  expect(running.output()).toContain(`DuckDB's binding for ${process.platform} ${process.arch} cannot be loaded`);
  expect(running.output()).toContain('npm ci');
  expect(running.output()).not.toContain('a bug in Twinbook');
});
