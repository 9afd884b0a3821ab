import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadStrategyModule } from '../../src/shell/config/strategy-module.js';
import { checkQuotes } from '../../src/trader/strategy/check.js';
import { paramTable } from '../../src/trader/strategy/params-export.js';
import bands from '../../strategies/bands.js';
import beliefMaker from '../../strategies/belief-maker.js';
import fairMaker from '../../strategies/fair-maker.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';
import { folderOf } from '../support/folders.js';
import { m } from '../trader/market/fixtures.js';
import { FACTS, paramsFor, VIEW } from '../trader/strategy/fixtures.js';

const docs = readFileSync(join(import.meta.dirname, '../../docs/strategies.md'), 'utf8');
/** Without the padding of its tables. */
const text = docs.replaceAll(/ +/g, ' ');

test('docs/strategies.md lists every parameter as it is declared', () => {
  for (const strategy of [logOddsMaker, beliefMaker, fairMaker, bands]) {
    const start = text.indexOf(`## ${strategy.name}`);
    const section = text.slice(start, text.indexOf('\n## ', start + 1));
    for (const { name, unit, range, default: value, help } of paramTable(strategy)) {
      const shown = value.startsWith('[') ? 'two bands' : value;
      const row = `| \`${name}\` | ${unit} | ${range} | ${shown} | ${help} |`;
      // What has no unit has an empty cell.
      expect(section).toContain(row.replaceAll(/ +/g, ' '));
    }
  }
});

test("the docs' own module loads by its path and quotes", async () => {
  const source = /```ts\n(.*?)```/s.exec(docs)?.[1] ?? '';
  const folder = folderOf({ 'my-maker.ts': source });
  const { strategy } = await loadStrategyModule('./my-maker.ts', folder);
  const quotes = strategy.create(paramsFor(strategy), FACTS).quote(VIEW);
  expect(checkQuotes(quotes, VIEW)).toBeNull();
  expect([quotes.bids[0]?.priceMicros, quotes.asks[0]?.priceMicros]).toEqual([m(0.47), m(0.53)]);
});
