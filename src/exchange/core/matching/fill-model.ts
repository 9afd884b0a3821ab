/**
 * A recording shows a level's total amount, not the orders in its queue. A fill model estimates how many recorded
 * shares are ahead of a real order, and how many of them are canceled.
 *
 * A resting order is filled by a recorded trade, or by a recorded amount that arrives on the other side at the order's
 * price. One recorded event fills at most its own amount. A decrease of a recorded level never fills an order. The
 * queue formulas are hftbacktest's (models/queue.rs). Amounts are in micros and exclude real orders.
 */

import { AssertionFailed, TwinbookError } from '../../../shared/base/errors.js';

/** One of hftbacktest's queue curves, with its exponent if the curve has one. */
type QueueCurve =
  | { readonly kind: 'log' | 'log2' }
  | { readonly kind: 'power' | 'power2' | 'power3'; readonly exponent: number };

/** Micros per share. Logarithmic curves need amounts in shares; the other curves do not depend on the unit. */
const SHARE = 1_000_000;

/**
 * Returns a function that estimates which fraction of a level's canceled shares was behind an order. `ahead` is above
 * 0, `behind` at least 0. Curves use only arithmetic, square root and logarithm, for equal results on every machine.
 */
function cancelledBehind(curve: QueueCurve): (ahead: number, behind: number) => number {
  switch (curve.kind) {
    case 'power':
      // Power curve: behind^n / (behind^n + ahead^n). If nothing is behind, the result is 0.
      return (ahead, behind) => 1 / (1 + power(ahead / behind, curve.exponent));
    case 'power2':
      return (ahead, behind) => power(behind / (ahead + behind), curve.exponent);
    case 'power3':
      return (ahead, behind) => 1 - power(ahead / (ahead + behind), curve.exponent);
    case 'log':
      return (ahead, behind) => {
        const back = Math.log1p(behind / SHARE);
        return back / (back + Math.log1p(ahead / SHARE));
      };
    case 'log2':
      return (ahead, behind) => Math.log1p(behind / SHARE) / Math.log1p((ahead + behind) / SHARE);
    default:
      return unreachable(curve, 'a queue curve');
  }
}

/** Throws AssertionFailed. The default branch of a switch that must cover every case calls this function. */
function unreachable(value: never, what: string): never {
  throw new AssertionFailed(`${what}: unexpected ${JSON.stringify(value)}`);
}

/** Returns base^exponent for an exponent that is a multiple of 0.5. */
function power(base: number, exponent: number): number {
  let result = Number.isInteger(exponent) ? 1 : Math.sqrt(base);
  for (let times = Math.floor(exponent); times > 0; times--) result *= base;
  return result;
}

/** A fill model as data in a configuration file. A curve's exponent is a multiple of 0.5 from 0.5 to 10. */
type FillModelSpec = QueueSpec & { readonly postsOnly?: boolean };

type QueueSpec = QueueCurve | { readonly kind: 'trade-through' | 'risk-averse' | 'optimistic' };

/** Assumptions about queues in a recorded book, and about the fills of real orders there. */
export interface FillModel {
  /** Name that the function `fillModel` accepts, including the exponent, such as `power:3` or `posts-only:power:3`. */
  readonly name: string;
  /** True: an arriving recorded amount is post-only and fills no order. Absent: such an amount fills crossed orders. */
  readonly postsOnly?: boolean;
  /** False: a recorded trade fills only orders with better prices than the trade's price. */
  readonly fillsAtTouch: boolean;
  /** Returns the shares ahead of a new order in the queue of a level that shows the amount `displayed`. */
  aheadOnJoin(displayed: number): number;
  /**
   * Returns the new recorded amount ahead of an order, a multiple of `lot`, when its level changes from `previous` to
   * `next`. `traded` is the amount of the level's recorded trades since its last change. `ahead` excludes `traded`.
   */
  aheadAfterChange(ahead: number, previous: number, next: number, traded: number, lot: number): number;
}

/** Prefix of a fill model's name if recorded makers only post. Alone, the prefix means `posts-only:risk-averse`. */
const POSTS_ONLY = 'posts-only';

/** Fill model names for the command line, from the fewest fills to the most fills. */
export const FILL_MODEL_NAMES = [
  POSTS_ONLY,
  'trade-through',
  'risk-averse',
  'power:N',
  'power2:N',
  'power3:N',
  'log',
  'log2',
  'optimistic',
] as const;

const RISK_AVERSE = 'risk-averse';
/** Default exponent of the power curves, from hftbacktest's examples. */
const DEFAULT_EXPONENT = 3;
const MOST_EXPONENT = 10;

