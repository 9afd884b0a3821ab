/** Real orders in a recorded book: a recorded amount at the price of a resting order trades with it, or only posts. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID, type MatchingSide, type ObservedFill } from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { publicTradePage } from '../../../src/exchange/core/records/market-rows.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { times } from '../../support/effort.js';
import { expectSame } from '../../support/expect-same.js';
import { PlainBook, type PlainFill, TICKS } from './plain-book.js';
import { accepted, Desk, levelAmount, m, settings, Venue } from './venue.js';

/** A market with a trader whose fills are reported, and a recording. */
function market() {
  const told: ObservedFill[] = [];
  const observer = { onFill: (fill: ObservedFill) => void told.push(fill) };
  const fine = { min_amount: m('0.01'), taker_fee_rate: m(0) };
  const venue = new Venue(fine, {}, { ...settings, fillModel: 'risk-averse', observer });
  const account = venue.account(1);
  return {
    venue,
    account,
    told,
    level: (side: MatchingSide, price: string, total: number) => venue.now.feed.level(0, side, m(price), m(total)),
    trade: (taker: MatchingSide, price: string, amount: number) => venue.now.feed.trade(0, taker, m(price), m(amount)),
    bid: (price: string, amount: string) => venue.place(account, [true, 'buy', price, amount]),
    filled: (pubkey: string) => Number(venue.order(account, pubkey).filled_amount),
    prints: () =>
      publicTradePage(venue.first, { limit: 100 }).rows.map(
        (row) => `${row.is_yes ? 'YES' : 'NO'} ${row.amount}@${row.price}`,
      ),
  };
}

describe('a recorded amount that comes to the price of real orders', () => {
  it('meets them before it rests, the best price first, then the oldest, each at its own price', () => {
    const { venue, level, bid, filled, prints } = market();
    const [low, high, later] = [bid('0.43', '5'), bid('0.45', '5'), bid('0.45', '5')];
    level(ASK, '0.43', 12);
    expect([filled(low), filled(high), filled(later)]).toEqual([2, 5, 5]);
    // The recorded seller is the taker, printed as a buyer of NO.
    expect(prints()).toEqual(['NO 2@0.57', 'NO 5@0.55', 'NO 5@0.55']);
    expect(venue.book()).toEqual({ bid: ['0.43:3'], ask: [] });
  });

  it('makes the resting order the maker, with its fee, and says that it was a crossing', () => {
    const { level, trade, bid, told } = market();
    bid('0.45', '10');
    level(ASK, '0.44', 4);
    trade(ASK, '0.44', 3);
    expect(told.map(({ isMaker, atCrossing, amountMicros }) => [isMaker, atCrossing, amountMicros / 1e6])).toEqual([
      [true, true, 4],
      [true, false, 3],
    ]);
    expect(told.every(({ priceMicros }) => priceMicros === 450_000)).toBe(true);
  });

  it('was eaten once, whatever gaps and restarts of the exchange lie between', () => {
    const { venue, level, bid, filled } = market();
    const order = bid('0.45', '10');
    level(ASK, '0.44', 4);
    for (let gap = 0; gap < 3; gap++) {
      venue.now.feed.clear(0);
      venue.core = new ExchangeCore(settings, JSON.parse(JSON.stringify(venue.core.snapshot())));
      venue.now.feed.clear(0);
      venue.nowMs += 1000;
      level(ASK, '0.5', 7);
      level(ASK, '0.44', 4);
      expect(filled(order)).toBe(4);
    }
  });

  it('waits while the market is paused, and meets the orders when it goes on', () => {
    const { venue, level, bid, filled } = market();
    const order = bid('0.45', '5');
    venue.now.markets.setPaused(venue.id, true);
    level(ASK, '0.43', 2);
    level(ASK, '0.44', 9);
    expect([filled(order), venue.book()]).toEqual([0, { bid: ['0.45:5'], ask: ['0.43:2', '0.44:9'] }]);
    venue.now.markets.setPaused(venue.id, false);
    expect([filled(order), venue.book()]).toEqual([5, { bid: [], ask: ['0.44:6'] }]);
  });
});

describe('an aggressive real order', () => {
  it('stops at its own account behind the recorded amount', () => {
    const { venue, account, level } = market();
    level(BID, '0.4', 10);
    venue.place(account, [true, 'buy', '0.4', '5']);
    const pubkey = venue.place(account, [false, 'buy', '0.6', '20']);
    expect(venue.order(account, pubkey)).toMatchObject({ status: 'partially_filled_canceled', filled_amount: '10' });
  });

  it('pays from its funds alone when it is a market buy', () => {
    const { venue, account, level } = market();
    level(ASK, '0.5', 100);
    const request = { market_condition_id: venue.id, is_yes: true, side: 'buy', order_type: 'market' } as const;
    const pubkey = venue.place(account, { ...request, funds: m('3') });
    expect(venue.order(account, pubkey)).toMatchObject({ status: 'filled', filled_funds: '3' });
    expect(venue.book().ask).toEqual(['0.5:94']);
  });
});

