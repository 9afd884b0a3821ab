import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventRule, Exposure, WorkingOrder } from '../../../src/trader/risk/exposure.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { exposureOf, factsOf, holdingOf, m, ONE, only, orderOf, paid, placeOf, randomState } from './states.js';

type Holding = ReturnType<Exposure['holding']>;

const shares = (n: number) => m(n * ONE);
const EXCLUSIVE: EventRule = { eventConditionId: 'event', outcomes: 'exclusive', marketConditionIds: [] };
const EXHAUSTIVE: EventRule = { eventConditionId: 'event', outcomes: 'exhaustive', marketConditionIds: ['a', 'b'] };
const NESTED: EventRule = { ...EXHAUSTIVE, outcomes: 'nested' };

/** Returns a holding of this number of NO shares at 0.8 in a market of the event. */
const noIn = (marketConditionId: string, count = 100): Holding =>
  holdingOf({ marketConditionId, noMicros: shares(count), costMicros: shares(0.8 * count) });

describe('the worst loss of an event', () => {
  it('of 100 NO at 0.8 in two exclusive markets is 60, not the 160 of their sum', () => {
    const held = [noIn('a'), noIn('b')];
    expect(exposureOf(held).eventLoss('event')).toBe(160 * ONE);
    const exclusive = exposureOf(held, [], [EXCLUSIVE]);
    expect([exclusive.eventLoss('event'), exclusive.totalLossMicros]).toEqual([60 * ONE, 160 * ONE]);
  });

  it('counts that none of them wins, unless one of those where we hold something must', () => {
    const yes = (marketConditionId: string) =>
      holdingOf({ marketConditionId, yesMicros: shares(100), costMicros: shares(30) });
    expect(exposureOf([yes('a'), yes('b')], [], [EXCLUSIVE]).eventLoss('event')).toBe(60 * ONE);
    expect(exposureOf([yes('a'), yes('b')], [], [EXHAUSTIVE]).eventLoss('event')).toBe(0);
    // A market without a position may resolve YES.
    expect(exposureOf([yes('a')], [], [EXHAUSTIVE]).eventLoss('event')).toBe(30 * ONE);
    // The event has a market that the declaration does not name.
    expect(exposureOf([yes('a'), yes('b'), yes('d')], [], [EXHAUSTIVE]).eventLoss('event')).toBe(90 * ONE);
  });

  it('counts that a narrower threshold is reached only with the wider one', () => {
    // Long the wide and short the narrow market: both would lose only if the narrow one alone resolved YES.
    const wide = holdingOf({ marketConditionId: 'a', yesMicros: shares(100), costMicros: shares(60) });
    const held = [wide, noIn('b', 100)];
    expect(exposureOf(held).eventLoss('event')).toBe(140 * ONE);
    expect(exposureOf(held, [], [NESTED]).eventLoss('event')).toBe(40 * ONE);
    // An undeclared market may resolve either way.
    expect(exposureOf([...held, noIn('d')], [], [NESTED]).eventLoss('event')).toBe(120 * ONE);
  });

  it('is what every subset of fills and every outcome that may win makes of it, the plain way', () => {
    const rules = fc.constantFrom([], [EXCLUSIVE], [EXHAUSTIVE], [NESTED]);
    fc.assert(
      fc.property(randomState, rules, ({ holdings, orders }, declared) => {
        const plain = plainLoss(holdings, orders, declared[0] ?? null);
        const exposure = exposureOf(holdings, orders, declared);
        expect(BigInt(exposure.eventLoss('event'))).toBe(plain);
        const touched = [...holdings, ...orders].filter(
          (one) => !('yesMicros' in one) || one.yesMicros + one.noMicros > 0,
        );
        const events = new Set(touched.map((one) => one.eventConditionId ?? one.marketConditionId));
        expect(new Set(exposure.eventKeys)).toEqual(events);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses an order that would pass the limit, and none that makes it smaller', () => {
    const exposure = exposureOf([noIn('a'), noIn('b')], [], [EXCLUSIVE]);
    const facts = (limit: number) => factsOf({ exposure, limits: only({ maxEventLossMicros: shares(limit) }) });
    const no = { isYes: false, fairYesMicros: m(440_000) };
    const more = placeOf({ ...no, priceMicros: m(560_000), amountMicros: shares(100) });
    // A hundred NO at 0.56 with a fee of 0.56 are lost if market a resolves YES.
    expect(judge(more, facts(116))).toMatchObject({ verdict: 'refused', control: 6, name: 'max_event_loss' });
    expect(judge(more, facts(117)).verdict).toBe('approved');
    const less = placeOf({ isYes: false, side: 'sell', priceMicros: m(590_000), amountMicros: shares(10) });
    // The sold shares offset the other market's loss.
    expect(judge(less, facts(60))).toMatchObject({ verdict: 'refused', name: 'max_event_loss' });
    expect(judge(less, { ...facts(60), stance: 'flatten' }).verdict).toBe('approved');
    expect(judge(less, { ...facts(10), exposure: exposureOf([noIn('a')], [], [EXCLUSIVE]) }).verdict).toBe('approved');
  });

  it('is that of the market alone where it belongs to no event', () => {
    const inC = { marketConditionId: 'c', eventConditionId: null };
    const alone = exposureOf([holdingOf({ ...inC, yesMicros: shares(10), costMicros: shares(4) })]);
    expect([alone.eventLoss('c'), alone.eventLoss('event'), alone.eventKeys]).toEqual([4 * ONE, 0, ['c']]);
    expect(alone.eventLoss('c', orderOf({ ...inC, feeRateMicros: m(0) }))).toBe(8 * ONE);
  });
});

/** Tries every subset of fills and every outcome. */
function plainLoss(holdings: readonly Holding[], orders: readonly WorkingOrder[], rule: EventRule | null): bigint {
  const inEvent = ['a', 'b'];
  const fillable = orders.filter(
    ({ phase, marketConditionId }) => phase !== 'abandoned' && inEvent.includes(marketConditionId),
  );
  const present = inEvent.filter((market) =>
    [
      ...holdings.filter(({ yesMicros, noMicros, splittingMicros }) => yesMicros + noMicros + splittingMicros > 0),
      ...orders,
    ].some(({ marketConditionId }) => marketConditionId === market),
  );
  const noneMayWin = rule?.outcomes !== 'exhaustive' || present.length < inEvent.length;
  const one = [...present.map((market) => [market]), ...(noneMayWin ? [[]] : [])];
  const winners: readonly (readonly string[])[] = rule?.outcomes === 'nested' ? [[], ['a'], ['a', 'b']] : one;
  let worst = 0n;
  for (let subset = 0; subset < 2 ** fillable.length; subset++) {
    const lossIn = (market: string, winsYes: boolean): bigint => {
      const held = holdings.find(({ marketConditionId }) => marketConditionId === market);
      const counts = held !== undefined && held.yesMicros + held.noMicros + held.splittingMicros > 0;
      let loss = counts ? BigInt(held.costMicros) - BigInt(winsYes ? held.yesMicros : held.noMicros) : 0n;
      fillable.forEach((order, i) => {
        if (order.marketConditionId !== market || (subset >> i) % 2 === 0) return;
        const moved = BigInt(order.remainingMicros) * (order.side === 'buy' ? 1n : -1n);
        loss += paid(order) - (order.isYes === winsYes ? moved : 0n);
      });
      return loss;
    };
    if (rule === null) {
      const sum = inEvent.reduce((total, market) => {
        const [yes, no] = [lossIn(market, true), lossIn(market, false)];
        return total + [yes, no, 0n].reduce((a, b) => (a > b ? a : b));
      }, 0n);
      if (sum > worst) worst = sum;
      continue;
    }
    for (const winner of winners) {
      const loss = inEvent.reduce((total, market) => total + lossIn(market, winner.includes(market)), 0n);
      if (loss > worst) worst = loss;
    }
  }
  return worst;
}
