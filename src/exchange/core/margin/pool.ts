/**
 * What a margin market has in place of a book: the reference price that everything trades at, and the pool that is the
 * other side of every position. The pool lends, wins what users lose and pays what they win; it may go below zero, so that
 * no money appears or vanishes: what users paid in is what accounts, fees, `held` and `balance` hold together.
 */

import { assert } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import type { PoolConfigSpec } from '../contract.js';
import { ActivityRing } from './activity.js';
import { type Ending, ownPrice } from './economics.js';
import { type MarginRules, readRules } from './rules.js';

/** Default start price of a market. */
export const DEFAULT_REFERENCE = ONE / 2;

/** Counterparty of every position of one market, and the reference price. */
export class MarginPool {
  readonly rules: MarginRules;
  /** YES space, strictly between 0 and 1. */
  referencePrice: number;
  /** Users' money: funded requests, liquidity of open positions, unpaid settlements. */
  held = 0;
  /** The pool's own money; negative when it has paid more than it won. */
  balance = 0;
  readonly activity = new ActivityRing();
  /** Ids of open positions, and of submitted requests that have not ended. */
  readonly openPositions = new Set<number>();
  readonly pendingRequests = new Set<number>();

  /** A market's configuration was parsed when the market was created. */
  constructor(config: PoolConfigSpec, referencePrice: number) {
    const rules = readRules(config);
    assert(rules.ok, 'a margin market has rules that can be read');
    this.rules = rules.value;
    this.referencePrice = referencePrice;
  }

  /** The reference price in an outcome's space. */
  mark(isYes: boolean): number {
    return ownPrice(this.referencePrice, isYes);
  }

  /** Present ids in order of creation, so that a restored exchange acts in the same order. */
  positionIds(): readonly number[] {
    return [...this.openPositions].sort((a, b) => a - b);
  }

  requestIds(): readonly number[] {
    return [...this.pendingRequests].sort((a, b) => a - b);
  }

  maxLeverage(isYes: boolean): number {
    return isYes ? this.rules.maxLeverageYes : this.rules.maxLeverageNo;
  }

  /** A position ends: its liquidity becomes payout, fee and pool money. */
  end(userLiquidity: number, { payout, closingFee }: Ending): void {
    this.held += payout - userLiquidity;
    this.balance += userLiquidity - payout - closingFee;
  }

  dump() {
    const { referencePrice, held, balance } = this;
    return { referencePrice, held, balance, activity: this.activity.dump() };
  }

  /** Positions and requests register themselves. */
  load(dump: ReturnType<MarginPool['dump']>): void {
    this.referencePrice = dump.referencePrice;
    this.held = dump.held;
    this.balance = dump.balance;
    this.activity.load(dump.activity);
  }
}
