/**
 * Margin: leveraged positions against the pool of a market. This subsystem wires the parts (requests open positions, positions
 * end in settlements) and tells them what happens to their markets; it may not touch an order book.
 *
 * Money of a user is in one place at a time: locked in the account until a request is funded, then held by the market's
 * pool until a refund or a payout brings it back. Fees go to the exchange. So, at every moment and to the micro, currency
 * that came in = currency of all accounts + fees + what all pools hold + what they own (or owe).
 */

import type { CoreContext } from '../core-context.js';
import type { Market } from '../market.js';
import type { FeeAccount } from './margin-context.js';
import { Positions, type PositionsDump } from './positions.js';
import { RealizedPnl } from './realized-pnl.js';
import { Requests, type RequestsDump } from './requests.js';
import { Settlements, type SettlementsDump } from './settlements.js';

/** Leveraged positions of the whole exchange: owns the parts and tells them what happens to their markets. */
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

  moveReference(market: Market, price: number): void {
    if (market.margin === null) return;
    market.margin.referencePrice = price;
    market.candles.write(this.context.nowMs, price, 0);
    this.sweep(market);
  }

  /** The price or whether the market trades has changed: positions first, then requests, each in order of creation. */
  sweep(market: Market): void {
    const pool = market.margin;
    if (pool === null || !market.isTradable) return;
    this.positions.sweep(pool);
    for (const id of pool.requestIds()) {
      const request = this.requests.records.live(id);
      if (request !== null) this.requests.tryFill(request);
    }
  }

  /** The market is in another state now. */
  marketMoved(market: Market, isSettled: boolean): void {
    const pool = market.margin;
    if (pool === null) return;
    if (market.state !== 'open') this.requests.turnBack(pool.requestIds());
    if (isSettled) this.positions.settle({ market, pool });
    this.sweep(market);
  }

  /** Currency that is in margin and in no account. */
  get held(): number {
    let sum = 0;
    for (const { margin } of this.context.catalog.markets) if (margin !== null) sum += margin.held + margin.balance;
    return sum;
  }

  dump(): MarginDump {
    return {
      requests: this.requests.dump(),
      positions: this.positions.dump(),
      settlements: this.settlements.dump(),
      realized: this.realized.dump(),
    };
  }

  /** After the markets: open positions and pending requests enter themselves into their pools. */
  load(dump: MarginDump): void {
    this.requests.load(dump.requests);
    this.positions.load(dump.positions);
    this.settlements.load(dump.settlements);
    this.realized.load(dump.realized);
  }
}

/** All live records of margin in a snapshot, with the sums that were realised. */
export interface MarginDump {
  readonly requests: RequestsDump;
  readonly positions: PositionsDump;
  readonly settlements: SettlementsDump;
  readonly realized: ReturnType<RealizedPnl['dump']>;
}
