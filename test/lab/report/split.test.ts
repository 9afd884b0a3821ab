import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import { type MarketResult, type ResultSplit, splitMarket } from '../../../src/lab/report/analysis/split.js';
import type { ConversionRecord, FillRecord, MarketSession } from '../../../src/lab/session/contract.js';
import { complement, micros } from '../../../src/shared/base/micros.js';
import { tradeNotional } from '../../../src/trader/ledger/postings.js';
import { aConversion, aFill, aMarket, aSession, ONE } from './sessions.js';

const partsOf = (split: ResultSplit) =>
  (split.spreadMicros ?? 0) +
  (split.driftMicros ?? 0) -
  split.feesMicros +
  split.mergesMicros +
  (split.settlementMicros ?? 0) +
  split.undividedMicros;

const bought = aFill();
const sale = { timeMs: 2_000, isBuy: false };
const blind = { markMicros: null };
const blindSale = { ...sale, ...blind, priceMicros: 450_000 };
const no = { timeMs: 2_000, isYes: false, priceMicros: 420_000 };
const redeem = { kind: 'redeem', noMicros: 0 } as const;
const held = { endYesMicros: 10 * ONE };
const cases: readonly (readonly [string, Partial<MarketSession>, Partial<ResultSplit>, Partial<MarketResult>])[] = [
  [
    'a share bought below the middle earns the distance, and drifts with it afterwards',
    { ...held, fills: [aFill({ feeMicros: 20_000 })], endMarkMicros: 380_000 },
    { resultMicros: -220_000, spreadMicros: 100_000, driftMicros: -300_000, feesMicros: 20_000 },
    { endValueMicros: 3_800_000, valuedAt: 'mark' },
  ],
  [
    'an outcome is the distance from the last middle',
    { ...held, fills: [bought], endMarkMicros: 450_000, outcome: true },
    { spreadMicros: 100_000, driftMicros: 400_000, settlementMicros: 5_500_000, resultMicros: 6_000_000 },
    { valuedAt: 'outcome' },
  ],
  [
    'a redemption is settlement too, and what it leaves unredeemed is worth its outcome',
    {
      fills: [bought],
      conversions: [aConversion({ ...redeem, yesMicros: 6 * ONE, cashMicros: 6 * ONE, markMicros: 450_000 })],
      endYesMicros: 4 * ONE,
      endMarkMicros: 450_000,
      outcome: true,
    },
    { settlementMicros: 5_500_000, resultMicros: 6_000_000 },
    { endValueMicros: 4 * ONE },
  ],
  [
    'NO bought is YES sold: the same price, the same spread',
    { fills: [aFill({ isYes: false, priceMicros: 430_000 })], endNoMicros: 10 * ONE, endMarkMicros: 400_000 },
    { spreadMicros: 200_000, driftMicros: 100_000, resultMicros: 300_000 },
    {},
  ],
  [
    'complete sets are merged at their value',
    { fills: [bought, aFill(no)], conversions: [aConversion()], endMarkMicros: 990_000 },
    { mergesMicros: 0, spreadMicros: 200_000, driftMicros: 0, resultMicros: 200_000 },
    { valuedAt: 'nothing held' },
  ],
  [
    'without any middle the result stands and its parts are not known',
    { fills: [aFill(blind), aFill(blindSale)] },
    { resultMicros: 500_000, spreadMicros: null, driftMicros: null, settlementMicros: 0, undividedMicros: 500_000 },
    {},
  ],
  [
    'shares without outcome and middle count at average cost',
    { fills: [aFill(blind), aFill({ ...blindSale, amountMicros: 4 * ONE })], endYesMicros: 6 * ONE },
    { resultMicros: 200_000, spreadMicros: null },
    { valuedAt: 'cost', endValueMicros: 2_400_000 },
  ],
  [
    // Between the known middles 0.41 and 0.43: 20 shares at 0.43, less 10 at 0.41 and the 4.10 paid.
    'a middle that is missing once leaves the rest divided',
    {
      ...held,
      fills: [
        bought,
        aFill({ timeMs: 2_000, markMicros: null, priceMicros: 410_000 }),
        aFill({ ...sale, timeMs: 3_000, priceMicros: 440_000, markMicros: 430_000 }),
      ],
      endMarkMicros: 420_000,
    },
    { spreadMicros: 200_000, undividedMicros: 400_000, driftMicros: -100_000, resultMicros: 500_000 },
    {},
  ],
  [
    // 10 shares at 0.41 and the 5.80 paid became 10 sets: the time between is not divided, and nothing drifts.
    'sets that are merged while no middle is known are no loss',
    {
      fills: [bought, aFill({ ...no, markMicros: null })],
      conversions: [aConversion({ markMicros: null })],
      endMarkMicros: 450_000,
    },
    { resultMicros: 200_000, spreadMicros: 100_000, mergesMicros: 0, undividedMicros: 100_000, driftMicros: 0 },
    {},
  ],
  [
    'an unknown settlement is not a settlement of zero',
    { fills: [bought], conversions: [aConversion({ ...redeem, markMicros: null })], outcome: true },
    { settlementMicros: null, spreadMicros: 100_000, resultMicros: 6_000_000, undividedMicros: 5_900_000 },
    {},
  ],
];

