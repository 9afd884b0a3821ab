/**
 * What the ledger has to book so that it holds what the exchange holds. Records of the exchange say what currency moved;
 * shares without a record remain as a rest, which is booked at its price.
 */

import { type Micros, micros, sub, ZERO } from '../../shared/base/micros.js';
import type { AdoptedMove, AdoptedOutcome } from '../ledger/contract.js';
import { type Moved, negate, outcomeKey, parseMarket } from './differences.js';
import type { LackingFills } from './independent-fill-count.js';

/** A move of one outcome that the ledger lacks. */
export interface RecordedMove extends AdoptedMove {
  readonly outcome: string;
}

/** Shares by outcome in the ledger and at the exchange, and the booking. */
export interface AdoptionOfOutcome extends Omit<AdoptedOutcome, 'restWorthMicros'> {
  readonly ledgerMicros: Micros;
  readonly exchangeMicros: Micros;
}

export type Adoption = readonly AdoptionOfOutcome[];

interface Holdings {
  readonly theirs: ReadonlyMap<string, Micros>;
  readonly ours: ReadonlyMap<string, Micros>;
  /** Nothing of this outcome is in flight. */
  readonly isKnown: (outcome: string) => boolean;
  readonly recorded: readonly RecordedMove[];
}

/** Every outcome that needs a booking; a text names an outcome whose state is unknown now. */
export function planAdoption({ theirs, ours, isKnown, recorded }: Holdings): Adoption | string {
  const plan: AdoptionOfOutcome[] = [];
  const outcomes = new Set([...theirs.keys(), ...ours.keys(), ...recorded.map(({ outcome }) => outcome)]);
  for (const outcome of [...outcomes].sort()) {
    const [exchangeMicros, ledgerMicros] = [theirs.get(outcome) ?? ZERO, ours.get(outcome) ?? ZERO];
    const moves = recorded.filter((move) => move.outcome === outcome);
    if (exchangeMicros === ledgerMicros && moves.length === 0) continue;
    if (!isKnown(outcome)) return `shares of ${outcome} are on their way`;
    // Bought shares may have been sold again: purchases first.
    const inOrder = moves.toSorted((a, b) => Math.sign(b.sharesMicros) - Math.sign(a.sharesMicros));
    const explained = moves.reduce((sum, { sharesMicros }) => sum + sharesMicros, 0);
    plan.push({
      marketConditionId: parseMarket(outcome),
      isYes: outcome === outcomeKey(parseMarket(outcome), true),
      recorded: inOrder,
      restMicros: micros(exchangeMicros - ledgerMicros - explained),
      ledgerMicros,
      exchangeMicros,
    });
  }
  return plan;
}

export function moveOfFills({ market, isYes, side, amount, worth, fees }: LackingFills): RecordedMove {
  const sign = side === 'buy' ? 1 : -1;
  const outcome = outcomeKey(market, isYes);
  return {
    outcome,
    sharesMicros: micros(sign * amount),
    spentMicros: micros(sign * worth),
    feesMicros: micros(fees),
  };
}

/** A complete set is worth the same by either outcome: each gets half of the currency. */
export function movesOfConversion(market: string, moved: Moved | null): readonly RecordedMove[] {
  if (moved === null) return [];
  const spent = negate(moved.cash);
  const half = micros(Math.trunc(spent / 2));
  const move = (isYes: boolean, given: Micros | null, spentMicros: Micros): RecordedMove => {
    const sharesMicros = negate(given ?? ZERO);
    return { outcome: outcomeKey(market, isYes), sharesMicros, spentMicros, feesMicros: ZERO };
  };
  return [move(true, moved.yes, half), move(false, moved.no, sub(spent, half))];
}
