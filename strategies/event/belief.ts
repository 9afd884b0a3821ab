/** Prices of an event's outcomes from all its books, and their value for the present holdings. */

import { type EventOutcomes, eventReservationPrices } from '../../src/trader/strategy/strategy.js';
import { falling, findRise, nestedReservationPrices } from './nested.js';
import { addingUp, type Reading } from './outcomes.js';

/** Observations of an event; lists follow its markets. */
export interface EventSight {
  /** Null where a book is none to go by. */
  readonly readings: readonly (Reading | null)[];
  /** The newest middles, however old; null where a book has not two sides. */
  readonly mids: readonly (number | null)[];
  /** YES less NO, in shares. */
  readonly net: readonly number[];
  /** Markets of the event without any book. */
  readonly unseen: number;
}

/** Belief about one outcome. */
interface Outcome extends Reading {
  /** Centre of the quotes, shifted for the holdings in all outcomes: the risk of the event, not of the market. */
  readonly centre: number;
}

export interface EventBelief {
  /** By the markets; null where its book is none to go by. */
  readonly outcomes: readonly (Outcome | null)[];
  /** All outcomes of an exhaustive event are known. */
  readonly isWhole: boolean;
  /** For `explain`. */
  readonly factors: Readonly<Record<string, number>>;
}

interface Rules {
  readonly max_sum_error: number;
  readonly min_known: number;
  readonly risk_aversion: number;
}

/** Returns the belief, or one sentence why the event should not be quoted. */
export function believe(kind: EventOutcomes, sight: EventSight, rules: Rules): EventBelief | string {
  const known = sight.readings.flatMap((reading, index) => (reading === null ? [] : [{ ...reading, index }]));
  const part = knownPart(kind, sight);
  if (known.length === 0) return 'no outcome has a book to go by';
  if (part < rules.min_known - ROUNDING)
    return `outcomes with a book to go by have ${part.toFixed(4)} of the probability, ${rules.min_known} is wanted`;
  const isWhole = kind === 'exhaustive' && known.length === sight.readings.length && sight.unseen === 0;
  const mids = known.map(({ mid }) => mid);
  const sum = mids.reduce((all, mid) => all + mid, 0);
  const wrong = kind === 'nested' ? findRise(mids) : isWhole ? Math.abs(sum - 1) : Math.max(0, sum - 1);
  if (wrong > rules.max_sum_error)
    return kind === 'nested'
      ? `an outcome is ${wrong.toFixed(4)} above a wider one, at most ${rules.max_sum_error} is quoted`
      : `the outcomes add up to ${sum.toFixed(4)}, at most ${rules.max_sum_error} off is quoted`;
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

const ROUNDING = 1e-9;
const LEAST_PRICE = 1e-6;

/** Share of the probability, by the newest middles; for nested outcomes, which share none, of their number. */
function knownPart(kind: EventOutcomes, { readings, mids, unseen }: EventSight): number {
  if (kind === 'nested') return readings.filter((reading) => reading !== null).length / (readings.length + unseen);
  const known = readings.reduce((sum, reading) => sum + (reading?.mid ?? 0), 0);
  const all = readings.reduce((sum, reading, index) => sum + (reading?.mid ?? mids[index] ?? 0), 0);
  // In an exhaustive event the rest of one belongs to the unseen outcomes.
  const whole = kind === 'exhaustive' ? Math.max(1, all) : all;
  const hasUnknown = unseen > 0 || readings.includes(null);
  return hasUnknown ? known / whole : 1;
}

/** Prices for exclusive outcomes. The case that no outcome comes true counts as one more outcome without holdings. */
function exclusivePrices(prices: readonly number[], gamma: number, net: readonly number[]): readonly number[] {
  const none = 1 - prices.reduce((all, price) => all + price, 0);
  if (none <= LEAST_PRICE) return eventReservationPrices(prices, gamma, net);
  return eventReservationPrices([...prices, none], gamma, [...net, 0]);
}
