/** Sizes, prices, rates and times at their bounds, where a rounding or a lost digit would show. */

import fc from 'fast-check';
import { it } from 'vitest';
import type { PoolConfigSpec } from '../../../../src/exchange/core/contract.js';
import { must } from '../../../../src/shared/base/errors.js';
import { expectSame } from '../../../support/expect-same.js';
import { accepted, m, settings } from '../venue.js';
import { DAY_MS, HYPERLIQUID, MarginDesk, POLYMARKET } from './desk.js';

const CONFIGS: readonly (readonly [string, PoolConfigSpec])[] = [
  [
    'the highest rates',
    {
      ...{ ...POLYMARKET, max_leverage_yes: '1000', max_leverage_no: '1000', shares_decimals: 6, price_decimals: 6 },
      ...{ opening_fee: '1', closing_fee: '1', annual_fee_rate: '100' },
    },
  ],
  [
    'the lowest rates',
    { ...HYPERLIQUID, max_leverage_yes: '1000', max_leverage_no: '1.000001', annual_fee_rate: '0.000001' },
  ],
  [
    'the coarsest grid',
    { ...POLYMARKET, max_leverage_yes: '1000', shares_decimals: 0, price_decimals: 1, closing_fee: '0.999999' },
  ],
];

const price = fc.constantFrom('0.000001', '0.1', '0.5', '0.500001', '0.9', '0.999999');
const request = fc.record({
  isYes: fc.boolean(),
  leverage: fc.constantFrom('1', '1.000001', '2.5', '1000'),
  funds: fc.constantFrom('1', '5.000001', '123456.789', '500000', '1000000'),
  limit: fc.option(fc.tuple(price, fc.constantFrom('0.000001', '1', '7', '123456.789012', '1000000', '1000000000'))),
});
const call = fc.oneof(
  { weight: 4, arbitrary: fc.record({ account: fc.nat(2), request }) },
  { weight: 3, arbitrary: fc.record({ mark: price }) },
  { weight: 3, arbitrary: fc.record({ passMs: fc.constantFrom(1, 5_000, 400 * DAY_MS) }) },
  { weight: 2, arbitrary: fc.record({ account: fc.nat(2), closeAt: fc.option(price) }) },
  { weight: 1, arbitrary: fc.record({ paused: fc.boolean() }) },
);
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const RICH = m('1000000000');

function richDesk(config: PoolConfigSpec, landingMs: number): MarginDesk {
  const desk = new MarginDesk(config, {}, { ...settings, landingMs });
  desk.accounts = 4;
  for (const number of [1, 2, 3]) {
    const wallet = must(desk.core.identity.account(desk.account(number)).wallet, 'the wallet of an account');
    accepted(desk.now.identity.deposit(wallet, RICH));
  }
  return desk;
}

/** Makes one call; the exchange may reject it. */
function run(desk: MarginDesk, one: Call): void {
  if ('mark' in one) desk.move(one.mark);
  else if ('passMs' in one) desk.pass(one.passMs);
  else if ('paused' in one) accepted(desk.now.markets.setPaused(desk.id, one.paused));
  else if ('request' in one) {
    const { limit, ...wish } = one.request;
    const draft = desk.draft(one.account + 1, limit === null ? wish : { ...wish, limit });
    if (draft.ok) desk.now.margin.requests.submit(one.account + 1, draft.value.pubkey, true);
  } else {
    const { rows } = desk.core.margin.positionPage(one.account + 1, { limit: 1 });
    for (const { pubkey } of rows) desk.close(one.account + 1, pubkey, one.closeAt);
  }
}

/** Rows that show created, lost or owed amounts; none is expected. */
function unsoundRows(desk: MarginDesk): readonly unknown[] {
  const unsound: unknown[] = desk.missing === 0 ? [] : [{ missing: desk.missing }];
  for (const account of [1, 2, 3]) {
    const funds = desk.core.funds.read(account);
    const { total, locked } = funds;
    if (!(Number.isSafeInteger(total) && locked >= 0 && locked <= total)) unsound.push({ account, ...funds });
    for (const row of desk.core.margin.positionPage(account, { limit: 100 }).rows) {
      const fatal = Number(row.liquidation_price);
      const isOwed = !(Number(row.realized_pnl) >= -Number(row.user_liquidity));
      if (!(fatal >= 0 && fatal <= 1) || isOwed) unsound.push(row);
    }
  }
  return unsound;
}

it.each(CONFIGS)('at all bounds, with %s, nothing is created, lost or owed by a user', (_, config) => {
  fc.assert(
    fc.property(fc.array(call, { minLength: 30, maxLength: 60 }), fc.constantFrom(0, 1, 400), (calls, landingMs) => {
      const desk = richDesk(config, landingMs);
      for (const one of calls) {
        const fees = desk.core.matching.fees;
        run(desk, one);
        expectSame(desk.core.matching.fees >= fees, true);
        expectSame(unsoundRows(desk), []);
      }
      accepted(desk.now.markets.resolve(desk.id, true));
      desk.pass(DAY_MS);
      expectSame(unsoundRows(desk), []);
    }),
    { numRuns: 100 },
  );
});
