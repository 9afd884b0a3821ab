import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventFacts, type MarketView, makeWholeEventView } from '../../src/trader/market/view.js';
import { checkEventQuotes } from '../../src/trader/strategy/check.js';
import { eventReservationPrices } from '../../src/trader/strategy/maths/log-odds.js';
import { falling, findRise, nestedReservationPrices } from '../../strategies/event/nested.js';
import { addingUp, bookVariance } from '../../strategies/event/outcomes.js';
import { holdAskSum, holdNested, holdSum } from '../../strategies/event/sums.js';
import eventMaker from '../../strategies/event-maker.js';
import { near } from '../shared/statistics/fixtures.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, holding, ownOrder, paramsFor, viewOf } from '../trader/strategy/fixtures.js';

/** An outcome with a book of others around this middle. */
const outcome = (id: string, mid: number, more: Partial<MarketView> = {}): MarketView =>
  viewOf(book([[mid - 0.03, 100]], [[mid + 0.03, 100]]), {
    market: { ...FACTS, conditionId: id, eventConditionId: 'E' },
    ...more,
  });

const inHealth = (view: MarketView, health: Partial<MarketView['health']>): MarketView => ({
  ...view,
  health: { ...view.health, ...health },
});

const factsOf = (outcomes: EventFacts['outcomes'], ids: readonly string[]): EventFacts => ({
  eventConditionId: 'E',
  outcomes,
  marketConditionIds: outcomes === 'exclusive' || outcomes === null ? [] : ids,
});

const idsOf = (views: readonly MarketView[]) => views.map(({ market }) => market.conditionId);
const wholeOf = (views: readonly MarketView[], event: EventFacts) => {
  const shown = views.map((view) => ({ view, silentBecause: null }));
  return makeWholeEventView(1_000_000, event, shown, idsOf(views));
};

/** Quotes in an event of this kind, by the letters of its outcomes. */
function quoteAll(views: readonly MarketView[], kind: EventFacts['outcomes'] = 'exhaustive', raw: unknown = {}) {
  const event = factsOf(kind, idsOf(views));
  const view = wholeOf(views, event);
  const said = eventMaker.create(paramsFor(eventMaker, raw), event).quote(view);
  expect(checkEventQuotes(said, view)).toBeNull();
  return said;
}

const three = (...changes: readonly Partial<MarketView>[]) =>
  [0.5, 0.3, 0.2].map((mid, index) => outcome('abc'.charAt(index), mid, changes[index]));

const order = (side: 'bid' | 'ask', at: number) => ownOrder({ intentId: `${side} ${at}`, side, priceMicros: m(at) });

describe('what outcomes say of each other', () => {
  it('is shared out by how little each book knows', () => {
    const read = (mid: number, variance: number) => ({ mid, variance: variance * 1e-4 });
    const together = addingUp([read(0.52, 1), read(0.31, 4), read(0.2, 4)]);
    expect(together.map(({ mid }) => mid)).toEqual(near([0.5166667, 0.2966667, 0.1866667], 7));
    expect(together.map(({ variance }) => variance * 1e4)).toEqual(near([0.8888889, 2.2222222, 2.2222222], 7));
  });

  it('adds up to one, and no book is less sure than before', () => {
    const reading = fc.record({
      mid: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
      variance: fc.double({ min: 1e-8, max: 0.1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 10 }), (readings) => {
        const together = addingUp(readings);
        expect(together.reduce((sum, { mid }) => sum + mid, 0)).toBeCloseTo(1, 9);
        for (const [index, { variance }] of together.entries()) {
          expect(variance).toBeLessThanOrEqual(readings[index]?.variance ?? 0);
          expect(variance).toBeGreaterThanOrEqual(-1e-12);
        }
      }),
    );
  });

  it('is less where the book is wide or old', () => {
    const at = { mid: 0.5, spread: 0.06 };
    expect(bookVariance(at, 0, 0)).toBeCloseTo(0.0003, 12);
    expect(bookVariance(at, 0.01, 10_000)).toBeCloseTo(0.0003 + 0.0000625, 12);
  });

  it('makes 100 shares of one outcome move the price of all', () => {
    const prices = eventReservationPrices([0.5, 0.3, 0.2], 0.002, [100, 0, 0]);
    expect(prices).toEqual(near([0.450166, 0.3299004, 0.2199336], 7));
  });
});

