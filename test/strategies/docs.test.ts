import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { must } from '../../src/shared/base/errors.js';
import { shippedStrategies } from '../../src/shell/config/shipped.js';
import { findStrategyModule, loadShipped } from '../../src/shell/config/strategy-module.js';
import { checkQuotes } from '../../src/trader/strategy/check.js';
import { paramTable } from '../../src/trader/strategy/read-params.js';
import { folderOf } from '../support/folders.js';
import { m } from '../trader/market/fixtures.js';
import { FACTS, ofMarkets, paramsFor, VIEW } from '../trader/strategy/fixtures.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const docs = read('docs/strategies.md');
const SHIPPED = shippedStrategies();

test.each(SHIPPED)('docs/strategies/%s.md lists every parameter as it is declared', async (name) => {
  const { strategy } = await loadShipped(name);
  // Without the padding of its tables.
  const page = read(`docs/strategies/${name}.md`).replaceAll(/ +/g, ' ');
  for (const { name: parameter, unit, range, default: value, help } of paramTable(strategy)) {
    const shown = value.startsWith('[') ? 'two bands' : value;
    const row = `| \`${parameter}\` | ${unit} | ${range} | ${shown} | ${help} |`;
    // A value without a unit has an empty cell.
    expect(page).toContain(row.replaceAll(/ +/g, ' '));
  }
  expect(page).toMatch(/\*\*(When it loses|What it has shown)\.\*\*/);
});

test('docs/strategies.md names every shipped strategy, and a file of each is shipped', () => {
  const files = readdirSync(join(ROOT, 'config/strategies')).map((file) => read(`config/strategies/${file}`));
  for (const name of SHIPPED) {
    expect(docs).toContain(`[${name}](strategies/${name}.md)`);
    expect(files.some((text) => text.includes(`\nstrategy: ${name}\n`) || text.includes(`\nstrategy: ${name} `))).toBe(
      true,
    );
  }
});

test("the docs' own module loads by its path and quotes", async () => {
  const folder = folderOf({ 'my-maker.ts': /```ts\n(.*?)```/s.exec(docs)?.[1] ?? '' });
  const strategy = must((await findStrategyModule('./my-maker.ts', folder)).strategy, 'the code');
  const quotes = ofMarkets(strategy).create(paramsFor(strategy), FACTS).quote(VIEW);
  expect(checkQuotes(quotes, VIEW)).toBeNull();
  expect([quotes.bids[0]?.priceMicros, quotes.asks[0]?.priceMicros]).toEqual([m(0.47), m(0.53)]);
});