/** Returns a fill model by its name, such as `posts-only:power:2.5`, or by its data. Throws TwinbookError `usage`. */
export function fillModel(spec: string | FillModelSpec): FillModel {
  const { postsOnly, ...queue } =
    typeof spec === 'string' ? readName(spec) : { exponent: null, postsOnly: false, ...spec };
  const model = queueModel(queue);
  if (model === null) throw makeUnknownModelError(typeof spec === 'string' ? spec : JSON.stringify(spec));
  if (!postsOnly) return model;
  return { ...model, postsOnly, name: model.name === RISK_AVERSE ? POSTS_ONLY : `${POSTS_ONLY}:${model.name}` };
}

/** Returns the queue part of a fill model; null for an unknown kind or an invalid exponent. */
function queueModel({ kind, exponent }: QueueName): FillModel | null {
  if (kind === 'power' || kind === 'power2' || kind === 'power3') {
    const n = exponent ?? DEFAULT_EXPONENT;
    if (!(n > 0) || n > MOST_EXPONENT || !Number.isInteger(2 * n)) return null;
    return sharedBy(`${kind}:${n}`, { kind, exponent: n });
  }
  if (exponent !== null) return null;
  if (kind === 'log' || kind === 'log2') return sharedBy(kind, { kind });
  if (kind === 'optimistic') return { name: kind, fillsAtTouch: true, aheadOnJoin: () => 0, aheadAfterChange: () => 0 };
  if (kind !== 'trade-through' && kind !== RISK_AVERSE) return null;
  return {
    name: kind,
    fillsAtTouch: kind === RISK_AVERSE,
    aheadOnJoin: (displayed) => displayed,
    // Shares behind an order are assumed to cancel first: only trades and decreases below `ahead` advance the order.
    aheadAfterChange: (ahead, _previous, next) => Math.min(ahead, next),
  };
}

function makeUnknownModelError(came: string): TwinbookError {
  return new TwinbookError(
    'usage',
    `there is no fill model ${JSON.stringify(came)}`,
    `Use one of ${FILL_MODEL_NAMES.join(', ')}; N is a multiple of 0.5 from 0.5 to ${MOST_EXPONENT}, ${DEFAULT_EXPONENT} if left out. With ${POSTS_ONLY}:NAME, recorded orders of makers never take.`,
  );
}

type QueueName = Readonly<{ kind: string; exponent: number | null }>;

function readName(name: string): QueueName & { readonly postsOnly: boolean } {
  if (name === POSTS_ONLY) return { kind: RISK_AVERSE, exponent: null, postsOnly: true };
  const [, prefix, kind = '', digits] = /^(posts-only:)?([a-z0-9-]+)(?::(\d+(?:\.\d+)?))?$/.exec(name) ?? [];
  return { kind, exponent: digits === undefined ? null : Number(digits), postsOnly: prefix !== undefined };
}

/** A fill model with a curve, which splits a decrease without a trade between shares ahead and shares behind. */
function sharedBy(name: string, curve: QueueCurve): FillModel {
  const behindShare = cancelledBehind(curve);
  return {
    name,
    fillsAtTouch: true,
    aheadOnJoin: (displayed) => displayed,
    aheadAfterChange(ahead, previous, next, traded, lot) {
      const canceled = previous - next - traded;
      const bound = Math.min(ahead, next);
      if (canceled <= 0 || bound <= 0) return bound;
      const behind = Math.max(0, previous - ahead);
      const share = behindShare(ahead, behind);
      const left = ahead - (1 - share) * canceled + Math.min(behind - share * canceled, 0);
      // A difference below a millionth of a lot is a rounding error of the division.
      return Math.min(bound, Math.max(0, Math.ceil(left / lot - 1e-6) * lot));
    },
  };
}

/** Returns a named fill model, or a user's model with limits. Throws TwinbookError `usage` for unknown names. */
export const chosenModel = (choice: string | FillModel): FillModel =>
  typeof choice === 'string' ? fillModel(choice) : boundedModel(choice);

/**
 * Limits a user's fill model: an amount ahead is a whole number of lots from 0 to the level's amount, and never
 * increases. Throws TwinbookError `usage` for a model without a name, or if a method of the model returns no number.
 */
function boundedModel(model: FillModel): FillModel {
  const { name, fillsAtTouch, postsOnly = false } = model;
  if (name === '') throw new TwinbookError('usage', 'a fill model has no name', 'Name the model; reports show it.');
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
