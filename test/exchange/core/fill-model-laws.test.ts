/** Every fill model against the plain queue, and what is true between the models. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID, type BookSide } from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { times } from '../../support/effort.js';
import { type PlainOrder, PlainQueue } from './plain-queue.js';
import { accepted, m, settings } from './venue.js';

const MODELS = [
  'trade-through',
  'risk-averse',
  'power:0.5',
  'power:1',
  'power:3',
  'power2:2',
  'power3:3',
  'log',
  'log2',
  'optimistic',
];
const RANKS = 4;
const NOW_MS = 1_700_000_000_000;

type Step =
  | { readonly do: 'join'; readonly rank: number; readonly amount: number }
  | { readonly do: 'cancel'; readonly order: number }
  | { readonly do: 'level'; readonly rank: number; readonly total: number }
  | { readonly do: 'trade'; readonly rank: number; readonly amount: number; readonly paired: boolean }
  | { readonly do: 'take'; readonly rank: number; readonly amount: number }
  | { readonly do: 'clear' };

const rank = fc.integer({ min: 0, max: RANKS - 1 });
const amount = fc.integer({ min: 1, max: 40 });
const stepsOf = {
  join: fc.record({ do: fc.constant('join' as const), rank, amount }),
  cancel: fc.record({ do: fc.constant('cancel' as const), order: fc.nat({ max: 20 }) }),
  level: fc.record({ do: fc.constant('level' as const), rank, total: fc.integer({ min: 0, max: 80 }) }),
  trade: fc.record({ do: fc.constant('trade' as const), rank, amount, paired: fc.boolean() }),
  take: fc.record({ do: fc.constant('take' as const), rank, amount }),
  clear: fc.record({ do: fc.constant('clear' as const) }),
};
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: stepsOf.level },
  { weight: 5, arbitrary: stepsOf.trade },
  { weight: 4, arbitrary: stepsOf.join },
  { weight: 2, arbitrary: stepsOf.cancel },
  { weight: 2, arbitrary: stepsOf.take },
  { weight: 1, arbitrary: stepsOf.clear },
);

/** The exchange with one side recorded and worked; shares are whole. */
class Side {
  readonly core: ExchangeCore;
  readonly #side: BookSide;
  readonly #trader: number;
  readonly #others: number;
  readonly handles: number[] = [];

  constructor(model: string, side: BookSide) {
    this.#side = side;
    this.core = new ExchangeCore({ ...settings, fillModel: model });
    const config = { kind: 'orderbook', amount_precision: 0, taker_fee_rate: m(0) } as const;
    accepted(this.core.createMarket(NOW_MS, { config }));
    this.#trader = this.core.openInternalAccount(NOW_MS, 'trader', { unlimited: true });
    this.#others = this.core.openInternalAccount(NOW_MS, 'others', { unlimited: true });
  }

  #price(rank: number): Micros {
    return m(this.#side === BID ? 0.4 - rank / 100 : 0.6 + rank / 100);
  }

