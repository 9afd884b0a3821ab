/** What an operator's command does, once it is obeyed. */

import type { OperatorCommand } from '../../../shared/protocol/seam.js';
import { inWords } from '../../reconcile/confirmed-differences.js';
import type { TraderState } from '../state.js';
import { configure } from './configure.js';
import { setFleetBounds } from './fleet-bounds.js';

/** Why a command would not be obeyed now, one sentence that says what is wanted; null when it would. Reads only. */
export const commandRefusal = (state: TraderState, command: OperatorCommand): string | null =>
  command.kind === 'pause-market' || command.kind === 'resume-market'
    ? marketRefusal(state, command)
    : state.modes.refusal(command, state.stopped);

export function obey(state: TraderState, command: OperatorCommand, nowMs: number): void {
  if (command.kind === 'quote-hours') return setQuoteHours(state, command, nowMs);
  if (command.kind === 'configure') return configure(state, command, nowMs);
  if (command.kind === 'fleet') return setFleetBounds(state, command, nowMs);
  const refusal = commandRefusal(state, command);
  if (refusal !== null) return state.alert(nowMs, 'command_refused', `${command.kind}: ${refusal}`);
  if (command.kind === 'reconcile') {
    // A timer may ask for it every minute; what it finds is said when it differs.
    state.notify(nowMs, 'command', command.kind);
    for (const kind of ['orders', 'assets', 'fills'] as const) state.poller.expedite({ kind });
    return;
  }
  if (command.kind === 'pause-market' || command.kind === 'resume-market') return turnMarket(state, command, nowMs);
  const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
  state.alert(nowMs, 'command', `${command.kind}${reason}`);
  // As it stood when the person looked: of a mere pause nothing is accepted but the pause.
  const isHeldBack = state.heldBack !== null;
  state.modes.apply(command);
  if (command.kind === 'resume') resume(state, { reason: command.reason, isHeldBack }, nowMs);
  state.saveModes();
  for (const { conditionId } of state.markets.all) state.requestRequote(conditionId);
}

type QuoteHours = Extract<OperatorCommand, { kind: 'quote-hours' }>;

function setQuoteHours(state: TraderState, { strategy, open }: QuoteHours, nowMs: number): void {
  state.markets.setQuoteHours(strategy, open);
  const where = open ? 'within' : 'outside';
  state.notify(nowMs, 'quote_hours', `strategy ${strategy} is ${where} its quote hours`);
}

type MarketCommand = Extract<OperatorCommand, { kind: 'pause-market' | 'resume-market' }>;

function marketRefusal(
  { markets, pauses }: TraderState,
  { kind, marketConditionId, reason }: MarketCommand,
): string | null {
  const paused = pauses.findReason(marketConditionId);
  if (kind === 'pause-market') {
    const isKnown = markets.get(marketConditionId) !== undefined;
    return isKnown ? null : `no market that it looks at has the condition id ${marketConditionId}`;
  }
  if (paused === undefined) return `market ${marketConditionId} is not paused by itself`;
  const why = pauses.whyReasonNeeded(marketConditionId);
  return why === null || reason !== '' ? null : `this needs a reason (${why}): resume --market … --reason TEXT`;
}

/** Pauses one market, or lets it go on; all others do as before. */
function turnMarket(state: TraderState, { kind, marketConditionId, reason }: MarketCommand, nowMs: number): void {
  state.alert(nowMs, 'command', `${kind} ${marketConditionId}: ${reason || 'none given'}`);
  if (kind === 'pause-market') state.pauses.pauseByOperator(marketConditionId, reason);
  else state.pauses.resume(marketConditionId);
  state.requestRequote(marketConditionId);
}

interface Resumed {
  readonly reason: string;
  readonly isHeldBack: boolean;
}

function resume(state: TraderState, { reason, isHeldBack }: Resumed, nowMs: number): void {
  state.resume(isHeldBack);
  // Only a person who says why can have looked at what differs.
  const accepted = reason === '' ? [] : state.reconciler.accept(nowMs);
  for (const difference of accepted) {
    state.alert(nowMs, 'reconciliation', `left out from now on: ${inWords(difference)}`);
  }
}
