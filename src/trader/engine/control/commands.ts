/** Effects of the operator's commands. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import { complement, type Micros, micros, mul, sub, ZERO } from '../../../shared/base/micros.js';
import type { ConfigureCommand, OperatorCommand } from '../../../shared/protocol/seam.js';
import type { AdoptionOfOutcome } from '../../reconcile/comparison.js';
import { inWords } from '../../reconcile/confirmed-differences.js';
import type { RiskLimits } from '../../risk/limits.js';
import type { Economics } from '../../strategy/economics.js';
import { isOfPlace } from '../gate.js';
import type { MergeSettings, StrategySettings } from '../settings.js';
import { showTitle, type TraderState } from '../state.js';
import { rememberConfig } from './config-history.js';
import { LADDER } from './modes.js';
import { setFleetBounds } from './pauses.js';

/**
 * Why a command would be rejected now, in one sentence that says what is required; null when it would be accepted.
 * Reads only.
 */
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
    // A timer may repeat the command every minute; a notice is sent only when the result differs.
    state.notify(nowMs, 'command', command.kind);
    for (const kind of ['orders', 'assets', 'fills'] as const) state.poller.expedite({ kind });
    return;
  }
  if (isOfMarket(command)) return turnMarket(state, command, nowMs);
  const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
  state.alert(nowMs, 'command', `${command.kind}${reason}`);
  // Read before the change: a plain pause accepts nothing but the pause.
  const isHeldBack = state.heldBack !== null;
  if (command.kind === 'adopt') adopt(state, command.reason, nowMs);
  state.modes.apply(command);
  // A pause, cancel or kill after a flatten ends its sales too, as for a flatten of everything.
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

/**
 * A single market is flattened while others are quoted. Where no market may be quoted, only a flatten of everything is
 * allowed.
 */
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

/** Pauses, flattens or resumes one market; the others are unchanged. */
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
  // Differences are accepted only with a reason: it shows that a person looked at them.
  const accepted = reason === '' ? [] : state.reconciler.accept(nowMs, reason);
  for (const difference of accepted) {
    state.alert(nowMs, 'reconciliation', `left out from now on: ${inWords(difference)}`);
  }
}

/** Why nothing is adopted now; null when adoption is possible. Reads only. */
function adoptRefusal({ reconciler }: TraderState, reason: string): string | null {
  if (reason === '') return 'adopt needs a reason: ledger adopt --reason TEXT';
  const plan = reconciler.planAdoption();
  return typeof plan === 'string' ? `${plan}; nothing was booked, try again in half a minute` : null;
}

/**
 * Books the holdings that the exchange shows. It is required after a restored backup, where resume is not enough. The
 * caller has checked `adoptRefusal`.
 */
function adopt(state: TraderState, reason: string, nowMs: number): void {
  const plan = state.reconciler.planAdoption();
  if (typeof plan === 'string') return;
  let worth = ZERO;
  for (const outcome of plan) {
    const restWorthMicros = worthOf(state, outcome);
    state.ledger.adopt({ ...outcome, restWorthMicros }, reason, nowMs);
    worth = micros(worth + restWorthMicros);
    // A holding needs a price, so its market is tracked.
    state.track(outcome.marketConditionId);
    state.alert(nowMs, 'adopted', describeOutcome(state, outcome, restWorthMicros));
  }
  state.reconciler.onAdopted(nowMs);
  // Shares without a record are not a trading gain.
  if (worth !== 0) state.capitalMoved(worth);
  state.invalidateOwn();
  state.poller.expedite({ kind: 'assets' });
}

/** Value of the shares without a record, at the market's mark; zero without a mark. */
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

/** All settings that a running trader can change, as data. */
export interface LiveSettings {
  readonly capitalMicros: Micros;
  readonly risk: RiskLimits;
  readonly merge: MergeSettings;
  readonly economics: Economics;
  readonly strategies: readonly LiveStrategy[];
}

export interface LiveStrategy extends Omit<StrategySettings, 'module' | 'moduleKey'> {
  readonly moduleKey: string;
}

/**
 * Applies all new settings; applies none if the code of a strategy was not loaded. Requests in flight under the old
 * settings are withdrawn and decided again. Halts, pauses, a kill, loss marks and market estimates stay.
 */
function configure(state: TraderState, command: ConfigureCommand, nowMs: number): void {
  // The shell wrote it from these types; the journal keeps it as text.
  const { strategies: wanted, ...live } = JSON.parse(command.config).settings as LiveSettings;
  const strategies = wanted.flatMap((strategy) => withModule(strategy, state));
  if (strategies.length < wanted.length) {
    return state.alert(nowMs, 'command_refused', `configure: the code of a strategy is not loaded; nothing was taken`);
  }
  const { capitalMicros: before } = state.settings;
  state.settings = { ...state.settings, ...live, strategies, configHash: command.hash };
  state.guards.configure(live.risk);
  if (live.capitalMicros !== before) {
    state.ledger.setCapital(live.capitalMicros, nowMs);
    state.capitalMoved(sub(live.capitalMicros, before));
  }
  state.executor.setConfigHash(command.hash);
  state.executor.withdraw(null, nowMs);
  state.queue.recall(isOfPlace, 'the configuration has changed');
  state.markets.configure(state.settings, nowMs);
  state.poller.expedite({ kind: 'catalog' });
  for (const { conditionId } of state.markets.all) state.requestRequote(conditionId);
  rememberConfig(state.ledger, { ...command, atMs: nowMs });
  const reason = command.reason === '' ? '' : `: ${command.reason}`;
  state.alert(nowMs, 'configured', `configuration ${command.hash.slice(0, 12)} is in force (${command.by}${reason})`);
}

/** Keeps the running module if its code is unchanged. */
function withModule(strategy: LiveStrategy, { settings }: TraderState): readonly StrategySettings[] {
  const running = settings.strategies.find(
    ({ name, moduleKey }) => name === strategy.name && moduleKey === strategy.moduleKey,
  );
  const module = running?.module ?? settings.findModule?.(strategy.moduleKey) ?? null;
  return module === null ? [] : [{ ...strategy, module }];
}
