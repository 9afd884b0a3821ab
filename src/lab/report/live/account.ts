/** The account of a live ledger over time, from its orders, fills and conversions. */

import type { MarketSession } from '../../session/contract.js';
import { equityAt, lockedIn, MarketWalk, type SessionOrder } from '../../session/market-walk.js';
import { listMoves, sharesMoved } from '../../session/moves.js';
import { AccountSamples } from '../../session/samples.js';
import type { RecordedPrices } from './contract.js';
import type { Span } from './spans.js';
import { stepsWithin } from './steps.js';

/** A day of seconds. More would take longer than reading the journals does; a longer life is looked at as often, wider apart. */
const MOST_LOOKS = 86_400;

export interface AccountMarket {
  readonly session: MarketSession;
  readonly quotes: readonly SessionOrder[];
  readonly prices: RecordedPrices | null;
}

/**
 * While the trader ran: nobody knows what its shares were worth between two runs. Every look counts for the deepest fall, as
 * in a backtest; what is kept of them is thinned out.
 */
export function sampleAccount(
  markets: readonly AccountMarket[],
  capitalMicros: number,
  running: readonly Span[],
): AccountSamples {
  const steps = stepsWithin(running, MOST_LOOKS);
  const account = new AccountSamples(steps.stepMs);
  const walks = markets.map(({ session, quotes, prices }) => new MarketWalk({ ...session, orders: quotes, prices }));
  for (const timeMs of steps.timeMs) {
    for (const walk of walks) walk.advance(timeMs);
    account.take(timeMs, equityAt(timeMs, walks, capitalMicros), () => lockedIn(walks));
  }
  // Shares whose worth was not known may have come and gone between two steps.
  if (markets.some(({ session, prices }) => prices === null && everHeld(session))) account.see(null);
  return account;
}

/** Shares whose worth depends on a price. */
function everHeld(session: MarketSession): boolean {
  let net = 0;
  return listMoves(session).some((move) => {
    const { yes, no } = sharesMoved(move);
    net += yes - no;
    return net !== 0;
  });
}
