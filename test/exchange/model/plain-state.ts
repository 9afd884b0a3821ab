/**
 * The plain reference model of the exchange: lists of records without stored sums. Locks follow from the records that
 * hold them, priority from sorting, due events from scanning every record. Slow and obvious, without code of
 * src/exchange: an agreement of both is independent evidence.
 */

export const ONE = 1_000_000;

/** Money, amounts, prices and rates are whole millionths. */
export interface PlainRules {
  readonly tick: number;
  readonly lot: number;
  readonly fundsStep: number;
  readonly price: readonly [least: number, most: number];
  readonly amount: readonly [least: number, most: number];
  readonly funds: readonly [least: number, most: number];
  readonly makerRate: number;
  readonly takerRate: number;
}

export interface PlainMarket {
  readonly id: string;
  /** Null: a market without an order book. */
  readonly rules: PlainRules | null;
  readonly hasMargin: boolean;
  state: string;
  paused: boolean;
  unbacked: boolean;
  outcome: boolean | null;
  /** Deposits for shares that were not paid out yet. */
  collateral: number;
  volume: number;
  readonly trades: PlainTrade[];
}

/** The public form: in the space of the taker's outcome. */
export interface PlainTrade {
  readonly amount: number;
  readonly price: number;
  readonly makerFee: number;
  readonly takerFee: number;
  readonly timeMs: number;
  readonly isYes: boolean;
}

export interface PlainAccount {
  readonly wallet: string | null;
  readonly unlimited: boolean;
  custodial: boolean;
  funds: number;
  /** By market. */
  readonly yes: number[];
  readonly no: number[];
}

export interface PlainOrder {
  /** The pubkey from the exchange; empty for an internal order. */
  pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly isYes: boolean;
  readonly buys: boolean;
  readonly price: number | null;
  readonly amount: number | null;
  readonly funds: number | null;
  readonly expiresMs: number;
  status: string;
  filled: number;
  /** Currency paid with fees, or received after fees. */
  moved: number;
  /** Time priority among all resting orders; null while the order does not rest. */
  place: number | null;
  /** Maximum lock of a resting buy, set when it starts to rest. */
  lockable: number;
  cancel: { readonly expiresMs: number; submitted: boolean } | null;
}

export interface PlainOwnTrade {
  readonly order: PlainOrder;
  readonly amount: number;
  readonly price: number;
  readonly fee: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

export interface PlainConversion {
  pubkey: string;
  readonly kind: 'merge' | 'split';
  readonly account: number;
  readonly market: number;
  readonly amount: number;
  readonly createdMs: number;
  readonly expiresMs: number;
  landsMs: number;
  state: string;
}

export interface PlainRedeem {
  pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly yes: number;
  readonly no: number;
  readonly createdMs: number;
  readonly expiresMs: number;
  state: string;
}

export class PlainState {
  readonly accounts: PlainAccount[] = [];
  readonly markets: PlainMarket[] = [];
  readonly orders: PlainOrder[] = [];
  readonly ownTrades: PlainOwnTrade[] = [];
  readonly conversions: PlainConversion[] = [];
  readonly redeems: PlainRedeem[] = [];
  nowMs = 0;
  signing = true;
  fees = 0;
  deposited = 0;
  /** Number of places assigned. */
  arrivals = 0;
  /** Reports events, to count the coverage of a test. */
  readonly seen: (what: string) => void;

  constructor(seen: (what: string) => void) {
    this.seen = seen;
  }

  account(account: number): PlainAccount {
    const found = this.accounts[account];
    if (found === undefined) throw new Error(`no account ${account}`);
    return found;
  }

  market(market: number): PlainMarket {
    const found = this.markets[market];
    if (found === undefined) throw new Error(`no market ${market}`);
    return found;
  }

  /** Executes everything due by `nowMs`; due events do not depend on each other. */
  pass(nowMs: number): void {
    this.nowMs = Math.max(this.nowMs, nowMs);
    for (const order of this.orders) {
      if (order.status === 'waiting_to_sign' && order.expiresMs <= this.nowMs) {
        order.status = 'expired';
        this.seen('order expired');
      }
    }
    for (const record of [...this.conversions, ...this.redeems]) {
      if (record.state === 'waiting_to_sign' && record.expiresMs <= this.nowMs) {
        record.state = 'expired';
        this.seen(`${'kind' in record ? record.kind : 'redeem'} expired`);
      }
    }
    for (const record of this.conversions)
      if (record.state === 'in_process' && record.landsMs <= this.nowMs) this.#land(record);
  }