test.each(cases)('the split, worked out by hand: %s', (_, changes, split, result) => {
  const found = splitMarket(aMarket(changes));
  expect(found.split).toMatchObject(split);
  expect(found).toMatchObject(result);
});

/** A market of random possible moves: only held shares are sold. */
const market = (markKnown: fc.Arbitrary<boolean>): fc.Arbitrary<MarketSession> =>
  fc
    .record({
      moves: fc.array(
        fc.record({
          kind: fc.constantFrom('fill', 'fill', 'fill', 'fill', 'merge', 'redeem'),
          isYes: fc.boolean(),
          isBuy: fc.boolean(),
          amount: fc.integer({ min: 1, max: 50_000_000_000 }),
          price: fc.integer({ min: 1, max: 999_999 }),
          mark: fc.integer({ min: 1, max: 999_999 }),
          isKnown: markKnown,
          fee: fc.integer({ min: 0, max: 5_000_000 }),
          stepMs: fc.integer({ min: 0, max: 100_000 }),
        }),
        { maxLength: 25 },
      ),
      endMark: fc.option(fc.integer({ min: 1, max: 999_999 })),
      outcome: fc.option(fc.boolean()),
    })
    .map(({ moves, endMark, outcome }) => {
      let [timeMs, yes, no] = [0, 0, 0];
      const fills: FillRecord[] = [];
      const conversions: ConversionRecord[] = [];
      for (const { kind, isYes, isBuy, amount, price, mark, isKnown, fee, stepMs } of moves) {
        timeMs += stepMs + 1;
        const markMicros = isKnown ? mark : null;
        if (kind === 'fill') {
          const size = isBuy ? amount : Math.min(amount, isYes ? yes : no);
          if (size === 0) continue;
          const notional = tradeNotional(isYes, isYes ? micros(price) : complement(micros(price)), micros(size));
          if (isYes) yes += isBuy ? size : -size;
          else no += isBuy ? size : -size;
          const amounts = { amountMicros: size, priceMicros: price, feeMicros: fee, markMicros };
          fills.push(aFill({ timeMs, isYes, isBuy, ...amounts, cashMicros: isBuy ? -notional : notional }));
        } else {
          const sets = kind === 'merge';
          const yesGone = sets ? Math.min(yes, no, amount) : Math.min(yes, amount);
          const noGone = sets ? yesGone : Math.min(no, amount);
          if (yesGone + noGone === 0) continue;
          yes -= yesGone;
          no -= noGone;
          const cashMicros = sets ? yesGone : (outcome ?? true) ? yesGone : noGone;
          const amounts = { yesMicros: yesGone, noMicros: noGone, cashMicros, markMicros };
          conversions.push(aConversion({ kind: sets ? 'merge' : 'redeem', timeMs, ...amounts }));
        }
      }
      return aMarket({ fills, conversions, endYesMicros: yes, endNoMicros: no, endMarkMicros: endMark, outcome });
    });