describe('nested thresholds', () => {
  const read = (mid: number, weight: number) => ({ mid, variance: 1 / weight });

  it.each([
    ['alike', [1, 1, 1], [0.61, 0.61, 0.4]],
    ['the first three times as much', [3, 1, 1], [0.605, 0.605, 0.4]],
  ])('are pooled where one lies above a wider one, books knowing %s (design 4.3)', (_name, weights, wanted) => {
    const together = falling([0.6, 0.62, 0.4].map((mid, index) => read(mid, weights[index] ?? 0)));
    expect(together.map(({ mid }) => mid)).toEqual(near(wanted, 12));
    // A pooled estimate has the precision of both books.
    expect(together[0]?.variance).toBeCloseTo(1 / ((weights[0] ?? 0) + (weights[1] ?? 0)), 12);
    expect(together[2]?.variance).toBeCloseTo(1, 12);
  });

  it('never rise, and are nearer to what the books say than any other prices that never rise', () => {
    const reading = fc.record({
      mid: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      weight: fc.double({ min: 0.1, max: 9, noNaN: true }),
    });
    const list = fc.array(reading, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        list,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
        (readings, other) => {
          const together = falling(readings.map(({ mid, weight }) => read(mid, weight)));
          for (const [index, { mid }] of together.entries())
            expect(mid).toBeLessThanOrEqual((together[index - 1]?.mid ?? 1) + 1e-12);
          const loss = (prices: readonly number[]) =>
            readings.reduce((sum, { mid, weight }, index) => sum + weight * (mid - (prices[index] ?? 0)) ** 2, 0);
          const rival = [...other].sort((a, b) => b - a);
          expect(loss(together.map(({ mid }) => mid))).toBeLessThanOrEqual(loss(rival) + 1e-9);
        },
      ),
    );
  });

  it('are as far out of order as one lies above the lowest before it', () => {
    expect(findRise([0.6, 0.4, 0.45, 0.5])).toBeCloseTo(0.1, 12);
    expect(findRise([0.6, 0.5, 0.5])).toBe(0);
  });

  it('are worth their prices to one who holds nothing, and less, with all narrower ones, to one who holds one', () => {
    const prices = [0.7, 0.5, 0.2];
    expect(nestedReservationPrices(prices, 0.002, [0, 0, 0])).toEqual(near(prices, 8));
    // Cases .3 .2 .3 .2 that pay 0, 0, 100, 100 to a holder of 100 of the second: by hand.
    const kept = Math.exp(-0.2);
    const total = 0.5 + 0.5 * kept;
    const wanted = [(0.2 + 0.5 * kept) / total, (0.5 * kept) / total, (0.2 * kept) / total];
    expect(nestedReservationPrices(prices, 0.002, [0, 100, 0])).toEqual(near(wanted, 8));
  });
});

const price = fc.option(
  fc.integer({ min: 1, max: 99 }).map((cents) => cents / 100),
  { nil: null },
);

describe('own prices', () => {
  const own = (resting: number | null, wanted: number | null) => ({ resting, wanted });
  const lists = fc.array(fc.record({ resting: price, wanted: price }), { minLength: 2, maxLength: 10 });
  const sumOf = (prices: readonly (number | null)[]) => prices.reduce<number>((sum, each) => sum + (each ?? 0), 0);

  it('of bids never add up to more than they may, wherever what rests is still to go; none is raised', () => {
    fc.assert(
      fc.property(lists, (prices) => {
        const held = holdSum(prices, 0.99);
        const there = sumOf(prices.map(({ resting }) => resting));
        const together = sumOf(held.map((each, index) => Math.max(each ?? 0, prices[index]?.resting ?? 0)));
        expect(together).toBeLessThanOrEqual(Math.max(0.99, there) + 1e-9);
        for (const [index, each] of held.entries())
          expect(each ?? 0).toBeLessThanOrEqual((prices[index]?.wanted ?? 0) + 1e-12);
      }),
    );
    expect(holdSum([own(null, 0.5), own(null, 0.3)], 0.99)).toEqual([0.5, 0.3]);
    expect(holdSum([own(0.5, 0.4), own(0.4, 0.5)], 0.99)[1]).toBeCloseTo(0.49, 12);
  });

  it('of asks never add up to less', () => {
    const asks = [own(0.6, 0.55), own(0.5, 0.3)];
    const together = holdAskSum(asks, 1.01).map((each, index) => Math.min(each ?? 1, asks[index]?.resting ?? 1));
    expect(sumOf(together)).toBeCloseTo(1.01, 12);
    expect(holdAskSum([own(null, 0.6), own(null, null)], 1.01)).toEqual([0.6, null]);
  });

  it('of nested thresholds never let anybody buy a wide one for less than a narrow one pays him', () =>
    fc.assert(
      fc.property(lists, lists, (bids, asks) => {
        const held = holdNested({ bids, asks }, 0.01);
        for (let wide = 0; wide < asks.length; wide++) {
          for (let narrow = wide + 1; narrow < bids.length; narrow++) {
            const [bid, ask] = [held.bids[narrow] ?? null, held.asks[wide] ?? null];
            const [bidThere, askThere] = [bids[narrow]?.resting ?? null, asks[wide]?.resting ?? null];
            if (bid !== null && ask !== null) expect(bid).toBeLessThanOrEqual(ask - 0.01 + 1e-9);
            if (bid !== null && askThere !== null) expect(bid).toBeLessThanOrEqual(askThere - 0.01 + 1e-9);
            if (ask !== null && bidThere !== null) expect(ask).toBeGreaterThanOrEqual(bidThere + 0.01 - 1e-9);
          }
        }
      }),
    ));
});

