/** A venue's answers, and a store that only records its input. */

import type { RecordedMarket, RecordedPoll } from '../../../../src/recording/contract.js';
import type { FeedRow, MarketSink, OwnRow } from '../../../../src/recording/store/segment.js';
import type { DataOf } from '../../../../src/shared/protocol/endpoints.js';
import type { AnyCall, Outcome } from '../../../../src/shared/protocol/seam.js';
import { Capture } from '../../../../src/shell/recorder/capture/capture.js';
import { detail, snapshot } from '../../../trader/market/fixtures.js';

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

  readonly store = { market: (market: RecordedMarket): MarketSink => this.#sink(market) };

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

export type Levels = Readonly<Record<string, number>>;

const side = (levels: Levels, sign: 1 | -1) =>
  Object.entries(levels)
    .map(([price, amount]) => [Number(Number(price).toFixed(2)), amount] as const)
    .sort(([a], [b]) => sign * (a - b));

export const bookOf = (bids: Levels, asks: Levels): DataOf<'markets.book'> => snapshot(side(bids, -1), side(asks, 1));

export { trade as tradeOf } from '../../../trader/market/fixtures.js';

export const detailOf = (state: DataOf<'markets.detail'>['state'] = 'open'): DataOf<'markets.detail'> =>
  detail({
    ...{ state, condition_id: MARKET, title: 'Will it rain?', category: 'tech', created: 1, rules: ['one'] },
    ...{ event: { title: 'Rain', condition_id: 'E', logo: null }, resolution_date: 500_000 },
  });

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

  /** `sentMs`, `seenMs`: our clock, ms. `offsetMs`: the venue's clock minus our clock, ms. */
  answer(requestId: number, outcome: Outcome, sentMs: number, seenMs = sentMs + 100, offsetMs = 0): void {
    const times = { sentMs, nowMs: seenMs, venueTimeMs: null, budget: null };
    this.capture.onOutcome({ kind: 'outcome', requestId, outcome, ...times }, (sentMs + seenMs) / 2 + offsetMs);
  }

  /** One call and its answer. */
  poll(call: Parameters<Polls['ask']>[0], data: unknown, sentMs: number, nextCursor: string | null = null): void {
    const id = this.ask(call, sentMs);
    // The data of this endpoint, from the test.
    this.answer(id, { kind: 'answered', data: data as never, nextCursor }, sentMs);
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
    this.answer(this.ask({ endpoint, params: { condition_id: MARKET } }, sentMs), outcome, sentMs);
  }
}
