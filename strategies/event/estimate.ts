/** Estimates the prices of an event's outcomes from all its books, and shifts them for the shares held. */

import { type EventOutcomes, eventReservationPrices } from '../../src/trader/strategy/strategy.js';
import { ROUNDING } from '../common/quotes.js';
import { falling, findRise, nestedReservationPrices } from './nested.js';
import { addingUp, type Reading } from './outcomes.js';

/** Observations of all markets of an event. Each list has the order of the event's markets. */
export interface EventSight {
  /** Price of each market by its own book; null where the book is not usable. */
  readonly readings: readonly (Reading | null)[];
  /** Newest mid of each market's book, of any age; null where a side is empty. */
  readonly mids: readonly (number | null)[];
  /** Net position (YES minus NO) in each market, in shares. */
  readonly net: readonly number[];
  /** Number of the event's markets without any book. */
  readonly unseen: number;
}

/** Estimated price of one outcome. */
interface Outcome extends Reading {
  /** Centre of the quotes, shifted for the shares held in all outcomes of the event. */
  readonly centre: number;
}

export interface EventEstimate {
  /** Estimates in the order of the event's markets; null where a book is not usable. */
  readonly outcomes: readonly (Outcome | null)[];
  /** True if every outcome of an exhaustive event has a usable book. */
  readonly isWhole: boolean;
  /** Figures that `twinbook explain` shows, by name. */
  readonly factors: Readonly<Record<string, number>>;
}

interface Rules {
  readonly max_sum_error: number;
  readonly min_known: number;
  readonly risk_aversion: number;
}

/** Returns the estimate, or one sentence that says why the event should not be quoted. */
export function estimateEvent(kind: EventOutcomes, sight: EventSight, rules: Rules): EventEstimate | string {
  const known = sight.readings.flatMap((reading, index) => (reading === null ? [] : [{ ...reading, index }]));
  const part = knownPart(kind, sight);
  if (known.length === 0) return 'no outcome has a usable book';
  if (part < rules.min_known - ROUNDING)
    return `outcomes with a usable book have a total probability of ${part.toFixed(4)}, ${rules.min_known} is needed`;
  const isWhole = kind === 'exhaustive' && known.length === sight.readings.length && sight.unseen === 0;
  const mids = known.map(({ mid }) => mid);
  const sum = mids.reduce((all, mid) => all + mid, 0);
  const wrong = kind === 'nested' ? findRise(mids) : isWhole ? Math.abs(sum - 1) : Math.max(0, sum - 1);
  if (wrong > rules.max_sum_error + ROUNDING)
    return kind === 'nested'
      ? `an outcome’s mid exceeds that of a wider threshold by ${wrong.toFixed(4)}, at most ${rules.max_sum_error} is accepted`
      : `the mids of the outcomes add up to ${sum.toFixed(4)}; a difference of ${rules.max_sum_error} from 1 is accepted`;
  const together = kind === 'nested' ? falling(known) : isWhole || sum > 1 ? addingUp(known) : known;
  const prices = together.map(({ mid }) => Math.min(1, Math.max(LEAST_PRICE, mid)));
  const net = known.map(({ index }) => sight.net[index] ?? 0);
  const centres =
    kind === 'nested'
      ? nestedReservationPrices(prices, rules.risk_aversion, net)
      : exclusivePrices(prices, rules.risk_aversion, net);
  const outcomes: (Outcome | null)[] = sight.readings.map(() => null);
  for (const [at, { index }] of known.entries()) {
    const [reading, centre] = [together[at], centres[at]];
    if (reading !== undefined && centre !== undefined) outcomes[index] = { ...reading, centre };
  }
  return { outcomes, isWhole, factors: { outcomes: known.length, sum_price: sum, known_part: part } };
}

const LEAST_PRICE = 1e-6;

/**
 * Fraction of the event's probability, by the newest mids, that belongs to outcomes with a usable book. Nested outcomes
 * do not share one probability, so for them: fraction of outcomes with a usable book.
 */
function knownPart(kind: EventOutcomes, { readings, mids, unseen }: EventSight): number {
  if (kind === 'nested') return readings.filter((reading) => reading !== null).length / (readings.length + unseen);
  const known = readings.reduce((sum, reading) => sum + (reading?.mid ?? 0), 0);
  const all = readings.reduce((sum, reading, index) => sum + (reading?.mid ?? mids[index] ?? 0), 0);
  // In an exhaustive event the remaining probability belongs to the unseen outcomes.
  const whole = kind === 'exhaustive' ? Math.max(1, all) : all;
  const hasUnknown = unseen > 0 || readings.includes(null);
  return hasUnknown ? known / whole : 1;
}

/** Prices of exclusive outcomes. The case that no outcome comes true counts as one more outcome without shares held. */
function exclusivePrices(prices: readonly number[], gamma: number, net: readonly number[]): readonly number[] {
  const none = 1 - prices.reduce((all, price) => all + price, 0);
  if (none <= LEAST_PRICE) return eventReservationPrices(prices, gamma, net);
  return eventReservationPrices([...prices, none], gamma, [...net, 0]);
}