describe('event-maker', () => {
  it('corrects each book by the others', () => {
    // 0.50, 0.30 and 0.24 are four cents too many; three equal books share them.
    const alike = quoteAll([outcome('a', 0.5), outcome('b', 0.3), outcome('c', 0.24)]);
    const variances = [0.5, 0.3, 0.24].map((mid) => 0.06 ** 2 / 12 + (0.001 * mid * (1 - mid)) ** 2 * 0.2);
    const part = (variances[0] ?? 0) / variances.reduce((sum, each) => sum + each, 0);
    expect((alike['a']?.fairMicros ?? 0) / 1e6).toBeCloseTo(0.5 - 0.04 * part, 5);
    const sum = ['a', 'b', 'c'].reduce((all, id) => all + (alike[id]?.fairMicros ?? 0), 0);
    expect(sum / 1e6).toBeCloseTo(1, 5);
    // The longest unseen one takes the whole error.
    const estimates = { ...outcome('c', 0.24).estimates, sigmaLogOddsPerSqrtS: 0.05 };
    const old = inHealth(outcome('c', 0.24, { estimates }), { bookAgeMs: 100_000 });
    const said = quoteAll([outcome('a', 0.5), outcome('b', 0.3), old]);
    expect((said['a']?.fairMicros ?? 0) / 1e6).toBeGreaterThan(0.498);
    expect(said['c']?.note).toMatch(/book/);
  });

  it('leans on what is held in every outcome, and near 0 and 1 only reduces it', () => {
    const flat = quoteAll(three());
    const [a = outcome('a', 0.5), ...rest] = three();
    const held = Object.values(quoteAll([holding(a, 100), ...rest]));
    expect(held.map(({ factors }) => factors['reservation_price'])).toEqual(near([0.450166, 0.3299004, 0.2199336], 6));
    expect(flat['a']?.factors['reservation_price']).toBeCloseTo(0.5, 6);
    const low = quoteAll([holding(outcome('a', 0.48), 3), ...rest], 'exhaustive', { min_fair_price: 0.5 });
    expect(low['a']).toMatchObject({ bids: [], asks: [{ amountMicros: m(3) }] });
  });

  it('is silent in the whole event where nothing is declared, too little is known, one closes, and where the sum is off', () => {
    const notes = (said: ReturnType<typeof quoteAll>) => [...new Set(Object.values(said).map(({ note }) => note))];
    expect(notes(quoteAll(three(), null))).toEqual([expect.stringMatching(/declare them under `events`/)]);
    const [a = outcome('a', 0.5), b = outcome('b', 0.3), c = outcome('c', 0.2)] = three();
    const stuck = (view: MarketView) => inHealth(view, { frozen: true });
    expect(notes(quoteAll([stuck(a), b, c]))).toEqual([
      'outcomes with a usable book have a total probability of 0.5000, 0.8 is needed',
    ]);
    // The frozen outcome is only a fifth: the other two continue, as outcomes of which none may come true.
    const known = quoteAll([a, b, stuck(c)]);
    expect([known['a']?.bids.length, known['c']?.bids.length, known['a']?.factors['known_part']]).toEqual([1, 0, 0.8]);
    const ended = { ...c, market: { ...c.market, phase: 'resolved' as const } };
    expect(notes(quoteAll([a, b, ended]))).toEqual(['outcome c is resolved']);
    expect(notes(quoteAll([a, b, outcome('c', 0.3)]))).toEqual([expect.stringMatching(/add up to 1.1000/)]);
    expect(quoteAll([a, b, outcome('c', 0.3)], 'exhaustive', { max_sum_error: 0.1 })['a']?.note).not.toMatch(/add up/);
    expect(notes(quoteAll([a, outcome('b', 0.6)], 'nested'))).toEqual([
      expect.stringMatching(/wider threshold by 0.1000/),
    ]);
    const event = factsOf('exhaustive', ['a', 'b', 'c', 'd']);
    const unknown = eventMaker.create(paramsFor(eventMaker), event).quote(wholeOf([b, c], event));
    expect(unknown['b']?.note).toMatch(/have a total probability of 0.5000/);
    const odd = factsOf('exhaustive', ['a', 'b']);
    expect(eventMaker.create(paramsFor(eventMaker), odd).quote(wholeOf(three(), odd))['a']?.note).toMatch(
      /^c is not one of the markets/,
    );
  });

  it('leaves a sum below one alone where none may come true', () => {
    expect(quoteAll([outcome('a', 0.5), outcome('b', 0.2)], 'exclusive')['a']?.fairMicros).toBe(m(0.5));
    const many = quoteAll([outcome('a', 0.5), outcome('b', 0.34), outcome('c', 0.2)], 'exclusive');
    expect(Object.values(many).reduce((all, { fairMicros }) => all + (fairMicros ?? 0), 0) / 1e6).toBeCloseTo(1, 5);
  });

  it('brings nested thresholds into their order', () => {
    const said = quoteAll([outcome('a', 0.6), outcome('b', 0.62), outcome('c', 0.4)], 'nested');
    expect((said['a']?.fairMicros ?? 0) / 1e6).toBeCloseTo(0.61, 3);
    expect(said['a']?.fairMicros).toBe(said['b']?.fairMicros);
    expect(said['c']?.fairMicros).toBe(m(0.4));
  });

  it('is wider for the set time after another outcome has jumped', () => {
    const half = (sinceJumpMs: number | null, jumpWidenS = 10) => {
      const [a = outcome('a', 0.5), b = outcome('b', 0.3), ...rest] = three();
      const said = quoteAll([a, inHealth(b, { sinceJumpMs }), ...rest], 'exhaustive', { jump_widen_s: jumpWidenS });
      return said['a']?.factors['half_spread_price'] ?? 0;
    };
    expect(half(9000)).toBeCloseTo(2 * half(null), 9);
    expect(half(11_000)).toBe(half(null));
    expect(half(0, 0)).toBe(half(null));
  });

  it('is wider in all outcomes for the set time after a fill in one, also after a restart', () => {
    const views = three();
    const event = factsOf('exhaustive', idsOf(views));
    const halves = (fillWidenS: number, agoMs: number): readonly number[] => {
      const params = paramsFor(eventMaker, { fill_widen_s: fillWidenS });
      const filled = eventMaker.create(params, event);
      const fill = { kind: 'fill', nowMs: 1_000_000 - agoMs, side: 'bid', isMaker: true } as const;
      filled.observe?.({ ...fill, priceMicros: m(0.4), amountMicros: m(5) }, 'a');
      const anew = eventMaker.create(params, event, JSON.parse(JSON.stringify(filled.save?.())));
      expect(anew.quote(wholeOf(views, event))).toEqual(filled.quote(wholeOf(views, event)));
      return Object.values(anew.quote(wholeOf(views, event))).map(({ factors }) => factors['half_spread_price'] ?? 0);
    };
    const usual = halves(0, 1000);
    expect([halves(10, 9999), halves(10, 10_000)]).toEqual([usual.map((half) => expect.closeTo(2 * half, 9)), usual]);
    // Our clock was set back meanwhile.
    expect(halves(10, -1)).toEqual(usual);
  });

  it('never lets anybody sell it all outcomes for more than one pays, or buy them for less', () => {
    const own = fc.record({ bid: price, ask: price });
    fc.assert(
      fc.property(fc.tuple(own, own, own), fc.integer({ min: 0, max: 5 }), (rests, improve) => {
        const orders = rests.map(({ bid, ask }) => [
          ...(bid === null ? [] : [order('bid', bid)]),
          ...(ask === null ? [] : [order('ask', ask)]),
        ]);
        const said = quoteAll(three(...orders.map((each) => ({ orders: each }))), 'exhaustive', {
          improve_ticks: improve,
        });
        const all = ['a', 'b', 'c'].map((id) => said[id]);
        const bids = all.map((quotes, index) => Math.max(quotes?.bids[0]?.priceMicros ?? 0, m(rests[index]?.bid ?? 0)));
        const asks = all.map((quotes, index) =>
          Math.min(quotes?.asks[0]?.priceMicros ?? 1e6, m(rests[index]?.ask ?? 1)),
        );
        const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
        // Earlier resting orders may already be too large: then nothing is added to them.
        expect(sum(bids)).toBeLessThanOrEqual(Math.max(990_000, sum(rests.map(({ bid }) => m(bid ?? 0)))));
        expect(sum(asks)).toBeGreaterThanOrEqual(Math.min(1_010_000, sum(rests.map(({ ask }) => m(ask ?? 1)))));
      }),
    );
  });
});
