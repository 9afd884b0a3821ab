/** Books what the exchange holds: the way back after a restored backup, which no resume replaces. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import { complement, type Micros, micros, mul, ZERO } from '../../../shared/base/micros.js';
import type { AdoptionOfOutcome } from '../../reconcile/adoption.js';
import { showTitle, type TraderState } from '../state.js';

/** Why nothing is adopted now; null when it would be. Reads only. */
export function adoptRefusal({ reconciler }: TraderState, reason: string): string | null {
  if (reason === '') return 'adopt needs a reason: ledger adopt --reason TEXT';
  const plan = reconciler.planAdoption();
  return typeof plan === 'string' ? `${plan}; nothing was booked, try again in half a minute` : null;
}

/** Books the newest comparison. Its caller has asked `adoptRefusal`. */
export function adopt(state: TraderState, reason: string, nowMs: number): void {
  const plan = state.reconciler.planAdoption();
  if (typeof plan === 'string') return;
  let worth = ZERO;
  for (const outcome of plan) {
    const restWorthMicros = worthOf(state, outcome);
    state.ledger.adopt({ ...outcome, restWorthMicros }, reason, nowMs);
    worth = micros(worth + restWorthMicros);
    // A holding needs a price, so its market is looked at.
    state.track(outcome.marketConditionId);
    state.alert(nowMs, 'adopted', describeOutcome(state, outcome, restWorthMicros));
  }
  state.reconciler.onAdopted(nowMs);
  // Shares without a record are no gain of trading.
  if (worth !== 0) state.capitalMoved(worth);
  state.invalidateOwn();
  state.poller.expedite({ kind: 'assets' });
}

/** Of the shares without a record, at the market's mark; zero where it has none yet. */
function worthOf({ valuation }: TraderState, { marketConditionId, isYes, restMicros }: AdoptionOfOutcome): Micros {
  const mark = valuation.marks.get(marketConditionId);
  if (mark === undefined) return ZERO;
  return micros(Math.sign(restMicros) * mul(isYes ? mark : complement(mark), micros(Math.abs(restMicros)), 'floor'));
}

function describeOutcome(state: TraderState, outcome: AdoptionOfOutcome, restWorth: Micros): string {
  const { marketConditionId, isYes, ledgerMicros, exchangeMicros, recorded, restMicros } = outcome;
  const name = `${isYes ? 'YES' : 'NO'} of "${showTitle(state, marketConditionId)}"`;
  const spent = micros(recorded.reduce((sum, { spentMicros, feesMicros }) => sum + spentMicros + feesMicros, 0));
  const parts = [
    ...(recorded.length === 0 ? [] : [`records of the exchange move cash by ${formatDecimal(micros(-spent))}`]),
    ...(restMicros === 0
      ? []
      : [`${formatDecimal(restMicros)} have no record and come at ${formatDecimal(restWorth)}`]),
  ];
  return `${name}: ${formatDecimal(ledgerMicros)} in the ledger, ${formatDecimal(exchangeMicros)} now; ${parts.join('; ')}`;
}