/** Spread, drift and settlement by the plain formula, in millionths of millionths, with every middle known. */
function plainly({ fills, conversions, endMarkMicros, outcome }: MarketSession) {
  const price = BigInt(ONE);
  const parts = { spread: 0n, drift: 0n, settlement: 0n, merges: 0n };
  const all = [...fills, ...conversions].sort((a, b) => a.timeMs - b.timeMs);
  let [yes, no] = [0n, 0n];
  let before: bigint | null = null;
  for (const move of all) {
    const mark = BigInt(move.markMicros ?? Number.NaN);
    if (before !== null) parts.drift += (yes - no) * (mark - before);
    before = mark;
    const cash = BigInt(move.cashMicros) * price;
    if ('orderPubkey' in move) {
      const size = BigInt(move.isBuy ? move.amountMicros : -move.amountMicros);
      parts.spread += cash + size * (move.isYes ? mark : price - mark);
      if (move.isYes) yes += size;
      else no += size;
    } else {
      const worth = BigInt(move.yesMicros) * mark + BigInt(move.noMicros) * (price - mark);
      if (move.kind === 'merge') parts.merges += cash - worth;
      else parts.settlement += cash - worth;
      yes -= BigInt(move.yesMicros);
      no -= BigInt(move.noMicros);
    }
  }
  const last = endMarkMicros === null ? before : BigInt(endMarkMicros);
  if (before !== null && last !== null) parts.drift += (yes - no) * (last - before);
  if (outcome !== null && last !== null)
    parts.settlement += (outcome ? yes : no) * price - yes * last - no * (price - last);
  return parts;
}

describe('the split of random sessions', () => {
  test('adds up to the result, to the micro, whatever is known', () =>
    fc.assert(
      fc.property(fc.array(market(fc.boolean()), { maxLength: 4 }), (markets) => {
        const analysis = analyse(aSession(markets));
        expect(partsOf(analysis.result)).toBe(analysis.result.resultMicros);
        for (const { result } of analysis.markets) expect(partsOf(result)).toBe(result.resultMicros);
        expect(analysis.equity.resultMicros).toBe(analysis.result.resultMicros);
        expect(analysis.equity.endEquityMicros - analysis.equity.capitalMicros).toBe(analysis.result.resultMicros);
        expect(analysis.warnings.filter(({ level }) => level === 'wrong')).toEqual([]);
      }),
      { numRuns: 300 },
    ));

  test('is what a plain recomputation says, but for the rounding that drift takes', () =>
    fc.assert(
      fc.property(market(fc.constant(true)), (session) => {
        const { split } = splitMarket(session);
        const exact = plainly(session);
        const near = (micros: number | null, value: bigint, slack: bigint) => {
          const off = BigInt(micros ?? Number.NaN) * BigInt(ONE) - value;
          expect(off < 0n ? -off : off).toBeLessThanOrEqual(slack);
        };
        const half = BigInt(ONE) / 2n;
        near(split.spreadMicros, exact.spread, half);
        near(split.mergesMicros, exact.merges, half);
        near(split.settlementMicros, exact.settlement, half);
        near(split.driftMicros, exact.drift, 4n * BigInt(ONE));
        expect(split.undividedMicros).toBe(0);
      }),
      { numRuns: 500 },
    ));

  test('does not change the result when middles are not known', () =>
    fc.assert(
      fc.property(market(fc.constant(true)), (session) => {
        const blind = {
          ...session,
          fills: session.fills.map((fill) => ({ ...fill, markMicros: null })),
          conversions: session.conversions.map((conversion) => ({ ...conversion, markMicros: null })),
        };
        const [seeing, blinded] = [splitMarket(session), splitMarket(blind)];
        // Without an outcome or a last middle, the value of a holding depends on other known prices.
        if (session.outcome !== null || session.endMarkMicros !== null || seeing.valuedAt === 'nothing held')
          expect(blinded.split.resultMicros).toBe(seeing.split.resultMicros);
        if (session.fills.length > 0) expect(blinded.split.spreadMicros).toBeNull();
      }),
      { numRuns: 300 },
    ));
});
