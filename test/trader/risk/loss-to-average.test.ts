import { describe, expect, it } from 'vitest';
import { lossToAverage, type WorkingOrder } from '../../../src/trader/risk/exposure.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { exposureOf, factsOf, holdingOf, limitsOf, m, ONE, orderOf, placeOf, sight } from './states.js';

const caps = () => ({ yesMicros: m(500_000), noMicros: m(500_000) });

const openOrder = (changes: Partial<WorkingOrder>) =>
  orderOf({ priceMicros: m(840_000), remainingMicros: m(12 * ONE), feeRateMicros: m(0), ...changes });

function lossOf(orders: readonly Partial<WorkingOrder>[], yes = 0, no = 0): number {
  const held = holdingOf({ yesMicros: m(yes * ONE), noMicros: m(no * ONE) });
  const open = orders.map((changes, at) => openOrder({ intentId: `o${at}`, ...changes }));
  return lossToAverage(exposureOf([held], open), caps) / ONE;
}

const SALE = { side: 'sell', priceMicros: m(160_000) } as const;
const DEAR = { isYes: false, priceMicros: m(900_000) };

it.each<{ what: string; orders: Partial<WorkingOrder>[]; yes?: number; no?: number; loss: number }>([
  { what: 'a purchase of YES above it', orders: [{}], loss: 12 * 0.34 },
  { what: 'a purchase below it', orders: [{ priceMicros: m(400_000) }], loss: 0 },
  { what: 'a purchase of NO above it', orders: [{ isYes: false }], loss: 12 * 0.34 },
  { what: 'orders of any live phase', orders: [{}, { phase: 'in_flight' }, { phase: 'unknown' }], loss: 36 * 0.34 },
  { what: 'no order that was never signed', orders: [{ phase: 'abandoned' }], loss: 0 },
  { what: 'orders of all markets', orders: [{}, { marketConditionId: 'b' }], loss: 24 * 0.34 },
  { what: 'a sale out of complete sets', orders: [SALE], yes: 50, no: 50, loss: 12 * 0.34 },
  { what: 'no sale of what is held alone', orders: [SALE], yes: 50, loss: 0 },
  { what: 'the part that passes zero', orders: [{ isYes: false }], yes: 10, loss: 2 * 0.34 },
  { what: 'the dearer order as passing zero', orders: [DEAR, { isYes: false }], yes: 12, loss: 12 * 0.4 },
  { what: 'fees', orders: [{ priceMicros: m(500_000), feeRateMicros: m(20_000) }], loss: 12 * 0.01 },
])('the loss of open orders if prices return to their averages counts $what', ({ orders, yes, no, loss }) =>
  expect(lossOf(orders, yes, no)).toBeCloseTo(loss, 6),
);

describe('control 22', () => {
  const book = { bids: [], asks: [{ priceMicros: m(850_000), amountMicros: m(12 * ONE) }] };
  const verdictOf = (lost: number, changes = {}, resting: readonly WorkingOrder[] = []) => {
    const exposure = exposureOf([], resting);
    const place = placeOf({
      priceMicros: m(840_000),
      amountMicros: m(12 * ONE),
      fairYesMicros: m(850_000),
      ...changes,
    });
    const verdict = judge(place, {
      ...factsOf({ limits: limitsOf(), exposure, findCaps: caps }),
      sight: sight({ book }),
      loss: { dayLossMicros: m(lost * ONE), drawdownMicros: m(0), halted: null },
    });
    return verdict.verdict === 'refused' ? `${verdict.control} ${verdict.name}` : null;
  };

  it('refuses a purchase beyond the unused part of the day limit, whatever its size', () => {
    expect([verdictOf(45), verdictOf(46)]).toEqual([null, '22 loss_to_average']);
    expect(verdictOf(46, { amountMicros: m(ONE) })).toBeNull();
    expect(verdictOf(49.9, { amountMicros: m(ONE) })).toBe('22 loss_to_average');
  });

  it('counts resting orders as filled', () => {
    expect(verdictOf(40, {}, [openOrder({ priceMicros: m(830_000) })])).toBeNull();
    expect(verdictOf(43, {}, [openOrder({ priceMicros: m(830_000) })])).toBe('22 loss_to_average');
  });

  it('lets pass what costs no more than the average', () => {
    expect(verdictOf(49.9, { priceMicros: m(490_000) })).toBeNull();
    expect(verdictOf(49.9, { priceMicros: m(490_000) }, [openOrder({ priceMicros: m(830_000) })])).toBeNull();
  });
});
