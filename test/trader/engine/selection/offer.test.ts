/** Value of a market's quotes if the strategy itself states the profit of a share. */

import { describe, expect, it } from 'vitest';
import { makeOffer } from '../../../../src/trader/engine/market-worth.js';
import { PricedOffer } from '../../../../src/trader/scheduler/market-choice.js';
import type { Quotes } from '../../../../src/trader/strategy/contract.js';
import { m } from '../../market/fixtures.js';
import { VIEW } from '../../strategy/fixtures.js';

const level = (price: number) => ({ priceMicros: m(price), amountMicros: m(10) });
const QUOTES: Quotes = {
  fairMicros: m(0.5),
  bids: [level(0.48), level(0.46)],
  asks: [level(0.53)],
  keepWithinTicks: 3,
  keepWithinSizeFraction: 0.2,
  note: '',
  factors: {},
};
const offer = (changes: Partial<Quotes> = {}) => {
  const motion = { sigmaPerSqrtS: 0.001, jumpsPerS: 0 };
  const made = makeOffer({ ...QUOTES, ...changes }, VIEW, motion, { fillRatio: 1, adversePart: 0.3 });
  if (made === null) return expect.unreachable('levels make an offer');
  return made;
};
const distances = (changes: Partial<Quotes> = {}) => offer(changes).sides.map(({ distance }) => distance);

describe('the worth of quotes', () => {
  it('goes by the fair value, or by the edge that the quotes name, further levels by as much more', () => {
    for (const [i, wanted] of [0.02, 0.04, 0.03].entries()) expect(distances()[i]).toBeCloseTo(wanted, 12);
    const named = distances({ edge: { bid: 0.005, ask: 0.001 } });
    for (const [i, wanted] of [0.005, 0.025, 0.001].entries()) expect(named[i]).toBeCloseTo(wanted, 12);
  });

  it('has quotes of a smaller edge lose more to those who see the price move', () => {
    const prices = { look: 0, request: 0, currencyPerS: 0 };
    const at = (changes: Partial<Quotes>) => new PricedOffer(offer(changes)).at({ ...prices, look: 0.001 });
    expect(at({ edge: { bid: 0.002, ask: 0.002 } }).stale).toBeGreaterThan(at({}).stale);
    expect(at({ edge: { bid: 0.02, ask: 0.03 } })).toEqual(at({}));
  });

  it('moves exact quotes however dear requests are', () => {
    const dear = { look: 0, request: 1, currencyPerS: 0 };
    const [kept, exact] = [offer(), offer({ exact: true })].map((each) => new PricedOffer(each).at(dear).movesPerS);
    expect(exact).toBeGreaterThan(4 * (kept ?? 0));
  });
});
