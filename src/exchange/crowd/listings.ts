/** The crowd's markets: four slots, each with questions that it lists in turn, and optional further ones. */

import { deriveConditionId } from '../../recording/identity.js';
import type { Micros } from '../../shared/base/micros.js';
import type { Category } from '../../shared/protocol/states.js';
import type { MarketSpec } from '../core/contract.js';

/** A place for one market at a time, with its questions in turn. */
export interface Slot {
  readonly name: string;
  readonly event: string;
  readonly category: Category;
  /** Days from the listing to the midnight (UTC) of its resolution. */
  readonly days: number;
  /** `{date}` is the day of the resolution. Used in turn. */
  readonly questions: readonly string[];
}

const SLOTS: readonly Slot[] = [
  {
    name: 'budget',
    event: 'Votes and launches to watch',
    category: 'politics',
    days: 5,
    questions: [
      'Will the budget bill pass its final vote by {date}?',
      'Will the coalition agree on a new finance minister by {date}?',
      'Will the trade agreement be signed by {date}?',
    ],
  },
  {
    name: 'launch',
    event: 'Votes and launches to watch',
    category: 'tech',
    days: 7,
    questions: [
      'Will a major AI lab release a new flagship model by {date}?',
      'Will a foldable phone top the sales charts on {date}?',
      'Will the heavy rocket reach orbit on its next flight by {date}?',
    ],
  },
  {
    name: 'bitcoin',
    event: 'Where markets close',
    category: 'crypto',
    days: 3,
    questions: [
      'Will Bitcoin close higher on {date} than at the listing of this market?',
      'Will Ether outperform Bitcoin until {date}?',
    ],
  },
  {
    name: 'stocks',
    event: 'Where markets close',
    category: 'finance',
    days: 4,
    questions: [
      'Will the S&P 500 close higher on {date} than at the listing of this market?',
      'Will gold close at a record high before {date}?',
      'Will the 10-year Treasury yield close lower on {date} than at the listing of this market?',
    ],
  },
];

/** Markets per event beyond the shipped ones. */
const MATCHES_AN_EVENT = 5;

/** This many slots, 1 to 1000; the first four are always the shipped ones. */
export const listSlots = (count: number = SLOTS.length): readonly Slot[] =>
  Array.from({ length: count }, (_, n) => SLOTS[n] ?? matchSlot(n + 1 - SLOTS.length));

function matchSlot(number: number): Slot {
  return {
    name: `match-${number}`,
    event: `Round ${Math.ceil(number / MATCHES_AN_EVENT)} of the cup`,
    category: 'sports',
    days: 2 + (number % 6),
    questions: [`Will the home team win match ${number} by {date}?`, `Will match ${number} have a goal before {date}?`],
  };
}

/** Tick of the crowd's markets: one cent. */
export const CROWD_PRICE_PRECISION = 2;
const CROWD_AMOUNT_PRECISION = 2;
const DAY_MS = 86_400_000;

/** Id of a slot's n-th market (from 0), for any seed: after a restart the crowd finds its markets by it. */
export const listingId = (slot: Slot, listing: number): string => deriveConditionId('crowd', `${slot.name}/${listing}`);

const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** For example `29 November`, in UTC. By hand: Node's date formatting takes fourteen milliseconds to load. */
function formatDay(ms: number): string {
  const day = new Date(ms);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`;
}

/** The market of a slot's question number `listing`, listed at `nowMs`. */
export function listingSpec(slot: Slot, listing: number, nowMs: number): MarketSpec {
  const resolvesMs = (Math.floor(nowMs / DAY_MS) + slot.days + 1) * DAY_MS;
  const date = formatDay(resolvesMs - 1);
  const question = slot.questions[listing % slot.questions.length] ?? slot.name;
  return {
    config: {
      kind: 'orderbook',
      price_precision: CROWD_PRICE_PRECISION,
      amount_precision: CROWD_AMOUNT_PRECISION,
      // 0.01 and 0.99.
      min_price: 10_000 as Micros,
      max_price: 990_000 as Micros,
    },
    event: slot.event,
    condition_id: listingId(slot, listing),
    title: question.replace('{date}', date),
    description: 'A made-up market of the paper exchange, traded by its simulated crowd.',
    category: slot.category,
    rules: ['Resolved by a hidden probability of the simulation, not by any event of the real world.'],
    resolution_date: resolvesMs / 1000,
  };
}
