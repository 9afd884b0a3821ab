/** Excludes shares from the comparison that do not belong to this ledger, and lists recent bookings. */

import { add, type Micros, micros, parseDecimal, sub, ZERO } from '../../shared/base/micros.js';
import type { Ledger } from '../ledger/contract.js';
import { type Difference, type Moves, outcomeKey } from './differences.js';
import { StoredMemory } from './stored-memory.js';

/** Shares that an operator left out. If a failed trade among `failedTrades` settles later, they are compared again. */
interface LeftOut {
  readonly subject: string;
  readonly amount: number;
  readonly failedTrades: readonly string[];
}

type OpeningLedger = Pick<Ledger, 'note' | 'setNote' | 'positions' | 'newestSeq' | 'failedTrades'>;

/**
 * Shares that the comparison skips: those held before this ledger, and those that an operator left out. If a failed
 * trade settles later, the shares left out are compared again.
 */
export class OpeningShares {
  readonly #ledger: OpeningLedger;
  /** Amounts held before this ledger, by outcome; null before the first comparison. */
  readonly #opening: StoredMemory<readonly (readonly [string, Micros])[] | null>;
  readonly #leftOut: StoredMemory<readonly LeftOut[]>;

  constructor(ledger: OpeningLedger) {
    this.#ledger = ledger;
    this.#opening = new StoredMemory(ledger, 'opening_shares', null);
    this.#leftOut = new StoredMemory(ledger, 'left_out_shares', []);
  }

  /** Skipped shares by outcome. The first call may store `theirs`, the shares at the exchange, as opening shares. */
  readOpening(theirs: ReadonlyMap<string, Micros>): ReadonlyMap<string, Micros> {
    if (this.#opening.value === null) {
      const isFirst = this.#ledger.positions().length === 0 && this.#ledger.newestSeq('fills') === 0;
      this.#opening.value = isFirst ? [...theirs].filter(([, amount]) => amount !== 0) : [];
    }
    const opening = new Map(this.#opening.value);
    for (const { subject, amount } of this.#leftOutStill())
      opening.set(subject, add(opening.get(subject) ?? ZERO, micros(amount)));
    return opening;
  }

  /** Skips the difference of this outcome from now on. False when its figures are not amounts. */
  leaveOut({ subject, ledger, exchange }: Difference): boolean {
    const [theirs, ours] = [parseDecimal(exchange), parseDecimal(ledger)];
    if (theirs === null || ours === null) return false;
    const failedTrades = this.#ledger
      .failedTrades()
      .filter(({ marketConditionId, isYes }) => outcomeKey(marketConditionId, isYes) === subject)
      .map(({ pubkey }) => pubkey);
    this.#leftOut.value = [...this.#leftOut.value, { subject, amount: sub(theirs, ours), failedTrades }];
    return true;
  }

  /** True while an operator has left out shares of this outcome. */
  leavesOut(outcome: string): boolean {
    const amounts = this.#leftOut.value.filter(({ subject }) => subject === outcome);
    return amounts.reduce((sum, { amount }) => sum + amount, 0) !== 0;
  }

  /** Skips nothing any more, after the ledger has adopted all shares of the exchange. */
  onAdopted(): void {
    this.#opening.value = [];
    this.#leftOut.value = [];
  }

  /** Drops shares left out whose failed trade has settled since, and returns the others. */
  #leftOutStill(): readonly LeftOut[] {
    const leftOut = this.#leftOut.value;
    if (leftOut.length === 0) return leftOut;
    const failed = new Set(this.#ledger.failedTrades().map(({ pubkey }) => pubkey));
    const still = leftOut.filter(({ failedTrades }) => failedTrades.every((pubkey) => failed.has(pubkey)));
    this.#leftOut.value = still;
    return still;
  }
}

/** Number of latest bookings that are checked: more than happen within some seconds. */
const MOST_MOVES = 100;

/** Bookings since a time, by outcome. */
export interface Lately {
  readonly moves: ReadonlyMap<string, Moves>;
  /** Orders with fills since that time. */
  readonly orders: ReadonlySet<string>;
}

export function bookedSince(
  ledger: Pick<Ledger, 'fillsAfter' | 'conversionsAfter' | 'newestSeq'>,
  sinceMs: number,
): Lately {
  const newest = (of: 'fills' | 'conversions') => Math.max(0, ledger.newestSeq(of) - MOST_MOVES);
  const fills = ledger.fillsAfter(newest('fills')).flatMap(({ row }) => (row.seenMs < sinceMs ? [] : [row]));
  const conversions = ledger
    .conversionsAfter(newest('conversions'))
    .flatMap(({ row }) => (row.seenMs < sinceMs ? [] : [row]));
  const moves = new Map<string, { fills: Micros[]; conversions: Micros[] }>();
  const of = (market: string, isYes: boolean) => {
    const outcome = outcomeKey(market, isYes);
    const known = moves.get(outcome) ?? { fills: [], conversions: [] };
    moves.set(outcome, known);
    return known;
  };
  for (const { marketConditionId, isYes, side, amountMicros } of fills.reverse())
    of(marketConditionId, isYes).fills.push(side === 'buy' ? amountMicros : sub(ZERO, amountMicros));
  for (const { marketConditionId, yesMicros, noMicros } of conversions.reverse()) {
    of(marketConditionId, true).conversions.push(sub(ZERO, yesMicros));
    of(marketConditionId, false).conversions.push(sub(ZERO, noMicros));
  }
  return { moves, orders: new Set(fills.map(({ orderPubkey }) => orderPubkey)) };
}
