import { assert } from '../../../shared/base/errors.js';
import { ONE, parseDecimal, stepOfPrecision } from '../../../shared/base/micros.js';
import type { MarginActivity } from '../../../shared/protocol/states.js';
import { invalid, offGrid, ok, type PoolConfigSpec, type Refusal } from '../contract.js';
import { type Ending, ownPrice } from './economics.js';

/** Rules of a margin market: rates, leverages and sizes in micros. */
type MarginRules = Readonly<Extract<ReturnType<typeof readRules>, { ok: true }>['value']>;

/** Minimum funds of a market request, by kind of market (decisions §4): "min 1 on `hyperliquid`, 5 on `polymarket`". */
const MIN_FUNDS = { polymarket: 5 * ONE, hyperliquid: ONE } as const;
const MAX_LEVERAGE = 1000 * ONE;
const MAX_ANNUAL_RATE = 100 * ONE;

/** Reads a margin market's rules from its configuration, or refuses its first wrong field. */
export function readRules(config: PoolConfigSpec) {
  const wrong: string[] = [];
  const check = (name: string, value: number | null, least: number, most: number): number => {
    if (value !== null && value >= least && value <= most) return value;
    wrong.push(name);
    return least;
  };
  const read = (name: RateName, least: number, most: number) => check(name, parseDecimal(config[name]), least, most);
  const readStep = (name: string, decimals: number, least: number): number =>
    stepOfPrecision(check(name, Number.isInteger(decimals) ? decimals : null, least, 6));
  const rates = {
    kind: config.kind,
    maxLeverageYes: read('max_leverage_yes', ONE, MAX_LEVERAGE),
    maxLeverageNo: read('max_leverage_no', ONE, MAX_LEVERAGE),
    openingRate: read('opening_fee', 0, ONE),
    /** Closing fee rate on the value of the shares when a position wins or is liquidated. */
    closingRate: read('closing_fee', 0, ONE),
    annualRate: read('annual_fee_rate', 0, MAX_ANNUAL_RATE),
    minFunds: MIN_FUNDS[config.kind],
  };
  let sizes = { minShares: 0, priceStep: 1, sharesStep: 1 };
  if (config.kind === 'polymarket') {
    sizes = {
      minShares: check('order_min_size', parseDecimal(config.order_min_size ?? '0'), 0, Number.MAX_SAFE_INTEGER),
      priceStep: readStep('price_decimals', config.price_decimals, 1),
      sharesStep: readStep('shares_decimals', config.shares_decimals, 0),
    };
  }
  return wrong.length === 0 ? ok({ ...rates, ...sizes }) : invalid('config', `${wrong[0]} is out of range.`);
}

type RateName = 'max_leverage_yes' | 'max_leverage_no' | 'opening_fee' | 'closing_fee' | 'annual_fee_rate';

/** Returns a refusal for a price off the price grid or not between 0 and 1; null for a valid or absent price. */
export function badPrice(field: string, price: number | null, { priceStep }: MarginRules): Refusal | null {
  if (price === null) return null;
  return price <= 0 || price >= ONE ? invalid(field, 'Must lie between 0 and 1.') : offGrid(field, price, priceStep);
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
  readonly shares: number;
  /** Price of the activity, for the position's outcome. */
  readonly price: number;
  /** Realized profit or loss; null if nothing was realized. */
  readonly realizedPnl: number | null;
  readonly timeMs: number;
}

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

/** The counterparty of one market's positions. The pool lends, receives users' losses and pays users' profits. */
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

  /** Restores the pool except for `openPositions` and `pendingRequests`; loading positions and requests fills these. */
  load(dump: ReturnType<MarginPool['dump']>): void {
    ({ referencePrice: this.referencePrice, held: this.held, balance: this.balance } = dump);
    this.activity.load(dump.activity);
  }
}
