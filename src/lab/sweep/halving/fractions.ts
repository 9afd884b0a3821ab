/** How large the rungs of a sweep are: fractions of its events, in whole events. */

import { TwinbookError } from '../../../shared/base/errors.js';
import { LEAST_EVENTS_FOR_SHARPE, USUAL_FRACTIONS } from '../bounds.js';
import type { HalvingWish } from '../contract.js';

/**
 * How many events each rung but the last holds, ascending and fewer than all. Throws TwinbookError `usage` where the events are
 * too few for the fractions.
 */
export function rungEnds(wish: HalvingWish, events: number): readonly number[] {
  if (wish === null) return [];
  if (wish === 'usual') return usualEnds(events);
  const ends = wish.map((fraction) => Math.max(1, Math.round(fraction * events)));
  const at = ends.findIndex((end, index) => end >= (ends[index + 1] ?? events));
  if (at < 0) return ends;
  const next = wish[at + 1] ?? 1;
  const text = `--halving ${formatFractions(wish)}: ${wish[at]} and ${next} of ${events} events are both ${ends[at]}`;
  throw new TwinbookError('usage', text, 'Rungs hold whole events: give fractions further apart, or fewer.');
}

/** Below eight events a rung decides by luck, and of what it drops there is no Sharpe ratio. */
function usualEnds(events: number): readonly number[] {
  const ends = USUAL_FRACTIONS.map((fraction) => Math.round(fraction * events));
  const telling = ends.filter((end) => end >= LEAST_EVENTS_FOR_SHARPE);
  if (telling.length > 0) return telling;
  if (events >= 2 * LEAST_EVENTS_FOR_SHARPE) return [LEAST_EVENTS_FOR_SHARPE];
  throw new TwinbookError(
    'usage',
    `${events} events are too few for the usual rungs of --halving: wanted ${2 * LEAST_EVENTS_FOR_SHARPE} at least`,
    'Give fractions of your own, such as --halving 0.5, or leave it out.',
  );
}

const formatFractions = (fractions: readonly number[]): string => fractions.join(',');