  get #other(): BookSide {
    return this.#side === BID ? ASK : BID;
  }

  /** What it has left afterwards is nothing until it is filled: a trader alone on his side never meets himself. */
  join(rank: number, shares: number): void {
    const price = this.#price(rank);
    this.handles.push(this.core.placeInternal(NOW_MS, this.#trader, 0, this.#side, price, m(shares), false));
  }

  cancel(order: number): void {
    this.core.cancelInternal(NOW_MS, this.handles[order] ?? 0);
  }

  level(rank: number, total: number): void {
    this.core.recordedLevel(NOW_MS, 0, this.#side, this.#price(rank), m(total));
  }

  trade(rank: number, shares: number): void {
    this.core.recordedTrade(NOW_MS, 0, this.#other, this.#price(rank), m(shares));
  }

  take(rank: number, shares: number): number {
    this.core.placeInternal(NOW_MS, this.#others, 0, this.#other, this.#price(rank), m(shares), true);
    return this.core.lastInternalFilled / 1e6;
  }

  clear(): void {
    this.core.recordedClear(NOW_MS, 0);
  }

  left(order: number): number {
    return this.core.internalRemaining(this.handles[order] ?? 0) / 1e6;
  }

  displayed(rank: number): number {
    return this.core.levelAmount(0, this.#side, this.#price(rank)) / 1e6;
  }

  printed(): number {
    return this.core.publicTrades(0, { limit: 20_000 }).rows.reduce((sum, row) => sum + Number(row.amount), 0);
  }
}

/** Both do the step; a paired trade is followed by its decrease, as recordings have it. */
function play(side: Side, plain: PlainQueue, step: Step): void {
  switch (step.do) {
    case 'join':
      side.join(step.rank, step.amount);
      plain.join(step.rank, step.amount);
      return;
    case 'cancel': {
      const order: PlainOrder | undefined = plain.orders[step.order];
      side.cancel(step.order);
      if (order !== undefined) plain.cancel(order);
      return;
    }
    case 'level':
      side.level(step.rank, step.total);
      plain.change(step.rank, step.total);
      return;
    case 'trade': {
      side.trade(step.rank, step.amount);
      plain.trade(step.rank, step.amount);
      if (!step.paired) return;
      const total = Math.max(0, plain.level(step.rank).total - step.amount);
      side.level(step.rank, total);
      plain.change(step.rank, total);
      return;
    }
    case 'take':
      expect(side.take(step.rank, step.amount)).toBe(plain.take(step.rank, step.amount));
      return;
    case 'clear':
      side.clear();
      plain.clear();
  }
}

describe('a recorded queue under any events', () => {
  const sides = [
    ['bids', BID],
    ['asks', ASK],
  ] as const;
  const cases = MODELS.flatMap((model) => sides.map(([name, side]) => [model, name, side] as const));

  it.each(cases)('is the plain queue, share by share: %s, %s', (model, _, book) => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const side = new Side(model, book);
        const plain = new PlainQueue(model);
        for (const step of steps) {
          play(side, plain, step);
          const ranks = Array.from({ length: RANKS }, (_, at) => at);
          expect(ranks.map((at) => side.displayed(at))).toEqual(ranks.map((at) => plain.displayed(at)));
          expect(plain.orders.map((_, at) => side.left(at))).toEqual(plain.orders.map(({ left }) => left));
        }
      }),
      { numRuns: times(30, 60) },
    );
  });

  it.each(MODELS)('gives a traded share to one order or to nobody, once: %s', (model) => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const side = new Side(model, BID);
        const plain = new PlainQueue(model);
        let [traded, taken] = [0, 0];
        for (const step of steps) {
          const filled = () => plain.orders.reduce((sum, order) => sum + order.filled, 0);
          const before = filled();
          play(side, plain, step);
          if (step.do === 'trade') traded += step.amount;
          if (step.do === 'trade') expect(filled() - before).toBeLessThanOrEqual(step.amount);
          else if (step.do === 'take') taken += side.core.lastInternalFilled / 1e6;
          else expect(filled()).toBe(before);
          expect(side.printed()).toBe(traded + taken);
        }
      }),
      { numRuns: times(20, 40) },
    );
  });
});

describe('between the models', () => {
  const MIDDLE = MODELS.filter((name) => name.startsWith('power') || name.startsWith('log'));
  const market = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: stepsOf.level },
      { weight: 4, arbitrary: stepsOf.trade },
      { weight: 1, arbitrary: stepsOf.clear },
    ),
    { maxLength: 60 },
  );

  /** Shares of one order filled after each step, alone in a market. */
  function fills(
    model: string,
    before: readonly Step[],
    order: Step & { do: 'join' },
    after: readonly Step[],
  ): number[] {
    const side = new Side(model, BID);
    const plain = new PlainQueue(model);
    for (const step of [...before, order]) play(side, plain, step);
    return after.map((step) => {
      play(side, plain, step);
      return order.amount - side.left(0);
    });
  }

  it('one order is never filled later: trade-through, risk-averse, any queue curve, optimistic', () => {
    fc.assert(
      fc.property(market, stepsOf.join, market, fc.constantFrom(...MIDDLE), (before, order, after, middle) => {
        const ladder = ['trade-through', 'risk-averse', middle, 'optimistic'];
        const filled = ladder.map((model) => fills(model, before, order, after));
        for (const at of after.keys()) {
          const rung = filled.map((column) => column[at] ?? 0);
          expect(rung).toEqual([...rung].sort((a, b) => a - b));
        }
      }),
      { numRuns: times(150, 300) },
    );
  });

  it('and so are all orders together', () => {
    const total = (model: string, steps: readonly Step[]): number[] => {
      const side = new Side(model, BID);
      const plain = new PlainQueue(model);
      return steps.map((step) => {
        play(side, plain, step);
        return plain.orders.reduce((sum, { filled }) => sum + filled, 0);
      });
    };
    const several = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: stepsOf.level },
        { weight: 4, arbitrary: stepsOf.trade },
        { weight: 2, arbitrary: stepsOf.join },
        { weight: 1, arbitrary: stepsOf.cancel },
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(several, fc.constantFrom(...MIDDLE), (steps, middle) => {
        const filled = ['trade-through', 'risk-averse', middle, 'optimistic'].map((model) => total(model, steps));
        for (const at of steps.keys()) {
          const rung = filled.map((column) => column[at] ?? 0);
          expect(rung).toEqual([...rung].sort((a, b) => a - b));
        }
      }),
      { numRuns: times(166, 500) },
    );
  });
});
