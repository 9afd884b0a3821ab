/** The example maker of the published challenge: two orders around the middle, renewed in every step. */

import type { Maker, MakerAction, MakerSight } from '../../../src/lab/arena/simulation.js';

const SHARES = 5;
const MOST_SHARES = 100;

export class Starter implements Maker {
  act({ step, account, competitorBid, competitorAsk }: MakerSight): readonly MakerAction[] {
    const middle = Math.floor(((competitorBid ?? 49) + (competitorAsk ?? 51)) / 2);
    const actions: MakerAction[] = account.orders.map(({ id }) => ({ kind: 'cancel', id }));
    if (account.yes < MOST_SHARES)
      actions.push({ kind: 'place', id: `b${step}`, side: 'bid', tick: Math.max(1, middle - 2), shares: SHARES });
    // Free after the cancels before it.
    if (account.cash > 0 && account.no < MOST_SHARES)
      actions.push({ kind: 'place', id: `a${step}`, side: 'ask', tick: Math.min(99, middle + 2), shares: SHARES });
    return actions;
  }
}
