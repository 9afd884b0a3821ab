/**
 * The close of a margin position from the request to its end. A venue may answer that it is not closed yet and sell within a
 * minute or so: the position is then read until it is. The request is never sent twice, because a venue may not
 * take the second one for the same sale.
 */

import type { PositionRow } from '../../../shared/protocol/records.js';
import type { Calls } from '../calls.js';
import { OutcomeUnknown, ServiceRefused } from '../errors.js';
import { type Patience, settle, type World } from '../workflow/draft-workflow.js';

/** Position to close, and its worst price in its own outcome, decimal text; without one at any price. */
export interface CloseInput {
  readonly pubkey: string;
  readonly price?: string;
}

type Pace = Pick<Patience, 'withinMs' | 'pollMs'>;

/** Resolves to a position that is closed. Throws ServiceRefused, OutcomeUnknown. */
export async function closeMargin(
  positions: Calls['positions'],
  { pubkey, price }: CloseInput,
  world: World,
  { withinMs, pollMs }: Pace,
): Promise<PositionRow> {
  const deadlineMs = world.monotonicMs() + withinMs;
  const options = { latestMs: world.nowMs() + withinMs };
  const answer = await settle(positions.close(pubkey, price === undefined ? {} : { price }, options));
  const error = answer.ok ? null : answer.error;
  if (error instanceof OutcomeUnknown && !error.sent) throw error;
  let record: PositionRow | undefined;
  for (let looks = 1; ; looks++) {
    const seen = await settle(positions.detail(pubkey, options));
    if (seen.ok) record = seen.record;
    if (record?.is_closed) return record;
    // A record may change although the close was refused, and show it later: it is read again.
    const isAnswered = seen.ok || seen.error instanceof ServiceRefused;
    if (error instanceof ServiceRefused && isAnswered && looks > 1) throw error;
    const isInTime = world.monotonicMs() + pollMs < deadlineMs && (await world.pause(pollMs));
    if (!isInTime) throw notYet(pubkey, error, record);
  }
}

function notYet(pubkey: string, error: Error | null, record: PositionRow | undefined): OutcomeUnknown {
  const reason = error instanceof OutcomeUnknown ? error.reason : 'it was not closed in time';
  return new OutcomeUnknown('positions.close', reason, { sent: true, pubkey, record });
}
