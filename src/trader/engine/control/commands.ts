/** What an operator's command does, once it is obeyed. */

import type { OperatorCommand } from '../../../shared/protocol/seam.js';
import { inWords } from '../../reconcile/confirmed-differences.js';
import type { TraderState } from '../state.js';

/** Why a command would not be obeyed now, one sentence that says what is wanted; null when it would. Reads only. */
export const commandRefusal = (state: TraderState, command: OperatorCommand): string | null =>
  state.modes.refusal(command, state.stopped);

export function obey(state: TraderState, command: OperatorCommand, nowMs: number): void {
  if (command.kind === 'quote-hours') return setQuoteHours(state, command, nowMs);
  const refusal = commandRefusal(state, command);
  if (refusal !== null) return state.loud(nowMs, 'command_refused', `${command.kind}: ${refusal}`);
  if (command.kind === 'reconcile') {
    // A timer may ask for it every minute; what it finds is said when it differs.
    state.say(nowMs, 'command', command.kind);
    for (const kind of ['orders', 'assets', 'fills'] as const) state.poller.expedite({ kind });
    return;
  }
  const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
  state.loud(nowMs, 'command', `${command.kind}${reason}`);
  state.modes.apply(command);
  if (command.kind === 'resume') resume(state, command.reason, nowMs);
  state.saveModes();
  for (const { conditionId } of state.markets.all) state.touch(conditionId);
}

type QuoteHours = Extract<OperatorCommand, { kind: 'quote-hours' }>;

function setQuoteHours(state: TraderState, { strategy, open }: QuoteHours, nowMs: number): void {
  state.markets.setQuoteHours(strategy, open);
  const where = open ? 'within' : 'outside';
  state.say(nowMs, 'quote_hours', `strategy ${strategy} is ${where} its quote hours`);
}

function resume(state: TraderState, reason: string, nowMs: number): void {
  state.resume();
  // Only a person who says why can have looked at what differs.
  const accepted = reason === '' ? [] : state.reconciler.accept(nowMs);
  for (const difference of accepted) {
    state.loud(nowMs, 'reconciliation', `left out from now on: ${inWords(difference)}`);
  }
}
