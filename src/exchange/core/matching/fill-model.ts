/**
 * A recording shows a level's total amount, not the orders in its queue. A fill model estimates the recorded shares
 * ahead of a real order, and how they decrease without a trade.
 *
 * A resting order is filled by a recorded trade, or by an arriving recorded amount of the other side at its price. One
 * recorded event fills at most its own amount, once. A decrease of a recorded level never fills an order. The queue
 * formulas are hftbacktest's (models/queue.rs). Amounts are micros of the recorded level, without real orders.
 */

import { TwinbookError } from '../../../shared/base/errors.js';

/** Assumptions about the queue of a recorded market, and about its fills of real orders. */
export interface FillModel {
  /** Name that the function `fillModel` accepts, including the exponent, such as `power:3` or `posts-only:power:3`. */
  readonly name: string;
  /** True: recorded makers only post, so an arriving amount fills no order. Absent: an arriving amount first trades. */
  readonly postsOnly?: boolean;
  /** False: a recorded trade fills only orders with better prices than the trade's price. */
  readonly fillsAtTouch: boolean;
  /** Returns the recorded amount ahead of a new order at a level whose visible recorded amount is `displayed`. */
  aheadOnJoin(displayed: number): number;
  /**
   * Returns the new recorded amount ahead of an order, a multiple of `lot`, when its level changes from `previous` to
   * `next`. `traded` is the amount of the level's recorded trades since its last change. `ahead` excludes `traded`.
   */
  aheadAfterChange(ahead: number, previous: number, next: number, traded: number, lot: number): number;
}

/** Prefix of a fill model's name if recorded makers only post; without a name it means `posts-only:risk-averse`. */
const POSTS_ONLY = 'posts-only';

/** Fill model names for the command line, from the fewest fills to the most fills. */
export const FILL_MODEL_NAMES = [POSTS_ONLY, 'trade-through', 'risk-averse', 'power:N', 'optimistic'] as const;

const RISK_AVERSE = 'risk-averse';
/** Default exponent of the power curve, from hftbacktest's examples. */
const DEFAULT_EXPONENT = 3;
const MOST_EXPONENT = 10;

const PLAIN_MODELS: readonly FillModel[] = [
  lastInQueue('trade-through', false),
  lastInQueue(RISK_AVERSE, true),
  { name: 'optimistic', fillsAtTouch: true, aheadOnJoin: () => 0, aheadAfterChange: () => 0 },
];

function lastInQueue(name: string, fillsAtTouch: boolean): FillModel {
  return {
    name,
    fillsAtTouch,
    aheadOnJoin: (displayed) => displayed,
    // Shares behind an order are assumed to cancel first: only trades and decreases below `ahead` advance the order.
    aheadAfterChange: (ahead, _previous, next) => Math.min(ahead, next),
  };
}

/** Returns a fill model by its name, such as `posts-only:power:2.5`. Throws TwinbookError `usage` for other names. */
export function fillModel(name: string): FillModel {
  const full = name === POSTS_ONLY ? `${POSTS_ONLY}:${RISK_AVERSE}` : name;
  const [, prefix, kind = '', digits] = /^(posts-only:)?([a-z-]+)(?::(\d+(?:\.\d+)?))?$/.exec(full) ?? [];
  const plain = digits === undefined ? PLAIN_MODELS.find((one) => one.name === kind) : undefined;
  const model = kind === 'power' ? powerModel(Number(digits ?? DEFAULT_EXPONENT)) : plain;
  if (model === undefined) {
    throw new TwinbookError(
      'usage',
      `there is no fill model ${JSON.stringify(name)}`,
      `Use one of ${FILL_MODEL_NAMES.join(', ')}; N is a multiple of 0.5 from 0.5 to ${MOST_EXPONENT}, ${DEFAULT_EXPONENT} if left out. With ${POSTS_ONLY}:NAME, recorded makers only post.`,
    );
  }
  if (prefix === undefined) return model;
  return { ...model, postsOnly: true, name: kind === RISK_AVERSE ? POSTS_ONLY : `${POSTS_ONLY}:${model.name}` };
}

/**
 * Splits a decrease without a trade between shares ahead and shares behind an order: the part behind^n / (behind^n +
 * ahead^n) was behind. Returns undefined for an invalid exponent n.
 */
function powerModel(exponent: number): FillModel | undefined {
  if (!(exponent > 0) || exponent > MOST_EXPONENT || !Number.isInteger(2 * exponent)) return undefined;
  return {
    name: `power:${exponent}`,
    fillsAtTouch: true,
    aheadOnJoin: (displayed) => displayed,
    aheadAfterChange(ahead, previous, next, traded, lot) {
      const canceled = previous - next - traded;
      const bound = Math.min(ahead, next);
      if (canceled <= 0 || bound <= 0) return bound;
      const behind = Math.max(0, previous - ahead);
      const share = 1 / (1 + power(ahead / behind, exponent));
      const left = ahead - (1 - share) * canceled + Math.min(behind - share * canceled, 0);
      // A difference below a millionth of a lot is a rounding error of the division.
      return Math.min(bound, Math.max(0, Math.ceil(left / lot - 1e-6) * lot));
    },
  };
}

/** Returns base^exponent for an exponent that is a multiple of 0.5. Arithmetic and roots are equal on every machine. */
function power(base: number, exponent: number): number {
  let result = Number.isInteger(exponent) ? 1 : Math.sqrt(base);
  for (let times = Math.floor(exponent); times > 0; times--) result *= base;
  return result;
}

/** Returns a fill model by its name, or a user's model with bounds. Throws TwinbookError `usage` for unknown names. */
export const chosenModel = (choice: string | FillModel): FillModel =>
  typeof choice === 'string' ? fillModel(choice) : boundedModel(choice);

/**
 * Limits a user's fill model: an amount ahead is a whole number of lots from 0 to the level's amount, and never
 * increases. Throws TwinbookError `usage` for a model without a name, or if a method of the model returns no number.
 */
function boundedModel(model: FillModel): FillModel {
  const { name, fillsAtTouch, postsOnly = false } = model;
  if (name === '') throw new TwinbookError('usage', 'a fill model has no name', 'Name it: reports show the name.');
  return {
    name,
    fillsAtTouch,
    postsOnly,
    aheadOnJoin: (displayed) => between(model.aheadOnJoin(displayed), displayed, name),
    aheadAfterChange(ahead, previous, next, traded, lot) {
      const bound = Math.min(ahead, next);
      const left = between(model.aheadAfterChange(ahead, previous, next, traded, lot), bound, name);
      return Math.min(bound, Math.ceil(left / lot) * lot);
    },
  };
}

function between(answer: number, most: number, name: string): number {
  if (Number.isNaN(answer)) {
    const message = `the fill model ${name} did not return a number`;
    throw new TwinbookError('usage', message, 'Amounts are integers in millionths.');
  }
  return Math.max(0, Math.min(most, Math.ceil(answer)));
}
