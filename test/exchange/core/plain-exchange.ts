/**
 * The slow obvious exchange: one array of orders, sorted anew for every incoming one, balances as BigInt, locks counted
 * from scratch. What the fast one is compared with.
 */

const ONE = 1_000_000n;
const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** Math.min for BigInt. */
function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

export interface PlainRules {
  readonly tick: bigint;
  readonly lot: bigint;
  readonly least: bigint;
  readonly most: bigint;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
}

interface PlainOrder {
  readonly id: number;
  readonly account: number;
  readonly bid: boolean;
  /** True: sells the shares it holds. False: buys the complement (an ask buys NO, a bid buys YES). */
  readonly sells: boolean;
  readonly price: bigint;
  left: bigint;
  /** Of a resting buy of a limited account: all that it could lock when it came to rest. */
  lockable: bigint | null;
}

export interface PlainTrade {
  readonly maker: number;
  readonly taker: number;
  readonly price: bigint;
  readonly amount: bigint;
  readonly makerFee: bigint;
  readonly takerFee: bigint;
  /** Whether the taker traded YES. */
  readonly isYes: boolean;
}

interface PlainAccount {
  readonly unlimited: boolean;
  funds: bigint;
  yes: bigint;
  no: bigint;
}

export type PlainOutcome = { readonly kind: 'refused' | 'gone' | 'rests'; readonly filled: bigint };

export class PlainExchange {
  readonly accounts: PlainAccount[] = [];
  orders: PlainOrder[] = [];
  fees = 0n;
  /** In YES space, oldest first. */
  trades: PlainTrade[] = [];
  /** How often each way to trade came to pass, as `BUY YES`; a taker and a maker count alike. */
  readonly legs = new Map<string, number>();
  readonly #rules: PlainRules;

  constructor(rules: PlainRules) {
    this.#rules = rules;
  }

  open(unlimited: boolean, funds: bigint): void {
    this.accounts.push({ unlimited, funds, yes: 0n, no: 0n });
  }

  /** Currency that a buy of `amount` keeps locked. */
  #lock(order: PlainOrder): bigint {
    if (order.sells) return 0n;
    const { makerRate, takerRate } = this.#rules;
    const cost = ceilDiv((order.bid ? order.price : ONE - order.price) * order.left, ONE);
    const lock = cost + ceilDiv(-lesser(-makerRate, -takerRate) * cost, ONE);
    return order.lockable === null ? lock : lesser(lock, order.lockable);
  }

  lockedFunds(account: number): bigint {
    return this.#of(account).reduce((sum, order) => sum + this.#lock(order), 0n);
  }

  /** Bids sell NO, asks sell YES. */
  lockedShares(account: number, isYes: boolean): bigint {
    const sells = this.#of(account).filter((order) => order.sells && order.bid !== isYes);
    return sells.reduce((sum, order) => sum + order.left, 0n);
  }

  #of(account: number): PlainOrder[] {
    return this.orders.filter((order) => order.account === account);
  }

  #account(account: number): PlainAccount {
    const found = this.accounts[account];
    if (found === undefined) throw new Error(`no account ${account}`);
    return found;
  }

  place(id: number, account: number, bid: boolean, price: bigint, amount: bigint, immediate: boolean): PlainOutcome {
    const { tick, lot, least, most } = this.#rules;
    const refused = { kind: 'refused', filled: 0n } as const;
    if (price % tick !== 0n || price < least || price > most || amount <= 0n || amount % lot !== 0n) return refused;
    const own = this.#account(account);
    const held = (bid ? own.no : own.yes) - this.lockedShares(account, !bid);
    const order: PlainOrder = { id, account, bid, sells: held >= amount, price, left: amount, lockable: null };
    if (!own.unlimited && own.funds - this.lockedFunds(account) < this.#lock(order)) return refused;
    const stopped = this.#match(order);
    const filled = amount - order.left;
    if (order.left === 0n || immediate || stopped) return { kind: 'gone', filled };
    if (!own.unlimited) order.lockable = own.funds - this.lockedFunds(account);
    this.orders.push(order);
    return { kind: 'rests', filled };
  }

  /** True when it met its own account. */
  #match(order: PlainOrder): boolean {
    const facing = this.orders
      .filter(
        (other) => other.bid !== order.bid && (order.bid ? other.price <= order.price : other.price >= order.price),
      )
      .sort((a, b) => (a.price === b.price ? a.id - b.id : a.price < b.price === order.bid ? -1 : 1));
    for (const other of facing) {
      if (order.left === 0n) return false;
      if (other.account === order.account) return true;
      this.#trade(order, other);
    }
    return false;
  }

  #trade(taker: PlainOrder, maker: PlainOrder): void {
    const amount = lesser(taker.left, maker.left);
    taker.left -= amount;
    maker.left -= amount;
    if (maker.left === 0n) this.orders = this.orders.filter((order) => order !== maker);
    const yesCost = (maker.price * amount) / ONE;
    const makerFee = this.#settle(maker, amount, yesCost, this.#rules.makerRate);
    const takerFee = this.#settle(taker, amount, yesCost, this.#rules.takerRate);
    const isYes = taker.bid !== taker.sells;
    this.trades.push({ maker: maker.id, taker: taker.id, price: maker.price, amount, makerFee, takerFee, isYes });
  }

  #settle(order: PlainOrder, amount: bigint, yesCost: bigint, rate: bigint): bigint {
    const own = this.#account(order.account);
    const isYes = order.bid !== order.sells;
    const cost = isYes ? yesCost : amount - yesCost;
    let fee = ceilDiv(rate * cost, ONE);
    // What the roundings of many small fills add to the lock of the whole is the exchange's loss.
    if (!order.sells && !own.unlimited) fee = lesser(fee, own.funds - this.lockedFunds(order.account) - cost);
    own.funds += (order.sells ? cost : -cost) - fee;
    this.fees += fee;
    const change = order.sells ? -amount : amount;
    if (isYes) own.yes += change;
    else own.no += change;
    const leg = `${order.sells ? 'SELL' : 'BUY'} ${isYes ? 'YES' : 'NO'}`;
    this.legs.set(leg, (this.legs.get(leg) ?? 0) + 1);
    return fee;
  }

  cancel(id: number): boolean {
    const before = this.orders.length;
    this.orders = this.orders.filter((order) => order.id !== id);
    return this.orders.length < before;
  }

  /** Price and amount of each level, best first. */
  levels(bid: boolean): readonly string[] {
    const sums = new Map<bigint, bigint>();
    for (const order of this.orders) {
      if (order.bid === bid) sums.set(order.price, (sums.get(order.price) ?? 0n) + order.left);
    }
    return [...sums].sort(([a], [b]) => (a < b === bid ? 1 : -1)).map(([price, amount]) => `${price}:${amount}`);
  }
}
