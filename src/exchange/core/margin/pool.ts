/**
 * A margin market's reference price, and the pool on the other side of every position. The pool lends, wins what users
 * lose and pays what users win. The pool may go below zero, so that no money appears or vanishes.
 */

import { assert } from '../../../shared/base/errors.js';
import { formatDecimal, ONE, parseDecimal, stepOfPrecision } from '../../../shared/base/micros.js';
import type { MarginActivity } from '../../../shared/protocol/states.js';
import { invalid, ok, type PoolConfigSpec, type Refusal, type Result } from '../contract.js';
import { asMicros } from '../money.js';
import { type Ending, ownPrice } from './economics.js';

/** Rates, leverages and sizes in micros. */
interface MarginRules {
  readonly kind: 'polymarket' | 'hyperliquid';
  readonly maxLeverageYes: number;
  readonly maxLeverageNo: number;
  /** Opening fee rate on user_liquidity. */
  readonly openingRate: number;
  /** Closing fee rate on the value of the shares when a position wins or is liquidated. */
  readonly closingRate: number;
  /** Interest rate per year on the borrowed amount. */
  readonly annualRate: number;
  /** Market requests only (decisions §4). */
  readonly minFunds: number;
  /** `order_min_size`, in shares; 0 when the market has none. */
  readonly minShares: number;
  readonly priceStep: number;
  readonly sharesStep: number;
}

/** Decisions §4: "min 1 on `hyperliquid`, 5 on `polymarket`". */
const MIN_FUNDS = { polymarket: 5 * ONE, hyperliquid: ONE } as const;
const MAX_LEVERAGE = 1000 * ONE;
const MAX_ANNUAL_RATE = 100 * ONE;

/** Rules of a configuration, or the 400 that names its error. */
export function readRules(config: PoolConfigSpec): Result<MarginRules> {
  const numbers = {
    max_leverage_yes: within(config.max_leverage_yes, ONE, MAX_LEVERAGE),
    max_leverage_no: within(config.max_leverage_no, ONE, MAX_LEVERAGE),
    opening_fee: within(config.opening_fee, 0, ONE),
    closing_fee: within(config.closing_fee, 0, ONE),
    annual_fee_rate: within(config.annual_fee_rate, 0, MAX_ANNUAL_RATE),
    order_min_size: config.kind === 'polymarket' ? within(config.order_min_size ?? '0', 0, Number.MAX_SAFE_INTEGER) : 0,
    price_decimals: config.kind === 'polymarket' ? computeStep(config.price_decimals, 1) : 1,
    shares_decimals: config.kind === 'polymarket' ? computeStep(config.shares_decimals, 0) : 1,
  };
  for (const [name, value] of Object.entries(numbers)) {
    if (value === null) return invalid('config', `${name} is out of range.`);
  }
  return ok({
    kind: config.kind,
    maxLeverageYes: numbers.max_leverage_yes ?? ONE,
    maxLeverageNo: numbers.max_leverage_no ?? ONE,
    openingRate: numbers.opening_fee ?? 0,
    closingRate: numbers.closing_fee ?? 0,
    annualRate: numbers.annual_fee_rate ?? 0,
    minFunds: MIN_FUNDS[config.kind],
    minShares: numbers.order_min_size ?? 0,
    priceStep: numbers.price_decimals ?? 1,
    sharesStep: numbers.shares_decimals ?? 1,
  });
}

/** Refuses a value that is not a multiple of the step; null for a multiple. Value and step in micros. */
export function offGrid(field: string, value: number, step: number): Refusal | null {
  return value % step === 0 ? null : invalid(field, `Must be a multiple of ${formatDecimal(asMicros(step))}.`);
}

/** Why a position cannot be sold at this price; null when it can. */
export function badPrice(field: string, price: number, { priceStep }: MarginRules): Refusal | null {
  if (price <= 0 || price >= ONE) return invalid(field, 'Must lie between 0 and 1.');
  return offGrid(field, price, priceStep);
}

function within(text: string, least: number, most: number): number | null {
  const value = parseDecimal(text);
  return value !== null && value >= least && value <= most ? value : null;
}

function computeStep(decimals: number, least: number): number | null {
  return Number.isInteger(decimals) && decimals >= least && decimals <= 6 ? stepOfPrecision(decimals) : null;
}

const ACTIVITY_KEPT = 1_000;

/** A public event of a position. */
export interface Activity {
  /** Id of the row, from 1 per market. */
  readonly id: number;
  readonly type: MarginActivity;
  readonly account: number;
  readonly isYes: boolean;
  readonly leverage: number;
  /** Change of the position, in shares. */
  readonly shares: number;
  /** Price in the position's outcome space. */
  readonly price: number;
  /** Realized profit and loss; null while nothing is realized. */
  readonly realizedPnl: number | null;
  readonly timeMs: number;
}

/** Keeps the newest activities of one market; older ones are dropped. */
class ActivityRing {
  #count = 0;
  /** Activity `id` is at `id % ACTIVITY_KEPT`. */
  readonly #ring: Activity[] = [];

  add(activity: Omit<Activity, 'id'>): void {
    this.#count += 1;
    this.#ring[this.#count % ACTIVITY_KEPT] = { id: this.#count, ...activity };
  }

  /** Activities with ids below `beforeId`, newest first. */
  *before(beforeId = Number.POSITIVE_INFINITY): Generator<Activity> {
    const oldest = Math.max(1, this.#count - ACTIVITY_KEPT + 1);
    for (let id = Math.min(beforeId - 1, this.#count); id >= oldest; id--) {
      const activity = this.#ring[id % ACTIVITY_KEPT];
      if (activity !== undefined) yield activity;
    }
  }

  /** Oldest first. */
  dump(): readonly Activity[] {
    return [...this.before()].reverse();
  }

  load(dump: readonly Activity[]): void {
    for (const activity of dump) {
      this.#count = activity.id;
      this.#ring[activity.id % ACTIVITY_KEPT] = activity;
    }
  }
}

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
