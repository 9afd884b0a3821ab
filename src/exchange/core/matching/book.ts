/**
 * One market's book in YES space. Each tick has recorded amounts, and a queue of the accounts' real orders as a linked
 * list in the order pool. Real bids and real asks never share a tick, so both sides use the same arrays.
 */

import { ASK, BID, type MatchingSide } from '../contract.js';
import { f64, fillSparse, i32, sparse } from '../money.js';
import type { FillModel } from './fill-model.js';
import { isBidLeg, type OrderPool } from './order-pool.js';

/** Result of a tick search that finds no tick. */
export const NO_TICK = -1;

const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits);
const highest = (bits: number): number => 31 - Math.clz32(bits);

/** A set of ticks with fast search in both directions: one bit per tick, and one summary bit per word. */
export class TickSet {
  readonly #words: Int32Array;
  readonly #summary: Int32Array;

  constructor(size: number) {
    const words = (size + 31) >>> 5;
    this.#words = new Int32Array(words);
    this.#summary = new Int32Array((words + 31) >>> 5);
  }

  add(tick: number): void {
    const word = tick >>> 5;
    this.#words[word] = i32(this.#words, word) | (1 << (tick & 31));
    this.#summary[word >>> 5] = i32(this.#summary, word >>> 5) | (1 << (word & 31));
  }

