/**
 * A margin market's reference price, and the pool, which is the counterparty of every position. The pool lends,
 * receives users' losses and pays users' profits. The pool's balance may become negative.
 */

import { assert } from '../../../shared/base/errors.js';
import { formatDecimal, ONE, parseDecimal, stepOfPrecision } from '../../../shared/base/micros.js';
import type { MarginActivity } from '../../../shared/protocol/states.js';
import { invalid, ok, type PoolConfigSpec, type Refusal, type Result } from '../contract.js';
import { asMicros } from '../money.js';
import { type Ending, ownPrice } from './economics.js';

/** Rules of a margin market: rates, leverages and sizes in micros. */
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
  /** Minimum funds of a market request (decisions §4). */
  readonly minFunds: number;
  /** Minimum size of a position, from `order_min_size`; 0 if the market has no minimum. */
  readonly minShares: number;
  readonly priceStep: number;
  readonly sharesStep: number;
}

/** Minimum funds of a market request, by kind of market (decisions §4): "min 1 on `hyperliquid`, 5 on `polymarket`". */
const MIN_FUNDS = { polymarket: 5 * ONE, hyperliquid: ONE } as const;
const MAX_LEVERAGE = 1000 * ONE;
const MAX_ANNUAL_RATE = 100 * ONE;

/** Reads a margin market's rules from its configuration, or refuses its first wrong field. */
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

/** Refuses a value that is not a multiple of the step; returns null for a multiple. Value and step are in micros. */
export function offGrid(field: string, value: number, step: number): Refusal | null {
  return value % step === 0 ? null : invalid(field, `Must be a multiple of ${formatDecimal(asMicros(step))}.`);
}

/** Refuses a price at which no position can be sold; null if the price is valid. */
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

/** One public activity of a margin market: an opening, increase or end of a position. */
export interface Activity {
  /** Number of the activity within its market, from 1. */
  readonly id: number;
  readonly type: MarginActivity;
  readonly account: number;
  readonly isYes: boolean;
  readonly leverage: number;
  /** Number of shares that the activity bought or sold. */
  readonly shares: number;
  /** Price of the activity, for the position's outcome. */
  readonly price: number;
  /** Realized profit or loss; null if nothing was realized. */
  readonly realizedPnl: number | null;
  readonly timeMs: number;
}

/** Keeps the newest activities of one market and drops older activities. */
class ActivityRing {
  #count = 0;
  /** The activity with number `id` is stored at `id % ACTIVITY_KEPT`. */
  readonly #ring: Activity[] = [];

  add(activity: Omit<Activity, 'id'>): void {
    this.#count += 1;
    this.#ring[this.#count % ACTIVITY_KEPT] = { id: this.#count, ...activity };
  }

  /** Returns activities with ids below `beforeId`, newest first. */
  *before(beforeId = Number.POSITIVE_INFINITY): Generator<Activity> {
    const oldest = Math.max(1, this.#count - ACTIVITY_KEPT + 1);
    for (let id = Math.min(beforeId - 1, this.#count); id >= oldest; id--) {
      const activity = this.#ring[id % ACTIVITY_KEPT];
      if (activity !== undefined) yield activity;
    }
  }

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

/** Default initial reference price of a margin market. */
export const DEFAULT_REFERENCE = ONE / 2;

/** The counterparty of all positions of one market, with this market's reference price. */
export class MarginPool {
  readonly rules: MarginRules;
  /** The reference price is in YES space, strictly between 0 and 1. */
  referencePrice: number;
  /** Users' money that the pool holds: funded requests, user_liquidity of open positions, and unpaid settlements. */
  held = 0;
  /** The pool's own money; negative if it has paid more than it received. */
  balance = 0;
  readonly activity = new ActivityRing();
  readonly openPositions = new Set<number>();
  /** Ids of submitted position requests that have not ended. */
  readonly pendingRequests = new Set<number>();

  /** Throws AssertionFailed for invalid rules, which the creation of a market already refuses. */
  constructor(config: PoolConfigSpec, referencePrice: number) {
    const rules = readRules(config);
    assert(rules.ok, 'the rules of a margin market must be valid');
    this.rules = rules.value;
    this.referencePrice = referencePrice;
  }

  /** Returns the reference price of an outcome. */
  mark(isYes: boolean): number {
    return ownPrice(this.referencePrice, isYes);
  }

  /** Returns ids of open positions in order of creation, so that a restored exchange checks them in that order. */
  positionIds(): readonly number[] {
    return [...this.openPositions].sort((a, b) => a - b);
  }

  requestIds(): readonly number[] {
    return [...this.pendingRequests].sort((a, b) => a - b);
  }

  maxLeverage(isYes: boolean): number {
    return isYes ? this.rules.maxLeverageYes : this.rules.maxLeverageNo;
  }

  /** Splits the liquidity of an ended position into payout, closing fee and pool money. */
  end(userLiquidity: number, { payout, closingFee }: Ending): void {
    this.held += payout - userLiquidity;
    this.balance += userLiquidity - payout - closingFee;
  }

  dump() {
    const { referencePrice, held, balance } = this;
    return { referencePrice, held, balance, activity: this.activity.dump() };
  }

  /** Restores the pool without `openPositions` and `pendingRequests`, which the records' own `load` fills. */
  load(dump: ReturnType<MarginPool['dump']>): void {
    this.referencePrice = dump.referencePrice;
    this.held = dump.held;
    this.balance = dump.balance;
    this.activity.load(dump.activity);
  }
}
