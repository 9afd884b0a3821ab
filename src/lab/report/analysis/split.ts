/** Splits one market's result into its sources. Sums are BigInt values in 10^-12 of currency, rounded at the end. */

import { type Micros, micros, mul, ONE } from '../../../shared/base/micros.js';
import { settledValue } from '../../../shared/protocol/outcome.js';
import type { MarketSession } from '../../session/contract.js';
import { Holdings, listMoves, type Move, sharesMoved } from '../../session/holdings.js';

/**
 * result = spread + drift - fees + merges + settlement + undivided, to the micro.
 *
 * - spread: for each fill, shares times the distance of its price from the mid.
 * - drift: gain or loss of held shares while the mid moved, until they were sold or the market closed. Drift includes
 *   the rounding error of all parts, at most 4 micros per market.
 * - fees: paid fees, as a positive number.
 * - merges: currency for complete sets minus the value of the sets; 0 except for rounding.
 * - settlement: change from the last mid to the outcome, for shares that are still held.
 * - undivided: the part that cannot be assigned, because a mid is unknown or shares were adopted.
 */
export interface ResultSplit {
  readonly resultMicros: number;
  /** Spread and drift are null if no fill has a known mid; settlement is null if no settled share has a known mid. */
  readonly spreadMicros: number | null;
  readonly driftMicros: number | null;
  readonly feesMicros: number;
  readonly mergesMicros: number;
  readonly settlementMicros: number | null;
  readonly undividedMicros: number;
}

/** Sums splits of several markets. A part of the sum is null only if it is unknown in every market. */
export function sumSplits(splits: readonly ResultSplit[]): ResultSplit {
  // In a market without fills every part is 0; such a part must not hide an unknown part of another market.
  const traded = splits.filter((split) => Object.values(split).some((part) => part !== 0));
  return {
    resultMicros: sum(splits.map((split) => split.resultMicros)),
    spreadMicros: knownSum(traded.map((split) => split.spreadMicros)),
    driftMicros: knownSum(traded.map((split) => split.driftMicros)),
    feesMicros: sum(splits.map((split) => split.feesMicros)),
    mergesMicros: sum(splits.map((split) => split.mergesMicros)),
    settlementMicros: knownSum(traded.map((split) => split.settlementMicros)),
    undividedMicros: sum(splits.map((split) => split.undividedMicros)),
  };
}

/** Returns the sum of integers. Throws RangeError if the sum exceeds the exact range of a double. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => micros(total + value), 0);

function knownSum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 && values.length > 0 ? null : sum(known);
}

/** Returns the sum of the values; null if any value is unknown. */
export const sumIfAll = (values: readonly (number | null)[]): number | null =>
  values.some((value) => value === null) ? null : sum(values.filter((value) => value !== null));

