/** A venue's answers, and a store that only records its input. */

import type { RecordedMarket, RecordedPoll } from '../../../../src/recording/contract.js';
import type { FeedRow, MarketSink, OwnRow } from '../../../../src/recording/store/segment.js';
import { type Micros, micros } from '../../../../src/shared/base/micros.js';
import type { DataOf } from '../../../../src/shared/protocol/endpoints.js';
import type { AnyCall, Outcome } from '../../../../src/shared/protocol/seam.js';
import { Capture } from '../../../../src/shell/recorder/capture/capture.js';

export const MARKET = 'M';

/** One call of a sink, as a readable line: `level 1000 bid 0.4 100`. */
export interface Given {
  readonly what: 'level' | 'trade' | 'clear' | 'gap' | 'end';
  readonly timeMs: number;
  readonly side: number;
  readonly price: number;
  readonly amount: number;
  readonly reason: string;
}

export class Remembered {
  readonly events: Given[] = [];
  readonly own: OwnRow[] = [];
  readonly feedValues: FeedRow[] = [];
  readonly polls: RecordedPoll[] = [];
  readonly descriptions: RecordedMarket[] = [];

  readonly store = {
    market: (market: RecordedMarket): MarketSink => this.#sink(market),
  };

  /** `gap` at 1000: … */
  lines(): string[] {
    return this.events.map(({ what, timeMs, side, price, amount, reason }) =>
      what === 'level' || what === 'trade'
        ? `${what} ${timeMs} ${side === 0 ? 'bid' : 'ask'} ${price / 1e6} ${amount / 1e6}`
        : [what, timeMs, ...(reason === '' ? [] : [reason])].join(' '),
    );
  }

  /** The book from the events, as `bid 0.4 100`. */
  book(): string[] {
    const levels = new Map<string, number>();
    for (const { what, side, price, amount } of this.events) {
      if (what === 'clear') levels.clear();
      if (what !== 'level') continue;
      const key = `${side === 0 ? 'bid' : 'ask'} ${price / 1e6}`;
      if (amount === 0) levels.delete(key);
      else levels.set(key, amount);
    }
    return [...levels].map(([key, amount]) => `${key} ${amount / 1e6}`).sort();
  }

  #sink(first: RecordedMarket): MarketSink {
    let market = first;
    this.descriptions.push(first);
    const event = (what: Given['what'], timeMs: number, rest: Partial<Given> = {}): true => {
      this.events.push({ what, timeMs, side: 0, price: 0, amount: 0, reason: '', ...rest });
      return true;
    };
    return {
      get market() {
        return market;
      },
      describe: (next) => {
        market = next;
        this.descriptions.push(next);
      },
      level: (at, side, price, amount) => event('level', at.timeMs, { side, price, amount }),
      trade: (at, side, price, amount) => event('trade', at.timeMs, { side, price, amount }),
      clear: (at) => void event('clear', at.timeMs),
      gap: (at, reason) => void event('gap', at.timeMs, { reason }),
      end: (at) => void event('end', at.timeMs),
      poll: (poll) => void this.polls.push(poll),
      own: (row) => void this.own.push(row),
      feedValue: (row) => void this.feedValues.push(row),
    };
  }
}

export const money = (value: number): Micros => micros(Math.round(value * 1e6));

export type Levels = Readonly<Record<string, number>>;

const side = (levels: Levels, sign: 1 | -1) =>
  Object.entries(levels)
    .map(([price, amount]) => ({ price: money(Number(price)), total_amount: money(amount) }))
    .sort((a, b) => sign * (a.price - b.price));

export const bookOf = (bids: Levels, asks: Levels): DataOf<'markets.book'> => ({
  market: MARKET,
  is_yes: true,
  bid: side(bids, -1),
  ask: side(asks, 1),
});