  #land(record: PlainConversion): void {
    const { account, market, amount, kind } = record;
    const closed = whyClosed(kind, this.market(market));
    if (closed !== null) {
      record.state = 'failed';
      return this.seen(`${kind} failed: ${closed}`);
    }
    const change = kind === 'split' ? amount : -amount;
    const own = this.account(account);
    own.funds -= change;
    own.yes[market] = this.held(account, market, true) + change;
    own.no[market] = this.held(account, market, false) + change;
    this.market(market).collateral += change;
    record.state = 'done';
    this.seen(`${kind} landed`);
  }

  held(account: number, market: number, isYes: boolean): number {
    const { yes, no } = this.account(account);
    return (isYes ? yes : no)[market] ?? 0;
  }

  /** Currency that resting buys and unfinished splits hold. */
  lockedFunds(account: number): number {
    let sum = 0;
    for (const order of this.orders) if (order.account === account && order.buys) sum += this.#lockOf(order);
    for (const record of this.conversions)
      if (record.account === account && record.kind === 'split' && isUnfinished(record)) sum += record.amount;
    return sum;
  }

  lockedShares(account: number, market: number, isYes: boolean): number {
    let sum = 0;
    for (const order of this.orders) {
      const isIt = order.account === account && order.market === market && !order.buys && order.isYes === isYes;
      if (isIt) sum += this.#lockOf(order);
    }
    for (const record of this.conversions) {
      const isIt = record.account === account && record.market === market && record.kind === 'merge';
      if (isIt && isUnfinished(record)) sum += record.amount;
    }
    for (const record of this.redeems) {
      const isIt = record.account === account && record.market === market && isUnfinished(record);
      if (isIt) sum += isYes ? record.yes : record.no;
    }
    return sum;
  }

  /** The lock of one resting order: currency of a buy, shares of a sell. */
  #lockOf(order: PlainOrder): number {
    if (order.place === null) return 0;
    const left = (order.amount ?? 0) - order.filled;
    if (!order.buys) return left;
    return Math.min(order.lockable, buyLock(this.rulesOf(order.market), order.price ?? 0, left));
  }

  rulesOf(market: number): PlainRules {
    const { rules } = this.market(market);
    if (rules === null) throw new Error(`market ${market} has no book`);
    return rules;
  }

  availableFunds(account: number): number {
    const { unlimited, funds } = this.account(account);
    return unlimited ? Number.POSITIVE_INFINITY : funds - this.lockedFunds(account);
  }

  availableShares(account: number, market: number, isYes: boolean): number {
    return this.held(account, market, isYes) - this.lockedShares(account, market, isYes);
  }

  resting(market: number): PlainOrder[] {
    return this.orders.filter((order) => order.market === market && order.place !== null);
  }
}

export const isUnfinished = ({ state }: { readonly state: string }): boolean =>
  state === 'waiting_to_sign' || state === 'in_process';

/** Whether orders may be placed and matched. */
export const isTrading = (market: PlainMarket): boolean => market.state === 'open' && !market.paused;

/** Why no merge or split can start or land now. */
export function whyClosed(kind: PlainConversion['kind'], market: PlainMarket): string | null {
  if (market.state !== 'open') return 'share_conversion_market_not_open';
  if (market.paused) return 'share_conversion_market_paused';
  return kind === 'merge' && market.unbacked ? 'share_merge_market_has_unbacked_collateral' : null;
}

export const isSettled = (market: PlainMarket): boolean => market.state === 'resolved' || market.state === 'canceled';

/** Any state until it is settled; `resolved` needs an outcome, which this control does not have. */
export const mayMove = (from: string, to: string) => from !== 'resolved' && from !== 'canceled' && to !== 'resolved';

export function floorTimes(rate: number, amount: number): number {
  return Number((BigInt(rate) * BigInt(amount)) / BigInt(ONE));
}

export function ceilTimes(rate: number, amount: number): number {
  return Number((BigInt(rate) * BigInt(amount) + BigInt(ONE - 1)) / BigInt(ONE));
}

/** The lock of an open buy: its cost, and the fee at the higher rate. */
export function buyLock(rules: PlainRules, price: number, amount: number): number {
  const cost = ceilTimes(price, amount);
  return cost + ceilTimes(Math.max(rules.makerRate, rules.takerRate), cost);
}
