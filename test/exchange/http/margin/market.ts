/** Margin over HTTP for tests: steps are long, so that only the clock control makes them. */

import type { ExchangeOptions } from '../../../../src/exchange/exchange.js';
import { type Answered, control, openMarket, send, TestTrader } from '../harness.js';
import { sharedExchange } from '../shared-exchange.js';

/** Duration of each step of a request or settlement. */
export const STEP_S = 100;
export const DAY_S = 86_400;

export const startMarginExchange = (options: Partial<ExchangeOptions> = {}) =>
  sharedExchange({ landingMs: STEP_S * 1000, draftLifetimeS: 1_000, ...options });

export const POLYMARKET = {
  kind: 'polymarket',
  max_leverage_yes: '10',
  max_leverage_no: '5',
  opening_fee: '0.01',
  closing_fee: '0.02',
  annual_fee_rate: '0.1',
  order_min_size: '2',
  price_decimals: 2,
  shares_decimals: 2,
};
export const HYPERLIQUID = {
  kind: 'hyperliquid',
  max_leverage_yes: '3',
  max_leverage_no: '3',
  opening_fee: '0',
  closing_fee: '0',
  annual_fee_rate: '0',
};

export const REQUESTS = '/margin/positions/requests/';
export const POSITIONS = '/margin/positions/';
export const SETTLEMENTS = '/margin/positions/settlements/';

/** One exchange, one trader, one clock. */
export class MarginWorld {
  readonly base: string;
  readonly trader: TestTrader;
  readonly market: string;

  private constructor(base: string, trader: TestTrader, market: string) {
    this.base = base;
    this.trader = trader;
    this.market = market;
  }

  static async open(base: string, config: object = POLYMARKET): Promise<MarginWorld> {
    const trader = await TestTrader.join(base);
    return new MarginWorld(base, trader, await openMarket(base, { config, reference_price: '0.4' }));
  }

  async forward(seconds: number): Promise<void> {
    await control(this.base, '/clock/', { advance_s: seconds });
    this.trader.clockShiftS += seconds;
  }

  move(price: string, market = this.market): Promise<Answered> {
    return control(this.base, `/markets/${market}/reference-price/`, { price });
  }

  body(fields: object = {}): object {
    return { type: 'market', market_condition_id: this.market, leverage: 2.5, funds: '100', ...fields };
  }

  draft(fields: object = {}): Promise<Answered> {
    return this.trader.post(REQUESTS, this.body(fields));
  }

  /** Drafted, signed, submitted. */
  async request(fields: object = {}): Promise<string> {
    const made = await this.trader.complete(REQUESTS, this.body(fields));
    if (made.status !== 200) throw new Error(`no request: ${JSON.stringify(made.error)}`);
    return String(made.row['pubkey']);
  }

  /** A filled request's position. */
  async position(fields: object = {}): Promise<string> {
    await this.request(fields);
    await this.forward(3 * STEP_S);
    const { rows } = await this.trader.get(`${POSITIONS}?is_closed=false&limit=1`);
    return String(rows[0]?.['pubkey']);
  }

  delete(path: string): Promise<Answered> {
    return this.trader.call('DELETE', path);
  }

  async funds(): Promise<string> {
    const { row } = await send(this.base, 'GET', `/paper/accounts/${this.trader.wallet}/`);
    return (row['funds'] as { total: string }).total;
  }
}