it('recorded input is refused off the grid and ignored while the market does not trade', () => {
  const { venue, account, level, trade, filled } = market();
  const off = [level(BID, '0.405', 1), level(BID, '0', 1), level(ASK, '1', 1), level(BID, '0.4', -1)];
  expect([...off, trade(BID, '0.405', 1), trade(BID, '0.4', 0)]).toEqual(Array.from({ length: 6 }, () => false));
  const pubkey = venue.place(account, [true, 'buy', '0.4', '5']);
  venue.now.markets.setPaused(venue.id, true);
  expect(trade(ASK, '0.4', 10)).toBe(false);
  expect(filled(pubkey)).toBe(0);
});

const side = fc.constantFrom(BID, ASK);
/** Mostly one of two ticks, so that one queue gets many events. */
const tick = fc.oneof(fc.integer({ min: 1, max: TICKS }), { weight: 2, arbitrary: fc.constantFrom(3, 4) });
const amount = fc.integer({ min: 1, max: 40 });
const stepsOf = {
  join: fc.record({ do: fc.constant('join' as const), side, tick, amount }),
  cancel: fc.record({ do: fc.constant('cancel' as const), order: fc.nat({ max: 15 }) }),
  level: fc.record({ do: fc.constant('level' as const), side, tick, total: fc.integer({ min: 0, max: 60 }) }),
  /** A paired trade is followed by its decrease, as in recordings. */
  trade: fc.record({ do: fc.constant('trade' as const), taker: side, tick, amount, paired: fc.boolean() }),
  clear: fc.record({ do: fc.constant('clear' as const) }),
  wait: fc.record({ do: fc.constant('wait' as const) }),
};
type Step = (typeof stepsOf)[keyof typeof stepsOf] extends fc.Arbitrary<infer S> ? S : never;
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: stepsOf.level },
  { weight: 4, arbitrary: stepsOf.trade },
  { weight: 5, arbitrary: stepsOf.join },
  { weight: 2, arbitrary: stepsOf.cancel },
  { weight: 2, arbitrary: stepsOf.clear },
  { weight: 3, arbitrary: stepsOf.wait },
);

const priceOf = (at: number): Micros => m((40 + at) / 100);

/** The exchange with both sides recorded, a trader who only bids and one who only asks; shares are whole. */
class TwoSides extends Desk {
  readonly #traders: readonly [number, number];
  readonly handles: number[] = [];
  #printed = 0;

  constructor(model: string) {
    super({ ...settings, fillModel: model });
    const config = { kind: 'orderbook', amount_precision: 0, taker_fee_rate: m(0) } as const;
    accepted(this.now.markets.create({ config }));
    const open = (name: string) => this.now.identity.openInternal(name, { unlimited: true });
    this.#traders = [open('bidder'), open('asker')];
  }

  play(step: Step): number {
    switch (step.do) {
      case 'join': {
        const price = priceOf(step.tick);
        const account = this.#traders[step.side];
        this.handles.push(this.now.internal.place(account, 0, step.side, price, m(step.amount), false));
        return this.core.internal.lastFilled / 1e6;
      }
      case 'cancel':
        this.now.internal.cancel(this.handles[step.order] ?? 0);
        return 0;
      case 'level':
        this.now.feed.level(0, step.side, priceOf(step.tick), m(step.total));
        return 0;
      case 'trade':
        this.now.feed.trade(0, step.taker, priceOf(step.tick), m(step.amount));
        return 0;
      case 'clear':
        this.now.feed.clear(0);
        return 0;
      case 'wait':
        this.nowMs += 1;
        return 0;
    }
  }

  left(order: number): number {
    return this.core.internal.remaining(this.handles[order] ?? 0) / 1e6;
  }

  displayed(of: MatchingSide, at: number): number {
    return levelAmount(this.core.catalog.market(0), of, priceOf(at)) / 1e6;
  }

