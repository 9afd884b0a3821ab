/** An exchange with one market for each reason to refuse, and callers who give it every reason. */

import { expect } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import type { EndpointName } from '../../../src/shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceErrorSlug } from '../../../src/shared/protocol/errors.js';
import { type Answered, control, openMarket, startTestExchange, TestTrader } from './harness.js';

/** Draft calls whose last step is a submit. */
export const DRAFTED = ['/orders/', '/share-merges/', '/share-splits/', '/redeems/'] as const;
export type Drafted = (typeof DRAFTED)[number];

const MARKETS = {
  book: {},
  closed: {},
  paused: {},
  unbacked: {},
  resolved: {},
  marginBook: { margin_enabled: true },
  polymarket: {
    config: {
      kind: 'polymarket',
      max_leverage_yes: '5',
      max_leverage_no: '5',
      opening_fee: '0.01',
      closing_fee: '0.01',
      annual_fee_rate: '0.1',
      price_decimals: 2,
      shares_decimals: 2,
    },
  },
  hyperliquid: {
    config: {
      kind: 'hyperliquid',
      max_leverage_yes: '5',
      max_leverage_no: '5',
      opening_fee: '0.01',
      closing_fee: '0.01',
      annual_fee_rate: '0.1',
    },
  },
} as const;
export type MarketName = keyof typeof MARKETS;

/** One refusal: which call answers which error, and what makes it. */
export interface Case {
  readonly call: EndpointName | 'paper';
  readonly slug: ServiceErrorSlug;
  readonly when: string;
  readonly answer: (world: ErrorWorld) => Promise<Answered>;
  readonly field?: string;
}

/** Well-formed, and nobody's. */
export const WRONG_SIGNATURE = 'ab'.repeat(64);

export const pubkeyOf = (draft: Answered): string => String(draft.row['pubkey']);

export class ErrorWorld {
  readonly exchange: RunningExchange;
  readonly base: string;
  readonly markets = new Map<MarketName, string>();
  /** Has sets on every book, and `custodial` is what its name says. */
  readonly trader: TestTrader;
  readonly other: TestTrader;
  readonly custodial: TestTrader;

  private constructor(exchange: RunningExchange, traders: readonly [TestTrader, TestTrader, TestTrader]) {
    this.exchange = exchange;
    this.base = exchange.url;
    [this.trader, this.other, this.custodial] = traders;
  }

  static async open(): Promise<ErrorWorld> {
    const exchange = await startTestExchange({ landingMs: 1000 });
    const join = () => TestTrader.join(exchange.url);
    const world = new ErrorWorld(exchange, [await join(), await join(), await join()]);
    for (const [name, fields] of Object.entries(MARKETS)) {
      // The keys of an object of constants are its names.
      world.markets.set(name as MarketName, await openMarket(world.base, fields));
    }
    for (const name of ['book', 'closed', 'paused', 'unbacked', 'resolved'] as const) {
      await world.trader.complete('/share-splits/', world.amount('10', name));
      await world.pass(2);
    }
    await world.state('closed', { state: 'waiting_to_resolve' });
    await world.state('paused', { paused: true });
    await world.state('unbacked', { unbacked_collateral: true });
    await control(world.base, `/markets/${world.id('resolved')}/resolve/`, { is_yes: true });
    await control(world.base, `/accounts/${world.custodial.wallet}/`, { custodial: true });
    return world;
  }

  close(): Promise<void> {
    return this.exchange.close();
  }

  id(name: MarketName): string {
    return this.markets.get(name) ?? 'unknown';
  }

  /** The exchange's clock goes forward, and the callers' with it. */
  async pass(seconds: number): Promise<void> {
    await control(this.base, '/clock/', { advance_s: seconds });
    for (const someone of [this.trader, this.other, this.custodial]) someone.clockShiftS += seconds;
  }

  state(name: MarketName, body: object): Promise<Answered> {
    return control(this.base, `/markets/${this.id(name)}/state/`, body);
  }

  order(fields: object = {}, name: MarketName = 'book'): object {
    const terms = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.01', amount: '10' };
    return { market_condition_id: this.id(name), ...terms, ...fields };
  }

  amount(text: string, name: MarketName = 'book'): object {
    return { market_condition_id: this.id(name), amount: text };
  }

  /** A fresh draft of the trader, on a market of its own when it is one that only one draft fits on. */
  async draft(path: Drafted, name?: MarketName): Promise<Answered> {
    if (path === '/orders/') return this.trader.post(path, this.order({}, name));
    // Nothing else may be under way.
    await this.pass(61);
    if (path === '/redeems/') return this.trader.post(path, { market_condition_id: this.id('resolved') });
    return this.trader.post(path, this.amount('1', name));
  }

  async without<T>(work: () => Promise<T>): Promise<T> {
    await control(this.base, '/signing-service/', { available: false });
    try {
      return await work();
    } finally {
      await control(this.base, '/signing-service/', { available: true });
    }
  }
}

/** What an answer must be to be this error: the table's status, code and message, and no data. */
export function refused(answer: Answered, slug: ServiceErrorSlug, field?: string): void {
  const { status, code, message } = SERVICE_ERRORS[slug];
  const details = field === undefined ? [] : [{ [field]: expect.any(String) }];
  expect({ status: answer.status, data: answer.data, meta: answer.meta, error: answer.error }).toEqual({
    status,
    data: null,
    meta: null,
    error: { slug, code, message, details },
  });
}

/** Drafts an order on a market of its own, and submits it after what happens in between: the second check fails. */
export async function failedSince(
  w: ErrorWorld,
  fields: object,
  happens: (market: string) => Promise<unknown>,
  signature?: string,
): Promise<Answered> {
  const market = await openMarket(w.base);
  await w.trader.complete('/share-splits/', { market_condition_id: market, amount: '10' });
  await w.pass(2);
  const draft = await w.trader.post('/orders/', w.order({ market_condition_id: market, ...fields }));
  await happens(market);
  if (signature === undefined) return w.trader.submit('/orders/', draft);
  return w.trader.post(`/orders/${pubkeyOf(draft)}/submit/`, { signature });
}