/** Groups a list's rows by a key. Groups are in order of their first rows; each group keeps its rows' order. */
export function groupBy<T, Key>(rows: readonly T[], keyOf: (row: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Returns a part as a fraction of the whole; null for an unknown value, or a whole of 0. */
export const share = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole === 0 ? null : part / whole;

export type ValuationBasis = 'nothing held' | 'outcome' | 'mark' | 'cost';

export type MarketResult = ReturnType<typeof splitMarket>;

/** Splits a market's result. `yesMicros` and `noMicros`: shares held after all fills and conversions. */
export function splitMarket(market: MarketSession) {
  const walk = new SplitWalk();
  for (const move of listMoves(market)) walk.move(move);
  const { cashMicros, yesMicros, noMicros } = walk.held;
  const end = valueEnd(market, walk);
  walk.end(end);
  const split = roundSplit(walk, micros(cashMicros + end.valueMicros));
  return { split, yesMicros, noMicros, endValueMicros: end.valueMicros, valuedAt: end.valuedAt };
}

type End = Readonly<{ markMicros: number | null; valueMicros: number; valuedAt: ValuationBasis }>;

/** Values the final shares: at the outcome; otherwise at the last mid; without a mid at cost. */
function valueEnd({ outcome, endMarkMicros }: MarketSession, { held, lastMark }: SplitWalk): End {
  const { yesMicros: yes, noMicros: no } = held;
  const markMicros = endMarkMicros ?? lastMark;
  if (yes === 0 && no === 0) return { markMicros, valueMicros: 0, valuedAt: 'nothing held' };
  if (outcome !== null) return { markMicros, valueMicros: settledValue(outcome, yes, no), valuedAt: 'outcome' };
  if (markMicros === null) return { markMicros, valueMicros: held.costMicros, valuedAt: 'cost' };
  return { markMicros, valueMicros: worth(yes, no, markMicros), valuedAt: 'mark' };
}

/** Computes the value of shares at a mid. The value is an estimate, so it is rounded down, as in the ledger. */
const worth = (yes: number, no: number, markMicros: number): number =>
  mul(micros(yes), micros(markMicros), 'floor') + mul(micros(no), micros(ONE - markMicros), 'floor');

/** Rounds the parts to whole micros. The rounding error goes into the drift or, without drift, the undivided part. */
function roundSplit(walk: SplitWalk, resultMicros: Micros): ResultSplit {
  const { feesMicros } = walk.held;
  const mergesMicros = nearest(walk.merges);
  const settlementMicros = isKnown(walk.settlements) ? nearest(walk.settlement) : null;
  const part = { resultMicros, feesMicros, mergesMicros, settlementMicros };
  const rest = resultMicros + feesMicros - mergesMicros - (settlementMicros ?? 0);
  if (!isKnown(walk.fills)) return { ...part, spreadMicros: null, driftMicros: null, undividedMicros: rest };
  const spreadMicros = nearest(walk.spread);
  const undividedMicros = nearest(walk.undivided);
  return { ...part, spreadMicros, driftMicros: rest - spreadMicros - undividedMicros, undividedMicros };
}

/** Rounds to the nearest micro, halves away from zero. */
function nearest(value: bigint): number {
  const whole = ((value < 0n ? -value : value) + UNIT / 2n) / UNIT;
  return micros(Number(value < 0n ? -whole : whole));
}

const UNIT = BigInt(ONE);

/** Returns the value of shares at a YES price, in millionths of millionths. */
const valueAt = (yes: number, no: number, markMicros: number): bigint =>
  BigInt(yes) * BigInt(markMicros) + BigInt(no) * BigInt(ONE - markMicros);

/** A part of the result is unknown, not 0, if it has fills or settlements, but none of them has a known mid. */
const isKnown = ({ known, unknown }: SplitWalk['fills']): boolean => known > 0 || unknown === 0;

/** Assigns each change of value to a part of the result. While the mid is unknown, changes go to `undivided`. */
class SplitWalk {
  spread = 0n;
  merges = 0n;
  settlement = 0n;
  undivided = 0n;
  /** Number of fills with a known mid, and number of fills with an unknown mid. */
  readonly fills = { known: 0, unknown: 0 };
  readonly settlements = { known: 0, unknown: 0 };
  readonly held = new Holdings();
  #mark: number | null = null;
  /** Value of the held shares before the first fill or conversion without a known mid, and currency flow since then. */
  #open: { readonly worthBefore: bigint; cash: bigint } | null = null;

  get lastMark(): number | null {
    return this.#open === null ? this.#mark : null;
  }

  move(move: Move): void {
    const { yes, no } = sharesMoved(move);
    const cash = BigInt(move.cashMicros) * UNIT;
    // A complete set (one YES and one NO share) is worth 1 at any price, so its value needs no mid.
    const isSets = yes === no;
    const isValued = isSets || move.markMicros !== null;
    if (move.markMicros !== null) this.#markAt(move.markMicros);
    if (move.kind === 'fill') this.fills[isValued ? 'known' : 'unknown']++;
    if (move.kind === 'redeem') this.settlements[isValued ? 'known' : 'unknown']++;
    if (!isValued) this.#leaveOpen(cash);
    else this.#book(move.kind, cash + valueAt(yes, no, move.markMicros ?? 0), isSets ? valueAt(yes, no, 0) : 0n);
    this.held.move(move);
  }

  /** Ends the calculation after the last fill or conversion: values the shares at the last mid, then at the outcome. */
  end({ markMicros, valueMicros, valuedAt }: End): void {
    if (markMicros !== null) this.#markAt(markMicros);
    const finalWorth = BigInt(valueMicros) * UNIT;
    const mark = this.lastMark;
    if (valuedAt === 'outcome') this.settlements[mark !== null ? 'known' : 'unknown']++;
    if (this.#open !== null) this.#close(finalWorth);
    else if (valuedAt === 'outcome' && mark !== null)
      this.settlement += finalWorth - valueAt(this.held.yesMicros, this.held.noMicros, mark);
  }

  #book(kind: Move['kind'], gain: bigint, setsGone: bigint): void {
    if (kind === 'fill') this.spread += gain;
    else if (kind === 'redeem') this.settlement += gain;
    else if (kind === 'adopt') this.undivided += gain;
    else this.merges += gain;
    // While the mid is unknown, merged sets must not count as a loss.
    if (this.#open !== null) this.#open.cash -= setsGone;
  }

  #leaveOpen(cash: bigint): void {
    const worthBefore = this.#mark === null ? 0n : valueAt(this.held.yesMicros, this.held.noMicros, this.#mark);
    this.#open ??= { worthBefore, cash: 0n };
    this.#open.cash += cash;
  }

  /** Continues the calculation with a known mid. Drift needs no sum: it is the result minus all other parts. */
  #markAt(markMicros: number): void {
    if (this.#open !== null) this.#close(valueAt(this.held.yesMicros, this.held.noMicros, markMicros));
    this.#mark = markMicros;
  }

  #close(worthNow: bigint): void {
    if (this.#open === null) return;
    this.undivided += worthNow + this.#open.cash - this.#open.worthBefore;
    this.#open = null;
  }
}
