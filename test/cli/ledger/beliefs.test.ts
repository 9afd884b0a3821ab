import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import beliefMaker from '../../../strategies/belief-maker.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { FACTS, paramsFor, VIEW } from '../../trader/strategy/fixtures.js';
import { run } from '../run.js';

/** A folder with a ledger in which belief-maker has saved what it knows of one market, and another strategy nothing to show. */
function saved(): string {
  const cwd = folderOf({ 'trader.yaml': trader() });
  const ledger = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
  const maker = beliefMaker.create(paramsFor(beliefMaker), FACTS);
  maker.quote(VIEW);
  const row = { marketConditionId: 'market-1', version: 1, savedMs: 1_700_000_000_000 };
  ledger.transaction(() => {
    ledger.saveStrategyState({ ...row, strategy: 'belief-maker', text: JSON.stringify(maker.save?.()) });
    ledger.saveStrategyState({ ...row, strategy: 'other', text: '{"asked":1}' });
  });
  ledger.close();
  return cwd;
}

test('shows what was believed and learned, from the ledger alone', async () => {
  const { code, out } = await run(['beliefs', 'market-1', '-c', 'trader.yaml'], { cwd: saved() });
  expect(code).toBe(0);
  expect(out).toMatch(/^market\s+market-1\nstrategy\s+belief-maker\nsaved\s+2023-11-14/);
  expect(out).toMatch(/believed_price +0\.\d+/);
  expect(out).toMatch(/low_wall_price +0\.45\n.*high_wall_price +0\.55/s);
  for (const name of ['deviation_price', 'takers_per_s', 'buyer_shares', 'jumps_per_s']) expect(out).toContain(name);
});

test('is JSON for programs, with every strategy in every market', async () => {
  const { out } = await run(['beliefs', '--json', '-c', 'trader.yaml'], { cwd: saved() });
  expect(JSON.parse(out)).toMatchObject([
    { market_condition_id: 'market-1', strategy: 'belief-maker', version: 1, shown: { low_wall_price: 0.45 } },
    { strategy: 'other', shown: {} },
  ]);
});

test('says that there is nothing when nothing was saved', async () => {
  const { out } = await run(['beliefs', 'nowhere', '-c', 'trader.yaml'], { cwd: saved() });
  expect(out).toBe('(none)\n');
});
