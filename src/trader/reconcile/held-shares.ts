/** The shares that the exchange says we hold, and those of them that are not this ledger's business. */

import { parseDecimal } from '../../shared/base/decimal.js';
import { must } from '../../shared/base/errors.js';
import { add, type Micros, micros, sub, ZERO } from '../../shared/base/micros.js';
import type { AssetRow } from '../../shared/protocol/records.js';
import type { Report } from '../../shared/protocol/seam.js';
import type { Ledger } from '../ledger/contract.js';
import { type Difference, type Moves, outcomeKey } from './differences.js';
import type { ListCursorStep } from './list-cursor.js';
import { PageWalk } from './page-walk.js';
import type { Reading } from './round.js';

const OPENING_NOTE = 'opening_shares';

/** The list of what the account holds, read whole. */
export class AssetsReading implements Reading {
  #walk = newAssetsWalk();

  get rows(): readonly AssetRow[] {
    return this.#walk.rows;
  }

  begin(): void {
    this.#walk = newAssetsWalk();
  }

  onReport(report: Report): ListCursorStep {
    const step = this.#walk.onReport(report);
    if (step.kind === 'void') return step;
    return step.next === null ? { kind: 'complete' } : { kind: 'more', next: step.next };
  }
}

const newAssetsWalk = () => new PageWalk<'account.assets'>((row) => row.token.symbol);

/**
 * Shares that the wallet held before this ledger's first start, and what a person has taken note of since: left alone, and
 * left out of every comparison.
 */
export class OpeningShares {
  readonly #ledger: Pick<Ledger, 'note' | 'setNote' | 'positions' | 'newestSeq'>;

  constructor(ledger: Pick<Ledger, 'note' | 'setNote' | 'positions' | 'newestSeq'>) {
    this.#ledger = ledger;
  }

  /** By outcome. @param theirs what the exchange shows; the first time this is asked it may become the answer */
  over(theirs: ReadonlyMap<string, Micros>): ReadonlyMap<string, Micros> {
    const stored = this.#ledger.note(OPENING_NOTE);
    if (stored !== null) return readOpening(stored);
    const isFirst = this.#ledger.positions().length === 0 && this.#ledger.newestSeq('fills') === 0;
    const opening = new Map(isFirst ? [...theirs].filter(([, amount]) => amount !== 0) : []);
    this.#store(opening);
    return opening;
  }

  /** What differs in an outcome is nobody's business from now on. */
  leaveOut({ subject, ledger, exchange }: Difference): void {
    const opening = new Map(readOpening(this.#ledger.note(OPENING_NOTE) ?? '[]'));
    const beyond = sub(must(parseDecimal(exchange), exchange), must(parseDecimal(ledger), ledger));
    opening.set(subject, add(opening.get(subject) ?? ZERO, beyond));
    this.#store(opening);
  }

  #store(opening: ReadonlyMap<string, Micros>): void {
    this.#ledger.setNote(OPENING_NOTE, JSON.stringify([...opening]));
  }
}

/** More than move within some seconds. */
const MOST_MOVES = 100;

/** What was booked after `sinceMs` (our clock). */
export interface Lately {
  readonly moves: ReadonlyMap<string, Moves>;
  /** Orders with fills among them. */
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

/** What was stored above; the ledger is ours, so a note that does not read is a bug and throws. */
export function readOpening(note: string): ReadonlyMap<string, Micros> {
  const rows = JSON.parse(note) as readonly (readonly [string, number])[];
  return new Map(rows.map(([subject, amount]) => [subject, micros(amount)]));
}
