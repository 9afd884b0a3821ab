import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type GapLook, MarketGaps } from '../../../src/cli/ledger/explain-past.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import beliefMaker from '../../../strategies/belief-maker.js';
import { trader } from '../../shell/config/files.js';
import { market } from '../../shell/console/state-of-markets.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { FACTS, paramsFor, VIEW } from '../../trader/strategy/fixtures.js';
import { run } from '../run.js';

test('explain shows what strategies saved of a market, from the ledger alone', async () => {
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
  const { code, out } = await run(['explain', 'market-1', '-c', 'trader.yaml'], { cwd });
  expect(code).toBe(0);
  expect(out).toMatch(/^belief-maker saved at 2023-11-14 .* UTC:\n {2}believed_price: 0\.\d+/);
  expect(out).toMatch(/low_wall_price: 0\.45\n.*high_wall_price: 0\.55/s);
  for (const name of ['deviation_price', 'takers_per_s', 'buyer_shares', 'jumps_per_s']) expect(out).toContain(name);
  expect(out).not.toContain('other');
  expect((await run(['explain', 'nowhere', '-c', 'trader.yaml'], { cwd })).code).toBe(2);
});

const FROM = Date.UTC(2026, 10, 25, 21, 3, 10);
const look = (orders: number, count: number, more: Partial<GapLook> = {}): GapLook => ({
  mode: 'quoting',
  reason: '',
  markets: [
    {
      conditionId: 'm',
      orders: market('m').orders.slice(0, orders),
      note: 'no book yet',
      refusals: count === 0 ? [] : [{ name: 'request_reserve', count, text: '' }],
    },
  ],
  ...more,
});

test('names each gap with what was said at its beginning, and the controls that refused meanwhile', () => {
  const gaps = new MarketGaps('m');
  const looks: readonly (readonly [seconds: number, of: GapLook])[] = [
    [0, look(0, 0)],
    [2, look(2, 3)],
    [4, look(0, 3, { mode: 'paused', reason: 'operator' })],
    [5, look(0, 5)],
    [6, look(1, 5)],
    [10, look(1, 9)],
  ];
  for (const [seconds, of] of looks) gaps.look(of, FROM + seconds * 1000);
  expect(gaps.lines).toEqual([
    'without an order for 4.0 s of 10.0 s (40.0 %), 2 times',
    '  2026-11-25 21:03:10 for 2.0 s: no book yet; orders were refused by request_reserve (3 times)',
    '  2026-11-25 21:03:14 for 2.0 s: paused, operator; orders were refused by request_reserve (2 times)',
  ]);
});

test('has none for a market that was always quoted, and one for a market without a look', () => {
  const [quoted, other] = [new MarketGaps('m'), new MarketGaps('other')];
  for (const gaps of [quoted, other]) for (const ms of [0, 1000]) gaps.look(look(1, 0), FROM + ms);
  expect(quoted.lines).toEqual(['without an order for 0.0 s of 1.0 s (0.0 %), 0 times']);
  expect(other.lines[1]).toBe('  2026-11-25 21:03:10 for 1.0 s: not looked at');
});
