/** One sentence that tells whether ledger and exchange agree; all surfaces show it. */

import { utcText } from '../../shared/base/utc-text.js';
import type { Difference } from './differences.js';

/** An accepted difference as of then. The comparison skips it, and nothing is booked. */
export interface AcceptedDifference extends Difference {
  /** Our clock, ms, of the acceptance; null when not stored. */
  readonly sinceMs: number | null;
  readonly reason: string;
}

type Accepted = Pick<AcceptedDifference, 'sinceMs' | 'reason'>;

/** `3 accepted differences since 2026-11-28 10:21:03 UTC (reason)`. */
function acceptedText(accepted: readonly Accepted[]): string {
  const times = accepted.flatMap(({ sinceMs }) => sinceMs ?? []);
  const since = times.length === 0 ? 'an unknown time' : `${utcText(Math.min(...times))} UTC`;
  const reasons = [...new Set(accepted.map(({ reason }) => reason).filter((reason) => reason !== ''))];
  const why = reasons.length === 0 ? 'no reason stored' : reasons.join('; ');
  return `${countText(accepted.length, 'accepted difference')} since ${since} (${why})`;
}

/** @param open number of differences that no operator has accepted */
export function agreementText(open: number, accepted: readonly Accepted[]): string {
  const left = accepted.length === 0 ? '' : acceptedText(accepted);
  if (open > 0) {
    const besides = left === '' ? '' : `, apart from ${left}`;
    return `ledger and exchange differ in ${countText(open, 'place')}${besides}`;
  }
  return `ledger and exchange agree${left === '' ? '' : ` except for ${left}`}`;
}

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
