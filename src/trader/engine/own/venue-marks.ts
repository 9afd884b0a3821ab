/** Takes the venue's marks out of an answer on what we hold: each says something of a market that may be worth a look. */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { RequestResult } from '../../../shared/protocol/seam.js';
import { readVenueMark } from '../../market/venue-marks.js';
import type { SeenAt } from '../../market/view.js';
import { overfull } from '../../reconcile/page-walk.js';
import type { TraderState } from '../state.js';

export function takeMarks(state: TraderState, { request, outcome, nowMs }: RequestResult, at: SeenAt): void {
  const isOff = state.settings.polling.marks !== 'auto';
  if (isOff || outcome.kind !== 'answered' || overfull(request, outcome.data) !== null) return;
  state.poller.onSeen({ kind: 'marks' }, nowMs);
  // The endpoint of this request: its owner says so.
  for (const row of outcome.data as DataOf<'account.assets'>) {
    const price = readVenueMark(row);
    if (price !== null) state.markets.get(row.position.market.condition_id)?.feed.onVenueMark(price, at);
  }
}
