import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventView, MarketView, SiblingView } from '../../src/trader/market/view.js';
import { eventReservationPrices } from '../../src/trader/strategy/maths/settlement.js';
import { addingUp, bookVariance } from '../../strategies/event/outcomes.js';
import eventMaker from '../../strategies/event-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { holding, paramsFor, viewOf } from '../trader/strategy/fixtures.js';

const sibling = (mid: number, more: Partial<SiblingView> = {}): SiblingView => ({
  conditionId: `at ${mid}`,
  mid,
  bid: mid - 0.03,
  ask: mid + 0.03,
  bookAgeMs: 200,
  sigmaLogOddsPerSqrtS: 0.001,
  sinceJumpMs: null,
  isSound: true,
  netMicros: m(0),
  ownBidMicros: null,
  ownAskMicros: null,
  ...more,
});

const eventWith = (siblings: readonly SiblingView[], more: Partial<EventView> = {}): EventView => ({
  eventConditionId: 'E',
  outcomes: 'exhaustive',
  markets: siblings.length + 1,
  siblings,
  ...more,
});

const within = (event: EventView | null, mid = 0.5): MarketView =>
  viewOf(book([[mid - 0.03, 100]], [[mid + 0.03, 100]]), { event });

const quote = (view: MarketView, raw: unknown = {}) =>
  eventMaker.create(paramsFor(eventMaker, raw), view.market).quote(view);

