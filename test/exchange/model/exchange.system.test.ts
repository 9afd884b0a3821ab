import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { must } from '../../../src/shared/base/errors.js';
import { times } from '../../support/effort.js';
import { calls, ending, GRIDS } from './calls.js';
import { checkConservation, checkSame } from './compare.js';
import { settings } from './opening.js';
import { Pair } from './pair.js';

/** `TWINBOOK_MODEL_RUNS` sets another number. */
const RUNS = Number(process.env['TWINBOOK_MODEL_RUNS'] ?? times(400, 50_000));

/** Minimum number of each event in 2,000 sequences: about a quarter of the usual number, so that no seed fails. */
const AT_LEAST: readonly (readonly [number, readonly string[]])[] = [
  [3_000, ['order: ok', 'submit order: ok', 'order open', 'split landed']],
  [400, ['mint', 'order filled', 'order canceled', 'order expired', 'order partially_filled', 'cancel: ok']],
  [100, ['burn', 'transfer of YES', 'transfer of NO', 'order partially_filled_canceled', 'submit cancel: ok']],
  [100, ['stopped at its own order', 'stopped by its purse', 'restart', 'deposit: ok', 'internal: rests']],
  [100, ['merge landed', 'merge: ok', 'redeem: ok', 'submit redeem: ok', 'resolve: ok', 'state: ok']],
  [50, ['cancel draft answered again', 'merge expired', 'split expired', 'redeem expired', 'withdraw: true']],
  [5, ['fee cut', 'withdraw: false']],
  [100, ['order: invalid_request_params price', 'order: invalid_request_params amount']],
  [50, ['order: invalid_request_params funds', 'order: invalid_request_params market_condition_id']],
  [10, ['order: gringotts_unavailable', 'merge: gringotts_unavailable', 'split: gringotts_unavailable']],
  [50, ['order: order_market_not_open', 'order: order_insufficient_funds', 'order: order_insufficient_shares']],
  [50, ['submit order: not_found', 'submit order: program_call_has_expired', 'submit order: order_market_not_open']],
  [20, ['submit order: order_insufficient_funds', 'submit order: order_insufficient_shares']],
  [50, ['submit order: invalid_program_call_status', 'submit order: invalid_request_params signature']],
  [50, ['cancel: not_found', 'cancel: order_not_cancelable', 'submit cancel: not_found']],
  [10, ['submit cancel: invalid_program_call_status', 'submit cancel: program_call_has_expired']],
  [10, ['submit cancel: invalid_request_params signature', 'submit cancel: order_not_cancelable']],
  ...(['merge', 'split'] as const).map(
    (kind) =>
      [
        10,
        [
          `${kind}: invalid_request_params market_condition_id`,
          `${kind}: custodial_user_trading_not_allowed`,
          `${kind}: share_conversion_market_not_eligible`,
          `${kind}: share_conversion_invalid_amount`,
          `${kind}: share_conversion_market_not_open`,
          `${kind}: share_conversion_market_paused`,
          `${kind}: share_${kind}_in_progress`,
          `submit ${kind}: share_conversion_not_found`,
          `submit ${kind}: program_call_has_expired`,
          `submit ${kind}: share_conversion_invalid_state`,
          `${kind} failed: share_conversion_market_not_open`,
          `submit ${kind}: invalid_request_params signature`,
        ],
      ] as const,
  ),
  [1, ['merge failed: share_conversion_market_paused', 'split failed: share_conversion_market_paused']],
  [1, ['merge failed: share_merge_market_has_unbacked_collateral']],
  [10, ['redeem draft answered again']],
  [10, ['merge: share_merge_market_has_unbacked_collateral', 'merge: share_merge_insufficient_shares']],
  [20, ['split: share_split_insufficient_funds', 'redeem: invalid_request_params market_condition_id']],
  [10, ['submit redeem: not_found', 'submit redeem: program_call_has_expired']],
  [10, ['submit redeem: invalid_program_call_status', 'submit redeem: invalid_request_params signature']],
  [10, ['resolve: invalid_request_params is_yes', 'state: invalid_request_params state', 'state: not_found']],
  [10, ['internal: market', 'internal: grid', 'internal: balance']],
  [10, ['merge draft answered again', 'split draft answered again', 'deposit: invalid_request_params funds']],
];

/** The house and the crowd. */
const UNLIMITED = [0, 4];
const ODD_GRID = must(
  GRIDS.find((grid) => grid.price + grid.amount > 9),
  'a grid whose products do not come out even',
);

describe('the exchange', () => {
  it('answers like the plain model, call by call, and neither creates nor loses anything', () => {
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    const grid = fc.constantFrom(...GRIDS);
    fc.assert(
      fc.property(fc.tuple(grid, grid), calls, ending, (grids, middle, end) => {
        const pair = new Pair(grids, count);
        for (const call of [...middle, ...end]) {
          pair.run(call);
          checkConservation(pair.core, pair.accounts, UNLIMITED);
        }
        checkSame(pair.core, pair.plain, pair.accounts);
        // A journal's lines are JSON: they alone must lead to the same state.
        const again = new ExchangeCore(settings);
        for (const command of pair.journal) again.apply(JSON.parse(JSON.stringify(command)));
        expect(JSON.stringify(again.snapshot()) === JSON.stringify(pair.core.snapshot())).toBe(true);
      }),
      { numRuns: RUNS },
    );
    // Fails if the sequences no longer cover these events.
    const rare = AT_LEAST.flatMap(([times, what]) =>
      what.map((one) => ({ one, times: seen.get(one) ?? 0, wanted: (times * RUNS) / 2_000 })),
    );
    expect(rare.filter(({ times, wanted }) => times < wanted)).toEqual([]);
  }, 3_600_000);

  it('charges nobody what he has not got, however the roundings fall', () => {
    const seen: string[] = [];
    const pair = new Pair([ODD_GRID, ODD_GRID], (what) => seen.push(what));
    const common = { market: 1, cents: 0, ticks: 0, units: 0 } as const;
    // A NO share at 0.5 costs half a millionth more than a YES share when its amount is odd. All funds are locked.
    pair.run({ do: 'internal', by: 0, ...common, bid: true, lots: 1, immediate: false });
    pair.run({ do: 'order', by: 0, ...common, isYes: false, buys: true, isLimit: true, lots: 0, flaw: 'all in' });
    pair.run({ do: 'submit', what: 'order', pick: 1, by: 'owner', valid: true });
    for (let times = 0; times < 5; times++) {
      pair.run({ do: 'internal', by: 0, ...common, bid: true, lots: 1, immediate: true });
      checkConservation(pair.core, pair.accounts, UNLIMITED);
    }
    expect(seen).toContain('fee below zero');
    checkSame(pair.core, pair.plain, pair.accounts);
  });
});
