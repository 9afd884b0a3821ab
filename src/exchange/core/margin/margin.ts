/**
 * Margin: leveraged positions against the pool of a market. This subsystem wires the parts (requests open positions, positions
 * end in settlements) and tells them what happens to their markets; it may not touch an order book.
 *
 * Money of a user is in one place at a time: locked in the account until a request is funded, then held by the market's
 * pool until a refund or a payout brings it back. Fees go to the exchange. So, at every moment and to the micro, currency
 * that came in = currency of all accounts + fees + what all pools hold + what they own (or owe).
 */

import { ONE } from '../../../shared/base/micros.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { CoreContext } from '../core-context.js';
import { invalid, mapResult, ok, refuse } from '../fault.js';
import type { Market } from '../market.js';
import { detailRow } from '../records/market-rows.js';
import type { Wire } from '../records/wire-rows.js';
import type { Result } from '../types.js';
import type { FeeAccount } from './margin-context.js';
import { Positions } from './positions.js';
import { Requests } from './requests.js';
import { RealizedPnl, Settlements } from './settlements.js';

/** Leveraged positions of the whole exchange: owns the parts and passes market changes to them. */
export class Margin {
  readonly context: CoreContext;
  readonly realized = new RealizedPnl();
  readonly settlements: Settlements;
  readonly positions: Positions;
  readonly requests: Requests;

  constructor(context: CoreContext, till: FeeAccount) {
    this.context = context;
    this.settlements = new Settlements(context, this.realized);
    this.positions = new Positions(context, till, this.settlements);
    this.requests = new Requests(context, this.positions);
  }

  stepSettlement(id: number): void {
    const position = this.settlements.step(id);
    if (position !== null) this.positions.onClaim(position);
  }

  setReferencePrice(conditionId: string, price: number): Result<Wire<'marketDetail'>> {
    const { catalog, nowMs } = this.context;
    const market = catalog.byId(conditionId);
    if (market === null) return refuse('not_found');
    if (market.margin === null) return invalid('condition_id', 'This market does not trade on margin.');
    if (!Number.isSafeInteger(price) || price <= 0 || price >= ONE)
      return invalid('price', 'Must lie between 0 and 1.');
    if (isSettledMarket(market.state)) return invalid('price', `The market is ${market.state} for good.`);
    market.margin.referencePrice = price;
    market.candles.write(nowMs, price, 0);
    this.sweep(market);
    return ok(detailRow(catalog, market));
  }

  /** A known position without a settlement is open: the error names that instead of not found. */
  claimSettlement(account: number, positionPubkey: string): Result<Wire<'claimResult'>> {
    const settlement = this.settlements.records.find(account, positionPubkey);
    if (settlement !== null) {
      const claimed = this.settlements.claim(settlement);
      return mapResult(claimed, ({ pubkey, state }) => ({ position_pubkey: pubkey, state }));
    }
    if (this.positions.records.find(account, positionPubkey) === null) return refuse('not_found');
    return invalid('pubkey', 'The position is open: there is nothing to claim.');
  }

  /** The price or the market's trading state changed: positions first, then requests, each in order of creation. */
  sweep(market: Market): void {
    const pool = market.margin;
    if (pool === null || !market.isTradable) return;
    this.positions.sweep(pool);
    for (const id of pool.requestIds()) {
      const request = this.requests.records.live(id);
      if (request !== null) this.requests.tryFill(request);
    }
  }

  /** The market's state changed. */
  marketMoved(market: Market, isSettled: boolean): void {
    const pool = market.margin;
    if (pool === null) return;
    if (market.state !== 'open') this.requests.turnBack(pool.requestIds());
    if (isSettled) this.positions.settle({ market, pool });
    this.sweep(market);
  }

  /** Currency in margin, outside all accounts. */
  get held(): number {
    let sum = 0;
    for (const { margin } of this.context.catalog.markets) if (margin !== null) sum += margin.held + margin.balance;
    return sum;
  }

  dump() {
    return {
      requests: this.requests.dump(),
      positions: this.positions.dump(),
      settlements: this.settlements.dump(),
      realized: this.realized.dump(),
    };
  }

  /** After the markets: open positions and pending requests register with their pools. */
  load(dump: ReturnType<Margin['dump']>): void {
    this.requests.load(dump.requests);
    this.positions.load(dump.positions);
    this.settlements.load(dump.settlements);
    this.realized.load(dump.realized);
  }
}