describe('what outcomes say of each other', () => {
  it('is shared out by how little each book knows', () => {
    const read = (mid: number, variance: number) => ({ mid, variance: variance * 1e-4 });
    const together = addingUp([read(0.52, 1), read(0.31, 4), read(0.2, 4)]);
    const wanted = [0.5166667, 0.2966667, 0.1866667];
    for (const [index, { mid }] of together.entries()) expect(mid).toBeCloseTo(wanted[index] ?? 0, 7);
    const variances = [0.8888889, 2.2222222, 2.2222222];
    for (const [index, { variance }] of together.entries())
      expect(variance * 1e4).toBeCloseTo(variances[index] ?? 0, 7);
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

  it('is nearer to the truth than the book that is five times staler than the others', () => {
    let seed = 11;
    const uniform = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const sds = [0.01, 0.01, 0.01 * Math.sqrt(5)];
    let [alone, together] = [0, 0];
    for (let draw = 0; draw < 2000; draw++) {
      const truths = [0.5, 0.3, 0.2];
      const readings = sds.map((sd, index) => ({ mid: (truths[index] ?? 0) + sd * normal(), variance: sd ** 2 }));
      alone += ((readings[2]?.mid ?? 0) - 0.2) ** 2;
      together += ((addingUp(readings)[2]?.mid ?? 0) - 0.2) ** 2;
    }
    expect(Math.sqrt(together / alone)).toBeLessThan(0.8);
  });

  it('is less where the book is wide or old', () => {
    const at = { mid: 0.5, spread: 0.06 };
    expect(bookVariance(at, 0, 0)).toBeCloseTo(0.0003, 12);
    expect(bookVariance(at, 0.01, 10_000)).toBeCloseTo(0.0003 + 0.0000625, 12);
  });

  it('makes 100 shares of one outcome move the price of all', () => {
    const prices = eventReservationPrices([0.5, 0.3, 0.2], 0.002, [100, 0, 0]);
    const wanted = [0.450166, 0.3299004, 0.2199336];
    for (const [index, price] of prices.entries()) expect(price).toBeCloseTo(wanted[index] ?? 0, 7);
  });
});

describe('event-maker', () => {
  it('corrects its own book by the others', () => {
    // They leave 0.46 where its own middle is 0.50; three books alike share the four cents.
    const { fairMicros } = quote(within(eventWith([sibling(0.3), sibling(0.24)])));
    expect((fairMicros ?? 0) / 1e6).toBeCloseTo(0.5 - 0.04 / 3, 5);
    const old = sibling(0.24, { bookAgeMs: 100_000, sigmaLogOddsPerSqrtS: 0.05 });
    // The one that was not looked at for long takes the blame.
    expect((quote(within(eventWith([sibling(0.3), old]))).fairMicros ?? 0) / 1e6).toBeGreaterThan(0.498);
  });

  it('leans on what is held in another outcome', () => {
    const flat = quote(within(eventWith([sibling(0.3), sibling(0.2)]))).factors['reservation_price'] ?? 0;
    const held = eventWith([sibling(0.3, { netMicros: m(100) }), sibling(0.2)]);
    expect(quote(within(held)).factors['reservation_price']).toBeGreaterThan(flat);
    expect(
      quote(holding(within(eventWith([sibling(0.3), sibling(0.2)])), 100)).factors['reservation_price'],
    ).toBeCloseTo(0.450166, 6);
  });

  it('is silent where nothing is declared, an outcome is missing or has no sound book, and where the sum is off', () => {
    const two = [sibling(0.3), sibling(0.2)];
    expect(quote(within(null)).note).toBe('the market belongs to no event');
    expect(quote(within(eventWith(two, { outcomes: null }))).note).toMatch(/declare it under `events`/);
    expect(quote(within(eventWith(two, { markets: 4 }))).note).toMatch(/3 of the event's 4 markets/);
    expect(quote(within(eventWith([sibling(0.3), sibling(0.2, { isSound: false })]))).note).toMatch(/no book to go by/);
    expect(quote(within(eventWith([sibling(0.3), sibling(0.2, { bookAgeMs: 120_001 })]))).note).toMatch(/no book/);
    expect(quote(within(eventWith([sibling(0.3), sibling(0.3)]))).note).toMatch(/add up to 1.1000/);
  });

  it('leaves a sum below one alone where none may come true', () => {
    const some = eventWith([sibling(0.2)], { outcomes: 'exclusive', markets: null });
    expect(quote(within(some)).fairMicros).toBe(m(0.5));
    const many = eventWith([sibling(0.34), sibling(0.2)], { outcomes: 'exclusive', markets: null });
    expect((quote(within(many)).fairMicros ?? 0) / 1e6).toBeCloseTo(0.5 - 0.04 / 3, 5);
  });

  it('is wider while another outcome has just jumped', () => {
    const two = (more: Partial<SiblingView>) => within(eventWith([sibling(0.3, more), sibling(0.2)]));
    const half = (view: MarketView) => quote(view).factors['half_spread_price'] ?? 0;
    expect(half(two({ sinceJumpMs: 9000 }))).toBeCloseTo(2 * half(two({})), 9);
    expect(half(two({ sinceJumpMs: 11_000 }))).toBe(half(two({})));
  });

  it('never lets anybody sell it all outcomes for more than one pays, or buy them for less', () => {
    const price = fc.integer({ min: 1, max: 99 }).map((cents) => m(cents / 100));
    const one = fc.record({ bid: fc.option(price), ask: fc.option(price) });
    fc.assert(
      fc.property(one, one, fc.integer({ min: 0, max: 5 }), (a, b, improve) => {
        const siblings = [a, b].map(({ bid, ask }, index) =>
          sibling(index === 0 ? 0.3 : 0.2, { ownBidMicros: bid, ownAskMicros: ask }),
        );
        const { bids, asks } = quote(within(eventWith(siblings)), { improve_ticks: improve });
        const [bid, ask] = [bids[0]?.priceMicros, asks[0]?.priceMicros];
        if (bid !== undefined) expect(bid + (a.bid ?? 0) + (b.bid ?? 0)).toBeLessThanOrEqual(990_000);
        if (ask !== undefined && a.ask !== null && b.ask !== null)
          expect(ask + a.ask + b.ask).toBeGreaterThanOrEqual(1_010_000);
      }),
    );
  });
});
