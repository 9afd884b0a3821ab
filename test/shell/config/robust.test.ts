/** Any content of a file or of the environment gives a configuration or a readable error, never a crash. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { parseYaml } from '../../../src/shell/config/yaml-source.js';
import { times } from '../../support/effort.js';
import { folderOf } from '../../support/folders.js';

const good = {
  venue: { profile: 'paper' },
  exchange: { embedded: true, port: 0 },
  wallet: { file: 'wallet.json' },
  ledger: { path: 'twinbook.sqlite' },
  capital: '1000',
  risk: { max_loss_day: '50', max_open_orders: 40 },
  polling: { own_interval_ms: 1000 },
  schedule: { reconcile: '0 * * * * *' },
  log: { level: 'info', file: null },
  control: {},
  strategies: ['s.yaml'],
};

const strategy = { strategy: 'bands', markets: { select: { categories: [] } }, params: {}, schedule: {}, risk: {} };

const ODD = [null, true, '', 'NaN', '1e400', '-1', '0', '\0', '../../..', 'x'.repeat(3000), -1, 0, 1e300, Number.NaN];
const oddValue = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }));

/** Replaces one field of a tree, picked by `at`. */
function spoiled(tree: unknown, at: number, value: unknown): unknown {
  const paths: string[][] = [];
  const walk = (node: unknown, path: string[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof node === 'object' && node !== null)
      for (const [key, inner] of Object.entries(node)) walk(inner, [...path, key]);
  };
  walk(tree, []);
  const set = (node: unknown, path: readonly string[]): unknown => {
    const [head, ...rest] = path;
    if (head === undefined) return value;
    if (Array.isArray(node))
      return node.map((item: unknown, index) => (String(index) === head ? set(item, rest) : item));
    return Object.fromEntries(
      Object.entries(node ?? {}).map(([key, inner]) => [key, key === head ? set(inner, rest) : inner]),
    );
  };
  return set(tree, paths[at % paths.length] ?? []);
}

async function settles(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    // Any other error is a bug.
    if (!(error instanceof TwinbookError)) throw error;
    expect(error.message).not.toBe('');
  }
}

const FILES = { 't.yaml': stringify(good), 's.yaml': stringify(strategy) };

describe('values of the wrong kind never crash', () => {
  test.each([
    ['trader', 't.yaml', good, times(100, 300)],
    ['strategy', 's.yaml', strategy, times(70, 200)],
  ])('in a %s file', async (_, file, tree, numRuns) => {
    const folder = folderOf(FILES);
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), oddValue, async (at, value) => {
        writeFileSync(join(folder, file), stringify(spoiled(tree, at, value)));
        await settles(loadConfig('t.yaml', { env: {}, cwd: folder }));
      }),
      { numRuns },
    );
  });

  test('in the environment', async () => {
    const folder = folderOf(FILES);
    const settings = 'CAPITAL RISK__MAX_OPEN_ORDERS EXCHANGE__MARKET_DATA LOG__FILE VENUE__PROFILE X __ STRATEGIES';
    const names = fc.constantFrom(...settings.split(' '));
    await fc.assert(
      fc.asyncProperty(names, fc.string(), async (name, value) => {
        await settles(loadConfig('t.yaml', { env: { [`TWINBOOK__${name}`]: value }, cwd: folder }));
      }),
      { numRuns: times(70, 200) },
    );
  });

  test('in text that is no YAML', () => {
    const words = ['a: ', '- ', '&x ', '*x', '!!binary ', '  ', '? ', ': ', '---', 'ключ', '<<'];
    const fragment = fc.constantFrom(...words, ...'{}[]"\'\n|>#%\t\0');
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (parts) => {
        try {
          parseYaml(parts.join(''), '/x.yaml', 'x.yaml');
        } catch (error) {
          if (!(error instanceof TwinbookError)) throw error;
          expect(error.message).toMatch(/^x\.yaml:\d+:\d+: /);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
