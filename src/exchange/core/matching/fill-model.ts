/**
 * A recording shows a level's amount, not the owner of an order that leaves it. A fill model supplies this missing
 * fact: how many recorded shares are ahead of a real order, and how that number shrinks without a trade.
 *
 * Two events fill an order: a recorded trade, and a recorded amount that arrives on the other side at its price or
 * beyond. An event fills with its own amount, once; a level that shrinks never fills. The queue formulas are
 * hftbacktest's (models/queue.rs). Amounts are Micros of the recorded level alone, real orders not counted.
 */

import { TwinbookError, unreachable } from '../../../shared/base/errors.js';

/** A queue curve of hftbacktest, with its exponent if the curve has one. */
type QueueCurve =
  | { readonly kind: 'log' | 'log2' }
  | { readonly kind: 'power' | 'power2' | 'power3'; readonly exponent: number };

/** Logarithmic curves count in shares: only for them the unit matters. */
const SHARE = 1_000_000;

/**
 * Returns the fraction of a decrease without a trade that was behind an order, for `ahead` > 0 and `behind` >= 0. Uses
 * only multiplication, square root and logarithm, so that a backtest gives the same bytes everywhere.
 */
function cancelledBehind(curve: QueueCurve): (ahead: number, behind: number) => number {
  switch (curve.kind) {
    case 'power':
      // b^n / (b^n + f^n); with nothing behind the quotient is infinite and the probability 0.
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

/** Returns the power; `exponent` must be a multiple of one half. */
function power(base: number, exponent: number): number {
  let result = Number.isInteger(exponent) ? 1 : Math.sqrt(base);
  for (let times = Math.floor(exponent); times > 0; times--) result *= base;
  return result;
}

/** A model as data in a configuration file. `exponent`: a multiple of 0.5 from 0.5 to 10. */
export type FillModelSpec = QueueSpec & { readonly postsOnly?: boolean };

type QueueSpec =
  | { readonly kind: 'trade-through' | 'risk-averse' | 'log' | 'log2' | 'optimistic' }
  | { readonly kind: 'power' | 'power2' | 'power3'; readonly exponent: number };

/** Assumed treatment of a real order in the queue of a recorded market. */
export interface FillModel {
  /** Name that `fillModel` parses, with its exponent: `power:3`, `posts-only:power:3`. */
  readonly name: string;
  /** True: recorded makers are post-only, so an arriving amount fills nothing. Absent: arriving amounts trade first. */
  readonly postsOnly?: boolean;
  /** False: a recorded trade fills only orders at better prices than its own. */
  readonly fillsAtTouch: boolean;
  /** Recorded amount ahead of an order that joins a level that shows `displayed`. */
  aheadOnJoin(displayed: number): number;
  /**
   * Returns the recorded amount ahead after the level changed from `previous` to `next`, in multiples of `lot`.
   * `traded`: amount of recorded trades since the last change; `ahead` already excludes this amount.
   */
  aheadAfterChange(ahead: number, previous: number, next: number, traded: number, lot: number): number;
}

/** Prefix of a queue name: recorded makers are post-only. The prefix alone means `posts-only` with `risk-averse`. */
const POSTS_ONLY = 'posts-only';

/** Names for the command line, from the fewest fills to the most; `posts-only` fills less than `risk-averse`. */
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
/** Default exponent of `power`, from hftbacktest's examples. */
const DEFAULT_EXPONENT = 3;
const MOST_EXPONENT = 10;

/** Returns the model of a name such as `posts-only:power:2.5`, or of its data. Throws TwinbookError `usage`. */
export function fillModel(spec: string | FillModelSpec): FillModel {
  const { postsOnly, ...queue } =
    typeof spec === 'string' ? readName(spec) : { exponent: null, postsOnly: false, ...spec };
  const model = queueModel(queue);
  if (model === null) throw makeUnknownModelError(typeof spec === 'string' ? spec : JSON.stringify(spec));
  if (!postsOnly) return model;
  return { ...model, postsOnly, name: model.name === RISK_AVERSE ? POSTS_ONLY : `${POSTS_ONLY}:${model.name}` };
}

/** Returns a queue model; null for an unknown kind or an invalid exponent. */
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
    // Shares ahead never cancel before those behind: only trades advance an order, and the end of its level.
    aheadAfterChange: (ahead, _previous, next) => Math.min(ahead, next),
  };
}

function makeUnknownModelError(came: string): TwinbookError {
  return new TwinbookError(
    'usage',
    `no fill model is called ${JSON.stringify(came)}`,
    `Use one of ${FILL_MODEL_NAMES.join(', ')}; N is a multiple of 0.5 from 0.5 to ${MOST_EXPONENT}, ${DEFAULT_EXPONENT} when left out. ${POSTS_ONLY}:NAME is any of them with recorded makers who post only.`,
  );
}

interface QueueName {
  readonly kind: string;
  readonly exponent: number | null;
}

function readName(name: string): QueueName & { readonly postsOnly: boolean } {
  if (name === POSTS_ONLY) return { kind: RISK_AVERSE, exponent: null, postsOnly: true };
  const [, prefix, kind = '', digits] = /^(posts-only:)?([a-z0-9-]+)(?::(\d+(?:\.\d+)?))?$/.exec(name) ?? [];
  return { kind, exponent: digits === undefined ? null : Number(digits), postsOnly: prefix !== undefined };
}

/** A decrease without a trade is split between shares ahead and behind by a curve of both. */
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
      // A millionth of a lot is division noise.
      return Math.min(bound, Math.max(0, Math.ceil(left / lot - 1e-6) * lot));
    },
  };
}

/** The model of a name, or the given one with bounds. Throws TwinbookError `usage` for an unknown name. */
export const chosenModel = (choice: string | FillModel): FillModel =>
  typeof choice === 'string' ? fillModel(choice) : boundedModel(choice);

/**
 * Bounds a model: an amount ahead is a whole number of lots, from 0 to the level's amount, and never grows. Throws
 * TwinbookError `usage` for a model without a name; its methods throw `usage` for an answer that is no number.
 */
function boundedModel(model: FillModel): FillModel {
  const { name, fillsAtTouch, postsOnly = false } = model;
  if (name === '') throw new TwinbookError('usage', 'a fill model has no name', 'Reports name results by it.');
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
    throw new TwinbookError(
      'usage',
      `the fill model ${name} answered no number`,
      'Amounts are integers in millionths.',
    );
  }
  return Math.max(0, Math.min(most, Math.ceil(answer)));
}