export const tradeOf = (
  second: number,
  price: number,
  amount: number,
  isYes = true,
): DataOf<'markets.trades'>[number] => ({
  market_condition_id: MARKET,
  amount: money(amount),
  price: money(price),
  is_yes: isYes,
  state: 'done',
  maker_fee: null,
  taker_fee: null,
  timestamp: second,
});

export const detailOf = (state: DataOf<'markets.detail'>['state'] = 'open'): DataOf<'markets.detail'> => ({
  title: 'Will it rain?',
  description: null,
  condition_id: MARKET,
  logo: null,
  last_trade_price: null,
  state,
  category: 'tech',
  created: 1,
  creator: null,
  margin_enabled: false,
  outcomes: null,
  event: { title: 'Rain', condition_id: 'E', logo: null },
  yes_outcome_label: null,
  no_outcome_label: null,
  rules: ['one'],
  resolution_date: 500_000,
  maker_fee: null,
  taker_fee: null,
  config: {
    kind: 'orderbook',
    min_price: money(0.01),
    max_price: money(0.99),
    min_amount: money(1),
    max_amount: money(1e6),
    min_funds: money(0),
    max_funds: money(1e6),
    price_precision: 2,
    amount_precision: 2,
    funds_precision: 2,
    maker_fee_rate: money(0),
    taker_fee_rate: money(0.01),
    default_slippage_rate: null,
  },
});

interface Times {
  /** Our clock, ms, which equals the venue's. */
  readonly sentMs: number;
  readonly seenMs: number;
}

/** Polls as a shell sends them; the venue answers in the middle of each. */
export class Polls {
  readonly remembered = new Remembered();
  readonly capture: Capture;
  #id = 0;

  constructor(only: ReadonlySet<string> | null = null) {
    this.capture = new Capture({ store: this.remembered.store, folder: 'F', venue: 'V', only });
    this.capture.expect(1_000);
  }

  ask(call: Partial<AnyCall> & { readonly endpoint: AnyCall['endpoint'] }, nowMs: number): number {
    this.#id += 1;
    // A call of this endpoint with the test's other parts.
    const whole = { params: {}, query: {}, body: undefined, ...call } as AnyCall;
    this.capture.onAsk({ id: this.#id, lane: 'quiet', call: whole, latestMs: nowMs + 1000 }, nowMs);
    return this.#id;
  }

  answer(requestId: number, outcome: Outcome, { sentMs, seenMs }: Times): void {
    const observation = {
      kind: 'outcome',
      requestId,
      outcome,
      sentMs,
      nowMs: seenMs,
      venueTimeMs: null,
      budget: null,
    } as const;
    this.capture.onOutcome(observation, (sentMs + seenMs) / 2);
  }

  /** One call and its answer. */
  poll(call: Parameters<Polls['ask']>[0], data: unknown, sentMs: number, nextCursor: string | null = null): void {
    const id = this.ask(call, sentMs);
    // The data of this endpoint, from the test.
    this.answer(id, { kind: 'answered', data: data as never, nextCursor }, { sentMs, seenMs: sentMs + 100 });
  }

  detail(sentMs: number, state: Parameters<typeof detailOf>[0] = 'open'): void {
    this.poll({ endpoint: 'markets.detail', params: { condition_id: MARKET } }, detailOf(state), sentMs);
  }

  book(sentMs: number, bids: Levels, asks: Levels, depth = 100): void {
    const call = { endpoint: 'markets.book', params: { condition_id: MARKET }, query: { depth } } as const;
    this.poll(call, bookOf(bids, asks), sentMs);
  }

  trades(sentMs: number, rows: readonly DataOf<'markets.trades'>[number][], nextCursor: string | null = null): void {
    this.poll({ endpoint: 'markets.trades', params: { condition_id: MARKET } }, rows, sentMs, nextCursor);
  }

  fails(endpoint: 'markets.book' | 'markets.trades', sentMs: number, outcome: Outcome): void {
    const id = this.ask({ endpoint, params: { condition_id: MARKET } }, sentMs);
    this.answer(id, outcome, { sentMs, seenMs: sentMs + 100 });
  }
}