  /** Public trades since the last call, oldest first: tick and amount. */
  newPrints(): readonly (readonly [tick: number, amount: number])[] {
    const { rows } = publicTradePage(this.core.catalog.market(0), { limit: 20_000 });
    const fresh = rows.slice(0, rows.length - this.#printed).reverse();
    this.#printed = rows.length;
    return fresh.map((row) => {
      const yes = row.is_yes ? Number(row.price) : 1 - Number(row.price);
      return [Math.round(yes * 100) - 40, Number(row.amount)];
    });
  }
}

/** The steps, with the matching decrease after each paired trade. */
function* withDecreases(steps: readonly Step[], plain: PlainBook): Generator<Step> {
  for (const step of steps) {
    yield step;
    if (step.do !== 'trade' || !step.paired) continue;
    const side = step.taker === BID ? ASK : BID;
    yield { do: 'level', side, tick: step.tick, total: Math.max(0, plain.recorded(side, step.tick) - step.amount) };
  }
}

/** Applies a step to the plain book; for a level, returns the fills. */
function playPlain(plain: PlainBook, step: Step): { readonly taken: number; readonly fills: readonly PlainFill[] } {
  const none = { taken: 0, fills: [] };
  switch (step.do) {
    case 'join':
      return { taken: plain.join(step.side, step.tick, step.amount), fills: [] };
    case 'cancel':
      plain.cancel(step.order);
      return none;
    case 'level':
      return { taken: 0, fills: plain.level(step.side, step.tick, step.total) };
    case 'trade':
      plain.trade(step.taker, step.tick, step.amount);
      return none;
    case 'clear':
      plain.clear();
      return none;
    case 'wait':
      plain.wait();
      return none;
  }
}

/** Consecutive shares of one order are one print. */
function printsOf(fills: readonly PlainFill[]): readonly (readonly [tick: number, amount: number])[] {
  const runs: { order: number; tick: number; amount: number }[] = [];
  for (const fill of fills) {
    const last = runs.at(-1);
    if (last?.order === fill.order) last.amount += 1;
    else runs.push({ ...fill, amount: 1 });
  }
  return runs.map((run) => [run.tick, run.amount]);
}

const MODELS = [
  ...['trade-through', 'risk-averse', 'power:0.5', 'power:1', 'power:3', 'power2:2', 'power3:2', 'power3:3'],
  ...['log', 'log2', 'optimistic', 'posts-only'],
];
const ALL_TICKS = Array.from({ length: TICKS }, (_, at) => at + 1);

it.each([...MODELS, 'posts-only:power:2'])('under any events a book is the plain book, fill by fill: %s', (model) => {
  let crossings = 0;
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 60, size: 'max' }), (steps) => {
      const [exchange, plain] = [new TwoSides(model), new PlainBook(model)];
      for (const step of withDecreases(steps, plain)) {
        const { taken, fills } = playPlain(plain, step);
        expectSame(exchange.play(step), taken);
        const prints = exchange.newPrints();
        const printed = prints.reduce((sum, [, shares]) => sum + shares, 0);
        if (step.do === 'level') expectSame(prints, printsOf(fills));
        else expectSame(printed, step.do === 'trade' ? step.amount : taken);
        crossings += fills.length;
        expectSame(
          plain.orders.map((_, at) => exchange.left(at)),
          plain.orders.map(({ left }) => left),
        );
        for (const of of [BID, ASK] as const) {
          expectSame(
            ALL_TICKS.map((t) => exchange.displayed(of, t)),
            ALL_TICKS.map((t) => plain.displayed(of, t)),
          );
        }
      }
    }),
    { numRuns: times(75, 150) },
  );
  expect(crossings > 0).toBe(!model.startsWith('posts-only'));
});

describe('between the fill models', () => {
  const MIDDLE = ['power:0.5', 'power:3', 'power2:2', 'power3:3', 'log', 'log2'];
  const market = (joins: number) =>
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: stepsOf.level },
        { weight: 4, arbitrary: stepsOf.trade },
        { weight: joins, arbitrary: stepsOf.join },
        { weight: joins > 0 ? 1 : 0, arbitrary: stepsOf.cancel },
        { weight: 1, arbitrary: stepsOf.clear },
        { weight: 1, arbitrary: stepsOf.wait },
      ),
      { maxLength: 60 },
    );

  type Played = [before: readonly Step[], order: Step & { do: 'join' }, after: readonly Step[]];

  /** Filled shares of one order after each step, alone in a market. */
  function filledOf(model: string, ...[before, order, after]: Played) {
    const exchange = new TwoSides(model);
    for (const step of before) exchange.play(step);
    exchange.play(order);
    return after.map((step) => {
      exchange.play(step);
      return order.amount - exchange.left(0);
    });
  }

  /** After each step, no model has filled more of the order than the model behind it. */
  function expectLadder(models: readonly string[], ...[before, order, after]: Played): void {
    const columns = models.map((model) => filledOf(model, before, order, after));
    for (const at of after.keys()) {
      const rung = columns.map((column) => column[at] ?? 0);
      const sorted = [...rung].sort((a, b) => a - b);
      expectSame(rung, sorted);
    }
  }

  it('one order is never filled later: trade-through, risk-averse, any queue curve, optimistic', () =>
    fc.assert(
      fc.property(market(0), stepsOf.join, market(0), fc.constantFrom(...MIDDLE), (before, order, after, middle) => {
        expectLadder(['trade-through', 'risk-averse', middle, 'optimistic'], before, order, after);
      }),
      { numRuns: times(150, 300) },
    ));

  it('and never later with makers who trade than with makers who post only', () =>
    fc.assert(
      fc.property(market(0), stepsOf.join, market(0), fc.constantFrom(...MODELS), (before, order, after, model) => {
        if (model.startsWith('posts-only')) return;
        expectLadder([`posts-only:${model}`, model], before, order, after);
      }),
      { numRuns: times(150, 300) },
    ));
});
