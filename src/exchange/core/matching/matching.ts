/**
 * The matching engine matches an incoming order with a book by price-time priority, and moves currency and shares.
 * Matching allocates no memory. If both sides buy, complete sets (YES + NO) are created; if both sell, complete sets
 * are dissolved. The market's collateral rises with each created set and falls with each dissolved set.
 */

import type { Funds } from '../accounts.js';
import { ASK, BID } from '../contract.js';
import type { Market, Trading } from '../market.js';
import { buyLock, f64, i32, timesDown, timesUp, u8 } from '../money.js';
import { type MatchingBook, NO_TICK } from './book.js';
import { isBidLeg, isBuyLeg, isYesLeg, type LegCode, legOf, type OrderPool } from './order-pool.js';

/** Number of the account that owns all recorded liquidity and has unlimited currency. */
export const RECORDED_ACCOUNT = 0;

/** Listener for the fills of API orders. A fill's price is the price of the order's outcome (YES or NO). */
interface FillListener {
  /** `atCrossing`: true if a newly recorded amount at a crossing price caused the fill. */
  readonly onFill: (
    record: number,
    amount: number,
    price: number,
    cost: number,
    fee: number,
    isMaker: boolean,
    atCrossing: boolean,
  ) => void;
  /** Callback when a resting order is completely filled. */
  onFinish(record: number): void;
}

/** Fills incoming orders from books, and collects the fees. */
export class Matching {
  /** Sum of all fees that the exchange has collected, micros of currency. */
  fees = 0;
  filled = 0;
  /** True if the last `take` ended because it reached an order of the same account. */
  metSelf = false;
  /** True if the last `take` ended because the funds of the market buy were insufficient. */
  outOfFunds = false;

  readonly #pool: OrderPool;
  readonly #funds: Funds;
  readonly #listener: FillListener;
  #nowMs = 0;

  // The state of the incoming order is in fields, not in an object, to avoid an allocation.
  #account = 0;
  #leg: LegCode = legOf(true, true);
  #record = 0;
  #left = 0;
  /** Remaining funds of the incoming market buy. */
  #purse = Number.POSITIVE_INFINITY;
  #atCrossing = false;

  constructor(pool: OrderPool, funds: Funds, listener: FillListener) {
    this.#pool = pool;
    this.#funds = funds;
    this.#listener = listener;
  }

  /** Matches an incoming order up to `limitTick`; returns its unfilled amount. `purse`: maximum buy cost with fees. */
  take(
    nowMs: number,
    trading: Trading,
    account: number,
    leg: LegCode,
    limitTick: number,
    amount: number,
    purse: number,
    record: number,
  ): number {
    this.#nowMs = nowMs;
    this.#account = account;
    this.#leg = leg;
    this.#record = record;
    this.#left = amount;
    this.#purse = purse;
    this.metSelf = false;
    this.outOfFunds = false;
    const book = trading.book;
    const bid = isBidLeg(leg);
    while (this.#left > 0) {
      const tick = book.best(bid ? ASK : BID);
      if (tick === NO_TICK || (bid ? tick > limitTick : tick < limitTick)) break;
      const goesOn = book.recorded === null ? this.#takeReal(trading, tick) : this.#takeMixed(trading, tick);
      if (!goesOn) break;
    }
    this.filled = amount - this.#left;
    return this.#left;
  }

