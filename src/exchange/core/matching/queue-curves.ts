/**
 * How likely it is that shares which left a level without a trade stood behind an order and not ahead of it, as a function
 * of both amounts: hftbacktest's curves (models/queue.rs). Computed from multiplication, square root and the logarithm
 * alone, so that a backtest gives the same bytes everywhere: a general power is the machine's to approximate.
 */

import { unreachable } from '../../../shared/base/errors.js';

/** One of hftbacktest's curves, with its exponent if it has one. */
export type QueueCurve =
  | { readonly kind: 'log' | 'log2' }
  | { readonly kind: 'power' | 'power2' | 'power3'; readonly exponent: number };

/** Probability, 0..1, for `ahead` > 0 and `behind` >= 0, both in Micros. */
export type BehindShare = (ahead: number, behind: number) => number;

/** Logarithmic curves count in shares: only for them the unit matters. */
const SHARE = 1_000_000;

/** Fraction of a decrease without a trade that counts as behind an order, by this curve. */
export function cancelledBehind(curve: QueueCurve): BehindShare {
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

/** `exponent` is a multiple of one half. */
function power(base: number, exponent: number): number {
  let result = Number.isInteger(exponent) ? 1 : Math.sqrt(base);
  for (let times = Math.floor(exponent); times > 0; times--) result *= base;
  return result;
}
