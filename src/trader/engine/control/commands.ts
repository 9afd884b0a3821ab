/** What an operator's command does, once it is obeyed. */

import type { OperatorCommand } from '../../../shared/protocol/seam.js';
import { inWords } from '../../reconcile/confirmed-differences.js';
import { showTitle, type TraderState } from '../state.js';
import { adopt, adoptRefusal } from './adopt.js';
import { configure } from './configure.js';
import { setFleetBounds } from './fleet-bounds.js';
import { LADDER } from './modes.js';

/** Why a command would not be obeyed now, one sentence that says what is wanted; null when it would. Reads only. */
export function commandRefusal(state: TraderState, command: OperatorCommand): string | null {
  switch (command.kind) {
    case 'pause-market':
      return unknownMarket(state, command);
    case 'resume-market':
      return resumeRefusal(state, command);
    case 'flatten-market':
      return unknownMarket(state, command) ?? flattenRefusal(state, command);
    case 'adopt':
      return adoptRefusal(state, command.reason);
    default:
      return state.modes.refusal(command, state.stopped);
  }
}

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
  if (isOfMarket(command)) return turnMarket(state, command, nowMs);
  const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
  state.alert(nowMs, 'command', `${command.kind}${reason}`);
  // As it stood when the person looked: of a mere pause nothing is accepted but the pause.
  const isHeldBack = state.heldBack !== null;
  if (command.kind === 'adopt') adopt(state, command.reason, nowMs);
  state.modes.apply(command);
  // As of a flatten of everything: whoever says pause, cancel or kill after it wants no more sales either.
  if (ENDS_SALES.includes(command.kind)) for (const id of state.pauses.flattening) state.pauses.endFlattening(id);
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

const ENDS_SALES: readonly OperatorCommand['kind'][] = ['pause', 'cancel-all', 'kill'];

type MarketCommand = Extract<OperatorCommand, { marketConditionId: string }>;

const isOfMarket = (command: OperatorCommand): command is MarketCommand => 'marketConditionId' in command;

const unknownMarket = ({ markets }: TraderState, { marketConditionId: id }: MarketCommand): string | null =>
  markets.get(id) === undefined
    ? `no market that it looks at has the condition id ${id}; \`twinbook top\` lists those that it does`
    : null;

type ResumeMarket = Extract<OperatorCommand, { kind: 'resume-market' }>;

function resumeRefusal({ pauses }: TraderState, { marketConditionId: id, reason }: ResumeMarket): string | null {
  if (pauses.findReason(id) === undefined)
    return `market ${id} is not paused by itself; \`twinbook explain ${id}\` says why it is not quoted`;
  const why = pauses.whyReasonNeeded(id);
  return why === null || reason !== '' ? null : `this needs a reason (${why}): resume --market … --reason TEXT`;
}

/** One market is sold beside others that are quoted. Where none may be, everything is sold, or nothing. */
function flattenRefusal(state: TraderState, { marketConditionId: id }: MarketCommand): string | null {
  const { mode, reason } = state.mode();
  if (state.pauses.isRefused(id))
    return `market ${id} is paused (${state.pauses.findReason(id)}): nothing is signed there until resume --market … --reason TEXT`;
  const isSoon = mode === 'starting' || mode === 'canceling';
  if (isSoon || LADDER[mode].orders === 'quotes') return null;
  if (mode === 'flattening') return 'everything is being flattened already';
  return (
    state.modes.refusal({ kind: 'flatten' }, null) ??
    `it is ${mode} (${reason}): no market is sold by itself meanwhile; flatten sells everything, or resume comes first`
  );
}

/** Pauses or flattens one market, or lets it go on; all others do as before. */
function turnMarket(state: TraderState, command: MarketCommand, nowMs: number): void {
  const { kind, marketConditionId: id } = command;
  const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
  state.alert(nowMs, 'command', `${kind} "${showTitle(state, id)}" (${id})${reason}`);
  if (kind === 'pause-market') state.pauses.pauseByOperator(id, command.reason);
  else if (kind === 'flatten-market') state.pauses.flatten(id);
  else {
    state.pauses.resume(id);
    state.markets.reopen(id);
  }
  state.requestRequote(id);
}

interface Resumed {
  readonly reason: string;
  readonly isHeldBack: boolean;
}

function resume(state: TraderState, { reason, isHeldBack }: Resumed, nowMs: number): void {
  state.resume(isHeldBack);
  // Only a person who says why can have looked at what differs.
  const accepted = reason === '' ? [] : state.reconciler.accept(nowMs, reason);
  for (const difference of accepted) {
    state.alert(nowMs, 'reconciliation', `left out from now on: ${inWords(difference)}`);
  }
}