  /** Fills the incoming order with the resting orders at `tick`. Returns false if matching must stop. */
  #takeReal(trading: Trading, tick: number): boolean {
    const pool = this.#pool;
    for (let slot = trading.book.head(tick); slot !== 0 && this.#left > 0; slot = trading.book.head(tick)) {
      if (i32(pool.account, slot) === this.#account) return this.#stopAtSelf();
      const wanted = Math.min(this.#left, f64(pool.remaining, slot));
      const amount = this.#within(trading, tick, wanted);
      if (amount > 0) this.#meet(trading, slot, tick, amount);
      if (amount < wanted) return this.#stopAtPurse();
    }
    return true;
  }

  /** Fills the incoming order at `tick` in queue order, with recorded amounts and real orders. False stops matching. */
  #takeMixed(trading: Trading, tick: number): boolean {
    const pool = this.#pool;
    const book = trading.book;
    const side = isBidLeg(this.#leg) ? ASK : BID;
    const level = book.openRecorded()[side];
    let eaten = 0;
    let goesOn = true;
    let slot = book.headOn(side, tick);
    while (goesOn && this.#left > 0) {
      // After the last real order of the queue, only the rest of the recorded amount remains.
      const before =
        slot === 0 ? level.displayedAmount(tick) : Math.min(level.displayedAmount(tick), f64(pool.ahead, slot) - eaten);
      if (before > 0) {
        const wanted = Math.min(this.#left, before);
        const amount = this.#within(trading, tick, wanted);
        if (amount > 0) this.#meetHouse(trading, tick, amount);
        eaten += amount;
        level.eat(tick, amount);
        if (amount < wanted) goesOn = this.#stopAtPurse();
        continue;
      }
      if (slot === 0) break;
      if (i32(pool.account, slot) === this.#account) {
        goesOn = this.#stopAtSelf();
        break;
      }
      const wanted = Math.min(this.#left, f64(pool.remaining, slot));
      const amount = this.#within(trading, tick, wanted);
      const after = i32(pool.next, slot);
      if (amount > 0) this.#meet(trading, slot, tick, amount);
      if (amount < wanted) goesOn = this.#stopAtPurse();
      slot = after;
    }
    if (eaten > 0) this.#moveUp(book, side, tick, eaten);
    return goesOn;
  }

  /**
   * Plays a recorded trade of `amount`; the taker is a buyer if `taker` is BID. A recorded trade first fills real
   * orders at better prices. At its own price, a recorded trade first takes the recorded amount ahead of each real
   * order. Some fill models fill no real order at the price of a recorded trade.
   */
  recordedTrade(nowMs: number, trading: Trading, taker: number, tick: number, amount: number): void {
    this.#beginRecorded(nowMs, amount);
    const book = trading.book;
    const side = taker === BID ? ASK : BID;
    for (;;) {
      const better = side === ASK ? book.bestAsk : book.bestBid;
      if (better === NO_TICK || this.#left === 0 || (side === ASK ? better >= tick : better <= tick)) break;
      this.#fillByHouse(trading, side, better);
    }
    const level = book.openRecorded()[side];
    const shown = level.displayedAmount(tick);
    let eaten = 0;
    let slot = book.model.fillsAtTouch ? book.headOn(side, tick) : 0;
    while (slot !== 0 && this.#left > 0) {
      const before = Math.min(this.#left, Math.max(0, Math.min(f64(this.#pool.ahead, slot), shown) - eaten));
      eaten += before;
      this.#left -= before;
      this.#printRecorded(trading, taker, tick, before);
      const after = i32(this.#pool.next, slot);
      if (this.#left > 0) this.#fillOneByHouse(trading, side, slot, tick);
      slot = after;
    }
    this.#printRecorded(trading, taker, tick, this.#left);
    eaten += this.#left;
    this.#moveUp(book, side, tick, eaten);
    level.trade(tick, amount);
  }

  /** Trades a newly recorded amount with the real orders that it crosses. Returns the traded amount. */
  recordedArrival(nowMs: number, trading: Trading, side: number, tick: number, amount: number): number {
    this.#beginRecorded(nowMs, amount);
    const book = trading.book;
    this.#atCrossing = true;
    while (this.#left > 0 && book.isReached(side, tick)) {
      if (side === ASK) this.#fillByHouse(trading, BID, book.bestBid);
      else this.#fillByHouse(trading, ASK, book.bestAsk);
    }
    this.#atCrossing = false;
    return amount - this.#left;
  }

  /** Makes the account of recorded liquidity the incoming side of a trade. */
  #beginRecorded(nowMs: number, amount: number): void {
    this.#nowMs = nowMs;
    this.#account = RECORDED_ACCOUNT;
    this.#record = 0;
    this.#purse = Number.POSITIVE_INFINITY;
    this.#left = amount;
  }

  #fillByHouse(trading: Trading, side: number, tick: number): void {
    for (let slot = trading.book.head(tick); slot !== 0 && this.#left > 0; slot = trading.book.head(tick))
      this.#fillOneByHouse(trading, side, slot, tick);
  }

  #fillOneByHouse(trading: Trading, side: number, slot: number, tick: number): void {
    const amount = Math.min(this.#left, f64(this.#pool.remaining, slot));
    this.#leg = legFor(trading.market, RECORDED_ACCOUNT, side === ASK, amount);
    this.#meet(trading, slot, tick, amount);
  }

  /** Adds a recorded trade to the public trades. A taker who sold YES is listed as a buyer of NO. */
  #printRecorded(trading: Trading, taker: number, tick: number, amount: number): void {
    if (amount <= 0) return;
    const price = tick * trading.tick;
    const yes = timesDown(price, amount);
    trading.market.tape.write(this.#nowMs, price, amount, taker === BID ? yes : amount - yes, taker === BID, 0, 0);
  }

  /** Subtracts `taken` recorded shares from the queue ahead of each real order at the tick. */
  #moveUp(book: MatchingBook, side: typeof BID | typeof ASK, tick: number, taken: number): void {
    const ahead = this.#pool.ahead;
    for (let slot = book.headOn(side, tick); slot !== 0; slot = i32(this.#pool.next, slot))
      ahead[slot] = Math.max(0, f64(ahead, slot) - taken);
  }

  #stopAtSelf(): false {
    this.metSelf = true;
    return false;
  }

  #stopAtPurse(): false {
    this.outOfFunds = true;
    return false;
  }

  /** Returns the part of `wanted` shares that the remaining funds can pay at a tick. */
  #within(trading: Trading, tick: number, wanted: number): number {
    if (this.#purse === Number.POSITIVE_INFINITY) return wanted;
    const isYes = isYesLeg(this.#leg);
    const price = isYes ? tick * trading.tick : 1_000_000 - tick * trading.tick;
    return affordable(this.#purse, wanted, price, trading.takerRate, trading.lot, isYes);
  }

  /** Trades `amount` with a resting order, and releases the order's lock for this amount. */
  #meet(trading: Trading, slot: number, tick: number, amount: number): void {
    const pool = this.#pool;
    const account = i32(pool.account, slot);
    const leg = u8(pool.leg, slot);
    const record = i32(pool.record, slot);
    trading.book.reduce(slot, amount);
    const left = f64(pool.remaining, slot);
    if (isBuyLeg(leg)) {
      const before = f64(pool.locked, slot);
      const price = isYesLeg(leg) ? tick * trading.tick : 1_000_000 - tick * trading.tick;
      // The order may have locked less than `buyLock` computes; the method `rest` explains why.
      const still = left === 0 ? 0 : Math.min(before, buyLock(price, left, trading.lockRate));
      pool.locked[slot] = still;
      this.#funds.lock(account, still - before);
    } else trading.market.shares.lock(account, isYesLeg(leg), -amount);
    if (left === 0) {
      trading.book.leave(slot);
      pool.release(slot);
    }
    this.#trade(trading, tick, amount, account, leg, record);
    if (left === 0 && record !== 0) this.#listener.onFinish(record);
  }

  #meetHouse(trading: Trading, tick: number, amount: number): void {
    const leg = legFor(trading.market, RECORDED_ACCOUNT, !isBidLeg(this.#leg), amount);
    this.#trade(trading, tick, amount, RECORDED_ACCOUNT, leg, 0);
  }

  #trade(trading: Trading, tick: number, amount: number, maker: number, makerLeg: LegCode, makerRecord: number): void {
    const price = tick * trading.tick;
    const yes = timesDown(price, amount);
    const takerLeg = this.#leg;
    const makerCost = isYesLeg(makerLeg) ? yes : amount - yes;
    const takerCost = isYesLeg(takerLeg) ? yes : amount - yes;
    const makerFee = this.#move(trading.market, maker, makerLeg, amount, makerCost, trading.makerRate);
    const takerFee = this.#move(trading.market, this.#account, takerLeg, amount, takerCost, trading.takerRate);
    if (isBuyLeg(makerLeg) === isBuyLeg(takerLeg)) trading.market.collateral += isBuyLeg(takerLeg) ? amount : -amount;
    this.#left -= amount;
    if (isBuyLeg(takerLeg)) this.#purse -= takerCost + takerFee;
    trading.market.tape.write(this.#nowMs, price, amount, takerCost, isYesLeg(takerLeg), makerFee, takerFee);
    if (makerRecord !== 0) {
      const own = isYesLeg(makerLeg) ? price : 1_000_000 - price;
      this.#listener.onFill(makerRecord, amount, own, makerCost, makerFee, true, this.#atCrossing);
    }
    if (this.#record !== 0) {
      const own = isYesLeg(takerLeg) ? price : 1_000_000 - price;
      this.#listener.onFill(this.#record, amount, own, takerCost, takerFee, false, false);
    }
  }

  /** Moves currency and shares of one side of a trade. Returns the fee of this side. */
  #move(market: Market, account: number, leg: LegCode, amount: number, cost: number, rate: number): number {
    const funds = this.#funds;
    const isYes = isYesLeg(leg);
    let fee = rate === 0 ? 0 : timesUp(rate, cost);
    if (isBuyLeg(leg)) {
      // Each fill rounds its cost and fee. Many small fills can cost some millionths more than the order locked. The
      // exchange then reduces the fee, even below 0, so that no account pays more than it has.
      fee = Math.min(fee, funds.available(account) - cost);
      funds.add(account, -cost - fee);
      market.shares.receive(this.#nowMs, account, isYes, amount, cost);
    } else {
      funds.add(account, cost - fee);
      market.shares.give(account, isYes, amount, cost);
    }
    if (fee !== 0) market.shares.pay(account, -fee);
    this.fees += fee;
    return fee;
  }

  /** Puts an order's unfilled part into the book, locks its currency or shares and returns the slot of the order. */
  rest(trading: Trading, account: number, leg: LegCode, tick: number, amount: number, record: number): number {
    const pool = this.#pool;
    const slot = pool.take();
    pool.tick[slot] = tick;
    pool.market[slot] = trading.market.index;
    pool.account[slot] = account;
    pool.record[slot] = record;
    pool.leg[slot] = leg;
    pool.remaining[slot] = amount;
    if (isBuyLeg(leg)) {
      const price = isYesLeg(leg) ? tick * trading.tick : 1_000_000 - tick * trading.tick;
      // Rounding of the immediate fills may have left some millionths less than `buyLock` computes.
      const lock = Math.min(buyLock(price, amount, trading.lockRate), this.#funds.available(account));
      pool.locked[slot] = lock;
      this.#funds.lock(account, lock);
    } else {
      pool.locked[slot] = 0;
      trading.market.shares.lock(account, isYesLeg(leg), amount);
    }
    trading.book.join(slot);
    return slot;
  }

  cancel(trading: Trading, slot: number): void {
    const pool = this.#pool;
    const account = i32(pool.account, slot);
    const leg = u8(pool.leg, slot);
    if (isBuyLeg(leg)) this.#funds.lock(account, -f64(pool.locked, slot));
    else trading.market.shares.lock(account, isYesLeg(leg), -f64(pool.remaining, slot));
    trading.book.leave(slot);
    pool.release(slot);
  }
}

/** Cost of a buy including its fee, as a trade charges it. The cost is rounded down for YES, up for NO. */
function computeCharge(price: number, amount: number, rate: number, isYes: boolean): number {
  const cost = isYes ? timesDown(price, amount) : timesUp(price, amount);
  return rate === 0 ? cost : cost + timesUp(rate, cost);
}

/** Largest amount that `funds` can pay at the buyer's price, fee included: `wanted`, or less in multiples of `lot`. */
function affordable(funds: number, wanted: number, price: number, rate: number, lot: number, isYes: boolean) {
  if (computeCharge(price, wanted, rate, isYes) <= funds) return wanted;
  let fits = 0;
  let tooMany = Math.ceil(wanted / lot);
  while (tooMany - fits > 1) {
    const lots = Math.floor((fits + tooMany) / 2);
    if (computeCharge(price, lots * lot, rate, isYes) <= funds) fits = lots;
    else tooMany = lots;
  }
  return fits * lot;
}

/** Leg of a bid or ask on YES: a bid sells available NO, else buys YES; an ask sells available YES, else buys NO. */
export function legFor(market: Market, account: number, bid: boolean, amount: number): LegCode {
  const sells = market.shares.available(account, !bid) >= amount;
  return legOf(bid !== sells, !sells);
}
