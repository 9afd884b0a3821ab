/**
 * What a margin market has in place of a book: the reference price that everything trades at, and the pool that is the
 * other side of every position. The pool lends, wins what users lose and pays what they win; it may go below zero, so that
 * no money appears or vanishes: what users paid in is what accounts, fees, `held` and `balance` hold together.
 */

import { assert } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import type { PoolConfigSpec } from '../types.js';
import { ActivityRing } from './activity.js';
import { type Ending, ownPrice } from './economics.js';
import { type MarginRules, readRules } from './rules.js';

/** Where a market starts that says nothing. */
export const DEFAULT_REFERENCE = ONE / 2;

/** The other side of every position of one market, and the reference price that they trade at. */
export class MarginPool {
  readonly rules: MarginRules;
  /** YES space, strictly between 0 and 1. */
  referencePrice: number;
  /** The users' money: funded requests, liquidity of open positions, what settlements still owe. */
  held = 0;
  /** The pool's own; negative when it has paid more than it won. */
  balance = 0;
  readonly activity = new ActivityRing();
  /** Ids of the open positions, and of the requests that were submitted and are not over. */
  readonly openPositions = new Set<number>();
  readonly pendingRequests = new Set<number>();

  /** The rules of a market's configuration were read when the market was created. */
  constructor(config: PoolConfigSpec, referencePrice: number) {
    const rules = readRules(config);
    assert(rules.ok, 'a margin market has rules that can be read');
    this.rules = rules.value;
    this.referencePrice = referencePrice;
  }

  /** The reference price in the space of an outcome. */
  mark(isYes: boolean): number {
    return ownPrice(this.referencePrice, isYes);
  }

  /** What there is at this moment, in order of creation: whatever it was entered in, a restored exchange does the same. */
  positionIds(): readonly number[] {
    return [...this.openPositions].sort((a, b) => a - b);
  }

  requestIds(): readonly number[] {
    return [...this.pendingRequests].sort((a, b) => a - b);
  }

  maxLeverage(isYes: boolean): number {
    return isYes ? this.rules.maxLeverageYes : this.rules.maxLeverageNo;
  }

  /** A position ends: its liquidity becomes the payout, the rest is fee and the pool's. */
  end(userLiquidity: number, { payout, closingFee }: Ending): void {
    this.held += payout - userLiquidity;
    this.balance += userLiquidity - payout - closingFee;
  }

  dump() {
    const { referencePrice, held, balance } = this;
    return { referencePrice, held, balance, activity: this.activity.dump() };
  }

  /** Positions and requests enter themselves. */
  load(dump: ReturnType<MarginPool['dump']>): void {
    this.referencePrice = dump.referencePrice;
    this.held = dump.held;
    this.balance = dump.balance;
    this.activity.load(dump.activity);
  }
}
