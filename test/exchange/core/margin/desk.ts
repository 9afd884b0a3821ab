/** An exchange with margin markets for tests: accounts, all steps of a request in one call, amounts as decimals. */

import type {
  CoreSettings,
  MarginRequest,
  MarketSpec,
  PoolConfigSpec,
  Wire,
} from '../../../../src/exchange/core/contract.js';
import { must } from '../../../../src/shared/base/errors.js';
import type { Micros } from '../../../../src/shared/base/micros.js';
import { accepted, Desk, m, settings } from '../venue.js';

/** Liquidates before everything is lost, so that a remainder can be paid out. */
export const marginSettings: CoreSettings = { ...settings, liquidationLossPercent: 90 };

export const POLYMARKET: PoolConfigSpec = {
  kind: 'polymarket',
  max_leverage_yes: '10',
  max_leverage_no: '5',
  opening_fee: '0.01',
  closing_fee: '0.02',
  annual_fee_rate: '0.1',
  price_decimals: 2,
  shares_decimals: 2,
};

export const HYPERLIQUID: PoolConfigSpec = {
  kind: 'hyperliquid',
  max_leverage_yes: '3',
  max_leverage_no: '3',
  opening_fee: '0',
  closing_fee: '0.001',
  annual_fee_rate: '0',
};

/** Duration of a step, ms. */
export const STEP = settings.landingMs;
/** From the submit to the fill of a market request. */
export const TO_FILL = 3 * STEP;
export const DAY_MS = 86_400_000;

/** Fields of a request that a test sets; the defaults are YES, leverage 2, a market request. */
export interface Wish {
  readonly market?: string;
  readonly isYes?: boolean;
  readonly leverage?: string;
  readonly funds?: string;
  /** `[price, shares]` of a limit request. */
  readonly limit?: readonly [price: string, shares: string];
  readonly takeProfit?: string;
  readonly stopLoss?: string;
}

export class MarginDesk extends Desk {
  /** A polymarket at 0.4 by default. */
  readonly id: string;

  constructor(config: PoolConfigSpec = POLYMARKET, spec: Omit<MarketSpec, 'config'> = {}, own = marginSettings) {
    super(own);
    this.id = this.market(config, spec);
  }

  market(config: PoolConfigSpec, spec: Omit<MarketSpec, 'config'> = {}): string {
    return accepted(this.now.markets.create({ config, reference_price: m('0.4'), ...spec })).condition_id;
  }

  terms({
    market = this.id,
    isYes = true,
    leverage = '2',
    funds = '100',
    limit,
    takeProfit,
    stopLoss,
  }: Wish): MarginRequest {
    const size =
      limit === undefined
        ? ({ type: 'market', funds: m(funds) } as const)
        : ({ type: 'limit', price: m(limit[0]), shares: m(limit[1]) } as const);
    const price = (text: string | undefined): Micros | undefined => (text === undefined ? undefined : m(text));
    const triggers = { takeProfit: price(takeProfit), stopLoss: price(stopLoss) };
    return { marketConditionId: market, isYes, leverage: m(leverage), ...size, ...triggers };
  }

  draft(account: number, wish: Wish = {}) {
    return this.now.margin.requests.draft(account, this.terms(wish));
  }

  /** Drafts and submits; returns the pubkey. */
  request(account: number, wish: Wish = {}): string {
    const { pubkey } = accepted(this.draft(account, wish));
    accepted(this.now.margin.requests.submit(account, pubkey, true));
    return pubkey;
  }

  /** Opens a filled request; returns the position. */
  open(account: number, wish: Wish = {}): Wire<'positionRow'> {
    const request = this.request(account, wish);
    this.pass(TO_FILL);
    const { rows } = this.core.margin.positionPage(account, { limit: 100, is_closed: false });
    const { state } = this.requestRow(account, request);
    if (state !== 'completed') throw new Error(`the request is ${state}`);
    return must(rows[0], 'the position of a filled request');
  }

  requestRow(account: number, pubkey: string) {
    return must(this.core.margin.requests.row(account, pubkey), `request ${pubkey}`);
  }

  position(account: number, pubkey: string): Wire<'positionRow'> {
    return must(this.core.margin.positions.row(account, pubkey), `position ${pubkey}`);
  }

  settlement(account: number, position: string) {
    const { rows } = this.core.margin.settlementPage(account, { limit: 1, position_pubkey: position });
    return must(rows[0], `settlement of ${position}`);
  }

  close(account: number, pubkey: string, price: string | null = null) {
    return this.now.margin.positions.close(account, pubkey, price === null ? null : m(price));
  }

  /** Claims the claimable amount and waits for it. */
  claim(account: number, pubkey: string): void {
    this.pass(2 * STEP);
    accepted(this.now.margin.claimSettlement(account, pubkey));
    this.pass(STEP);
  }

  move(price: string, market = this.id): void {
    accepted(this.now.margin.setReferencePrice(market, m(price)));
  }

  /** Deposits minus all holdings: 0 at every moment. */
  get missing(): number {
    let missing: number = this.core.deposited - this.core.matching.fees - this.core.margin.held;
    for (let account = 0; account < this.accounts; account++) missing -= this.core.funds.read(account).total;
    return missing;
  }

  /** Number of accounts: the house and every wallet. */
  accounts = 5;
}