  remove(tick: number): void {
    const word = tick >>> 5;
    const left = i32(this.#words, word) & ~(1 << (tick & 31));
    this.#words[word] = left;
    if (left === 0) this.#summary[word >>> 5] = i32(this.#summary, word >>> 5) & ~(1 << (word & 31));
  }

  /** Smallest tick of the set that is at least `from`; NO_TICK if there is none. */
  up(from: number): number {
    const word = from >>> 5;
    if (word >= this.#words.length) return NO_TICK;
    const bits = i32(this.#words, word) & (-1 << (from & 31));
    if (bits !== 0) return (word << 5) + lowest(bits);
    // In JavaScript a shift by 32 bits shifts by 0, so the last word of a group needs its own mask.
    let mask = (word & 31) === 31 ? 0 : -1 << ((word & 31) + 1);
    for (let group = word >>> 5; group < this.#summary.length; group++) {
      const groupBits = i32(this.#summary, group) & mask;
      if (groupBits !== 0) {
        const found = (group << 5) + lowest(groupBits);
        return (found << 5) + lowest(i32(this.#words, found));
      }
      mask = -1;
    }
    return NO_TICK;
  }

  /** Largest tick of the set that is at most `from`; NO_TICK if there is none. */
  down(from: number): number {
    if (from < 0) return NO_TICK;
    const word = from >>> 5;
    const bits = i32(this.#words, word) & (-1 >>> (31 - (from & 31)));
    if (bits !== 0) return (word << 5) + highest(bits);
    let mask = (1 << (word & 31)) - 1;
    for (let group = word >>> 5; group >= 0; group--) {
      const groupBits = i32(this.#summary, group) & mask;
      if (groupBits !== 0) {
        const found = (group << 5) + highest(groupBits);
        return (found << 5) + highest(i32(this.#words, found));
      }
      mask = -1;
    }
    return NO_TICK;
  }
}

/** Cells of a recorded level: its amount, the part taken by real orders, and the trades since its last change. */
const STRIDE = 4;
const EATEN = 1;
const TRADED = 2;

/**
 * One side of a recorded order book, by level; amounts in micros. Visible amounts exclude the part eaten (taken) by
 * real orders. Eaten amounts stay stored over a gap of the recording, because the recording ignores real orders.
 */
class RecordedSide {
  /** Ticks where real orders have not eaten the whole recorded amount. */
  readonly shown: TickSet;
  /** Ticks with a recorded amount, even if real orders have eaten all of it. */
  readonly held: TickSet;
  readonly #cells: Float64Array;

  constructor(ticks: number) {
    this.#cells = new Float64Array(ticks * STRIDE);
    this.shown = new TickSet(ticks);
    this.held = new TickSet(ticks);
  }

  displayedAmount(tick: number): number {
    const at = tick * STRIDE;
    return Math.max(0, f64(this.#cells, at) - f64(this.#cells, at + EATEN));
  }

  /** Returns the recorded amount at a level, including the eaten part. */
  total(tick: number): number {
    return f64(this.#cells, tick * STRIDE);
  }

  /** Returns the amount already known at a level: the recorded amount, or the eaten amount if it is larger. */
  knownAmount(tick: number): number {
    const at = tick * STRIDE;
    return Math.max(f64(this.#cells, at), f64(this.#cells, at + EATEN));
  }

  tradedAmount(tick: number): number {
    return f64(this.#cells, tick * STRIDE + TRADED);
  }

  /** Sets a level's recorded amount. A decrease first reduces the visible amount; an increase adds to it. */
  change(tick: number, total: number): void {
    const cells = this.#cells;
    const at = tick * STRIDE;
    const eaten = f64(cells, at + EATEN);
    const before = Math.max(0, f64(cells, at) - eaten);
    const stays = Math.min(eaten, total);
    cells[at] = total;
    cells[at + EATEN] = stays;
    cells[at + TRADED] = 0;
    const after = total - stays;
    // Most changes need no call of `#note`, because the level stays visible and has no eaten amount.
    if (before > 0 !== after > 0 || eaten > 0) this.#note(tick);
  }

  trade(tick: number, amount: number): void {
    const at = tick * STRIDE + TRADED;
    this.#cells[at] = f64(this.#cells, at) + amount;
  }

  eat(tick: number, amount: number): void {
    const at = tick * STRIDE + EATEN;
    this.#cells[at] = f64(this.#cells, at) + amount;
    this.#note(tick);
  }

  #note(tick: number): void {
    if (this.displayedAmount(tick) > 0) this.shown.add(tick);
    else this.shown.remove(tick);
    if (this.total(tick) > 0) this.held.add(tick);
    else this.held.remove(tick);
  }

  /** Removes all recorded amounts of the book. Eaten amounts stay stored until a call of `forgetGone`. */
  clear(): void {
    for (let tick = this.shown.up(0); tick >= 0; tick = this.shown.up(tick + 1)) this.shown.remove(tick);
    for (let tick = this.held.up(0); tick >= 0; tick = this.held.up(tick + 1)) this.held.remove(tick);
    for (let at = 0; at < this.#cells.length; at += STRIDE) {
      this.#cells[at] = 0;
      this.#cells[at + TRADED] = 0;
    }
  }

  /** True if an eaten amount is stored for a level that the recording no longer shows. */
  remembersGone(): boolean {
    for (let at = 0; at < this.#cells.length; at += STRIDE) if (this.#isGone(at)) return true;
    return false;
  }

  /** Forgets eaten amounts of levels that the recording no longer shows. If such a level returns, it counts as new. */
  forgetGone(): void {
    for (let at = 0; at < this.#cells.length; at += STRIDE) if (this.#isGone(at)) this.#cells[at + EATEN] = 0;
  }

  #isGone(at: number): boolean {
    return f64(this.#cells, at) === 0 && f64(this.#cells, at + EATEN) > 0;
  }

  dump() {
    const column = (cell: number): number[] => sparse(this.#cells, STRIDE, cell);
    return { total: column(0), eaten: column(EATEN), traded: column(TRADED) };
  }

  load(dump: ReturnType<RecordedSide['dump']>): void {
    for (const [cell, pairs] of [dump.total, dump.eaten, dump.traded].entries())
      fillSparse(this.#cells, pairs, STRIDE, cell);
    for (let i = 0; i < dump.total.length; i += 2) this.#note(dump.total[i] ?? 0);
  }
}

/** Queues of one market's real orders by tick, and the recorded amounts. */
export class MatchingBook {
  /** Best ticks of the real bids and asks; NO_TICK without an order. */
  bestBid = NO_TICK;
  bestAsk = NO_TICK;
  /** Recorded amounts by side; null if the market has no recording. */
  recorded: readonly [RecordedSide, RecordedSide] | null = null;
  /** True from a clear of partly eaten levels until the recording's next snapshot is complete. */
  awaitsSnapshot = false;

  readonly model: FillModel;
  readonly #pool: OrderPool;
  readonly #lot: number;
  readonly #ticks: number;
  readonly #head: Int32Array;
  readonly #tail: Int32Array;
  readonly #amount: Float64Array;
  readonly #bids: TickSet;
  readonly #asks: TickSet;
  /** By side: first tick at which a recorded amount could trade with the other side's real orders; negated for asks. */
  readonly #reachedFrom = new Int32Array(2);
  /** Time of the recording's next book snapshot, Unix ms; infinite until its first level arrives. */
  #snapshotMs = Number.POSITIVE_INFINITY;

  /** `ticks`: number of ticks from price 0 to price 1. `lot`: smallest step of share amounts, micros. */
  constructor(pool: OrderPool, model: FillModel, ticks: number, lot: number) {
    this.model = model;
    this.#pool = pool;
    this.#lot = lot;
    this.#ticks = ticks + 1;
    this.#head = new Int32Array(this.#ticks);
    this.#tail = new Int32Array(this.#ticks);
    this.#amount = new Float64Array(this.#ticks);
    this.#bids = new TickSet(this.#ticks);
    this.#asks = new TickSet(this.#ticks);
    this.#rememberBest();
  }

  head(tick: number): number {
    return i32(this.#head, tick);
  }

  /** Adds a slot's order to its tick's queue. The fill model determines the recorded amount ahead of a new order. */
  join(slot: number): void {
    const pool = this.#pool;
    const tick = i32(pool.tick, slot);
    const bid = isBidLeg(pool.leg[slot] ?? 0);
    const recorded = this.recorded;
    pool.ahead[slot] = recorded === null ? 0 : this.model.aheadOnJoin(recorded[bid ? BID : ASK].displayedAmount(tick));
    this.append(slot, tick, bid);
  }

  append(slot: number, tick: number, bid: boolean): void {
    const pool = this.#pool;
    const last = i32(this.#tail, tick);
    pool.prev[slot] = last;
    pool.next[slot] = 0;
    this.#tail[tick] = slot;
    this.#amount[tick] = f64(this.#amount, tick) + f64(pool.remaining, slot);
    if (last !== 0) {
      pool.next[last] = slot;
      return;
    }
    this.#head[tick] = slot;
    if (bid) {
      this.#bids.add(tick);
      if (tick > this.bestBid) this.bestBid = tick;
    } else {
      this.#asks.add(tick);
      if (this.bestAsk === NO_TICK || tick < this.bestAsk) this.bestAsk = tick;
    }
    this.#rememberBest();
  }

  /** Reduces a resting order by `amount`. A reduced order keeps its place in the queue. */
  reduce(slot: number, amount: number): void {
    const pool = this.#pool;
    const tick = i32(pool.tick, slot);
    pool.remaining[slot] = f64(pool.remaining, slot) - amount;
    this.#amount[tick] = f64(this.#amount, tick) - amount;
  }

  leave(slot: number): void {
    const pool = this.#pool;
    const tick = i32(pool.tick, slot);
    const before = i32(pool.prev, slot);
    const after = i32(pool.next, slot);
    if (before === 0) this.#head[tick] = after;
    else pool.next[before] = after;
    if (after === 0) this.#tail[tick] = before;
    else pool.prev[after] = before;
    this.#amount[tick] = f64(this.#amount, tick) - f64(pool.remaining, slot);
    if (before === 0 && after === 0) this.#dropTick(tick, isBidLeg(pool.leg[slot] ?? 0));
  }

  #dropTick(tick: number, bid: boolean): void {
    if (bid) {
      this.#bids.remove(tick);
      if (tick === this.bestBid) this.bestBid = this.#bids.down(tick - 1);
    } else {
      this.#asks.remove(tick);
      if (tick === this.bestAsk) this.bestAsk = this.#asks.up(tick + 1);
    }
    this.#rememberBest();
  }

  /** True if a recorded amount of `side` at `tick` could trade with the best real order of the other side. */
  isReached(side: number, tick: number): boolean {
    // Ticks of asks are negated to avoid a branch, which would be mispredicted for half of all events.
    return (tick ^ -side) + side >= i32(this.#reachedFrom, side);
  }

  #rememberBest(): void {
    this.#reachedFrom[BID] = this.bestAsk === NO_TICK ? this.#ticks : this.bestAsk;
    this.#reachedFrom[ASK] = -this.bestBid;
  }

  /** Best tick of a side at which an amount is recorded, even if all of it is eaten; NO_TICK if there is none. */
  bestRecorded(side: MatchingSide): number {
    return this.recorded === null ? NO_TICK : this.#findBest(side, this.recorded[side].held);
  }

  /** Best tick of a side at which a recorded amount is not fully eaten; NO_TICK if there is none. */
  bestShown(side: MatchingSide): number {
    return this.recorded === null ? NO_TICK : this.#findBest(side, this.recorded[side].shown);
  }

  #findBest(side: MatchingSide, ticks: TickSet): number {
    return side === BID ? ticks.down(this.#ticks - 1) : ticks.up(0);
  }

  /** Best tick of a side with a real order or an uneaten recorded amount; NO_TICK for an empty side. */
  best(side: MatchingSide): number {
    const real = side === BID ? this.bestBid : this.bestAsk;
    return this.recorded === null ? real : betterTick(side, real, this.bestShown(side));
  }

  /** Next visible tick of a side at a worse price than `tick`; NO_TICK if there is none. */
  nextShown(side: MatchingSide, tick: number): number {
    const bid = side === BID;
    const real = bid ? this.#bids.down(tick - 1) : this.#asks.up(tick + 1);
    if (this.recorded === null) return real;
    const shown = this.recorded[side].shown;
    return betterTick(side, real, bid ? shown.down(tick - 1) : shown.up(tick + 1));
  }

  /** True if the real orders of a tick are on this side. */
  #isOn(side: MatchingSide, tick: number): boolean {
    const first = i32(this.#head, tick);
    return first !== 0 && isBidLeg(this.#pool.leg[first] ?? 0) === (side === BID);
  }

  /** Slot of a side's first real order at a tick; 0 if the side has none. Recorded levels may cross real orders. */
  headOn(side: MatchingSide, tick: number): number {
    return this.#isOn(side, tick) ? i32(this.#head, tick) : 0;
  }

  displayedAmount(side: MatchingSide, tick: number): number {
    const real = this.#isOn(side, tick) ? f64(this.#amount, tick) : 0;
    return this.recorded === null ? real : real + this.recorded[side].displayedAmount(tick);
  }

  /** Returns the recorded amounts of both sides; creates empty sides for a book without a recording. */
  openRecorded(): readonly [RecordedSide, RecordedSide] {
    this.recorded ??= [new RecordedSide(this.#ticks), new RecordedSide(this.#ticks)];
    return this.recorded;
  }

  /** Sets the amount of a recorded level. The fill model decides how a level's real orders advance in the queue. */
  changeRecorded(side: MatchingSide, tick: number, total: number): void {
    const level = this.openRecorded()[side];
    const first = this.headOn(side, tick);
    if (first === 0) level.change(tick, total);
    else this.#changeBeside(first, level, tick, total);
  }

  eatRecorded(side: MatchingSide, tick: number, amount: number): void {
    if (amount > 0) this.openRecorded()[side].eat(tick, amount);
  }

  #changeBeside(first: number, level: RecordedSide, tick: number, total: number): void {
    const { ahead, next } = this.#pool;
    const before = level.displayedAmount(tick);
    const traded = level.tradedAmount(tick);
    level.change(tick, total);
    const after = level.displayedAmount(tick);
    for (let slot = first; slot !== 0; slot = i32(next, slot))
      ahead[slot] = this.model.aheadAfterChange(f64(ahead, slot), before, after, traded, this.#lot);
  }

  /** Removes all recorded amounts of the book. Amounts ahead of orders and eaten amounts stay for the next snapshot. */
  clearRecorded(nowMs: number): void {
    if (this.recorded === null) return;
    if (nowMs > this.#snapshotMs) this.#endSnapshot();
    for (const side of this.recorded) side.clear();
    this.#awaitSnapshot(this.recorded);
  }

  /** Handles a recorded level after a clear. Levels with the same time as the first one form the new snapshot. */
  levelComes(nowMs: number): void {
    if (nowMs > this.#snapshotMs) this.#endSnapshot();
    else if (this.awaitsSnapshot) this.#snapshotMs = nowMs;
  }

  #awaitSnapshot(sides: readonly RecordedSide[]): void {
    this.awaitsSnapshot = sides.some((side) => side.remembersGone());
    this.#snapshotMs = Number.POSITIVE_INFINITY;
  }

  #endSnapshot(): void {
    for (const side of this.recorded ?? []) side.forgetGone();
    this.awaitsSnapshot = false;
    this.#snapshotMs = Number.POSITIVE_INFINITY;
  }

  /** Slots of all real orders: bids from the lowest tick up, then asks; at equal ticks in queue order. */
  resting(): number[] {
    const slots: number[] = [];
    for (const set of [this.#bids, this.#asks]) {
      for (let tick = set.up(0); tick !== NO_TICK; tick = set.up(tick + 1))
        for (let slot = i32(this.#head, tick); slot !== 0; slot = i32(this.#pool.next, slot)) slots.push(slot);
    }
    return slots;
  }

  dumpRecorded() {
    return this.recorded === null ? null : this.recorded.map((side) => side.dump());
  }

  loadRecorded(dump: ReturnType<MatchingBook['dumpRecorded']>): void {
    if (dump === null) return;
    const sides = this.openRecorded();
    for (const [index, side] of sides.entries()) {
      const saved = dump[index];
      if (saved !== undefined) side.load(saved);
    }
    this.#awaitSnapshot(sides);
  }
}

/** Returns the better of two ticks on a side; if one of them is NO_TICK, returns the other one. */
function betterTick(side: MatchingSide, a: number, b: number): number {
  return side === BID || a === NO_TICK || b === NO_TICK ? Math.max(a, b) : Math.min(a, b);
}
