/** Checks and executes the operator's commands. */

import { add, complement, formatDecimal, type Micros, micros, mul, sub, ZERO } from '../../../shared/base/micros.js';
import { type MarketOutcome, yesValue } from '../../../shared/protocol/outcome.js';
import type { ConfigureCommand, FleetCommand, OperatorCommand } from '../../../shared/protocol/seam.js';
import type { Notes } from '../../ledger/contract.js';
import type { Adoption } from '../../reconcile/comparison.js';
import { inWords } from '../../reconcile/confirmed-differences.js';
import type { Markets } from '../markets.js';
import { showTitle } from '../notices.js';
import type { Account } from '../own/account.js';
import type { StrategySettings, TraderSettings } from '../settings.js';
import type { TraderState } from '../state.js';
import { endConversionWait } from './complete-sets.js';
import { LADDER } from './modes.js';
import type { Safety } from './safety.js';

/** Returns one sentence with the reason and the remedy if a command would be rejected now; otherwise null. */
export function commandRefusal(state: TraderState, command: OperatorCommand): string | null {
  switch (command.kind) {
    case 'pause-market':
      return unknownMarket(state.markets, command) ?? state.safety.modes.refusal(command, null);
    case 'resume-market':
      return resumeRefusal(state, command.marketConditionId, command.reason);
    case 'flatten-market':
      return unknownMarket(state.markets, command) ?? flattenRefusal(state.safety, command);
    case 'adopt':
      return adoptRefusal(state, command.reason);
    default:
      return state.safety.modes.refusal(command, state.safety.stopped);
  }
}

export function obey(state: TraderState, command: OperatorCommand, nowMs: number): void {
  const { safety, notices, markets, requests } = state;
  if (command.kind === 'quote-hours') {
    const { strategy, open } = command;
    markets.setQuoteHours(strategy, open);
    const where = open ? 'within' : 'outside';
    return notices.notify(nowMs, 'quote_hours', `strategy ${strategy} is ${where} its quote hours`);
  }
  if (command.kind === 'configure') return configure(state, command, nowMs);
  if (command.kind === 'fleet') return setFleetBounds(state, command, nowMs);
  const refusal = commandRefusal(state, command);
  if (refusal !== null) return notices.alert(nowMs, 'command_refused', `${command.kind}: ${refusal}`);
  if (command.kind === 'reconcile') {
    // A `reconcile` command is logged without an alert, because a timer may repeat it every minute.
    notices.notify(nowMs, 'command', command.kind);
    for (const kind of ['orders', 'assets', 'fills'] as const) requests.poller.expedite({ kind });
    return;
  }
  if ('marketConditionId' in command) return turnMarket(state, command, nowMs);
  const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
  notices.alert(nowMs, 'command', `${command.kind}${reason}`);
  // `heldBack` depends on the mode, so it is read before the command changes the mode.
  const isHeldBack = safety.heldBack !== null;
  if (command.kind === 'adopt') adopt(state, command.reason, nowMs);
  safety.modes.apply(command);
  if (command.kind === 'flatten') for (const entry of markets.all) endConversionWait(entry);
  // A pause, cancel-all or kill also ends the sales of an earlier flatten.
  if (ENDS_SALES.includes(command.kind)) safety.pauses.endAllFlattening();
  if (command.kind === 'resume') resume(state, command.reason, isHeldBack, nowMs);
  safety.saveModes();
  markets.requestRequote();
}

function setFleetBounds({ safety, markets, notices }: TraderState, command: FleetCommand, nowMs: number): void {
  const { hold } = command;
  const before = safety.fleet?.hold ?? null;
  safety.fleet = { hold, markets: new Set(command.markets), foreign: new Set(command.foreign) };
  markets.requestRequote();
  if (hold === before) return;
  if (hold === null) notices.notify(nowMs, 'fleet', 'this trader holds the lease on the wallet again');
  else if (before === null) notices.alert(nowMs, 'fleet', hold);
}

const ENDS_SALES: readonly OperatorCommand['kind'][] = ['pause', 'cancel-all', 'kill'];

type MarketCommand = Extract<OperatorCommand, { marketConditionId: string }>;

const unknownMarket = (markets: Markets, { marketConditionId: id }: MarketCommand): string | null =>
  markets.get(id) === undefined
    ? `the trader tracks no market with the condition id ${id}; \`twinbook top\` lists its markets`
    : null;

function resumeRefusal({ markets, safety }: TraderState, id: string, reason: string): string | null {
  const [pause, entry] = [safety.pauses.get(id), markets.get(id)];
  const hasFailed = entry?.excludedBecause || entry?.slots.some(({ sandbox }) => sandbox?.failure);
  if (pause === undefined && hasFailed) return null;
  if (pause === undefined) return `market ${id} is not paused; \`twinbook explain ${id}\` shows why it is not quoted`;
  if (pause.kind === 'operator' || reason !== '') return null;
  return `this command needs a reason (${pause.reason}): resume --market … --reason TEXT`;
}

/** Returns why one market cannot be flattened; null if it can. Without quotes, only all markets can be flattened. */
function flattenRefusal(safety: Safety, { marketConditionId: id }: MarketCommand): string | null {
  const { modes, pauses } = safety;
  const { mode, reason } = safety.mode();
  const pause = pauses.get(id);
  if (pause?.kind === 'refused')
    return `market ${id} is paused (${pause.reason}): nothing is signed there until resume --market … --reason TEXT`;
  const isSoon = mode === 'starting' || mode === 'canceling';
  if (isSoon || LADDER[mode].orders === 'quotes') return null;
  if (mode === 'flattening') return 'all markets are already being flattened';
  return (
    modes.refusal({ kind: 'flatten' }, null) ??
    `the trader is ${mode} (${reason}): single markets cannot be flattened; use flatten for all, or resume first`
  );
}

function turnMarket(state: TraderState, command: MarketCommand, nowMs: number): void {
  const { notices, markets, safety, executor, requests } = state;
  const { kind, marketConditionId: id } = command;
  const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
  notices.alert(nowMs, 'command', `${kind} "${showTitle(markets, id)}" (${id})${reason}`);
  if (kind === 'pause-market') safety.pauses.pauseByOperator(id, command.reason);
  else if (kind === 'flatten-market') safety.pauses.flatten(id);
  else {
    safety.pauses.resume(id);
    markets.reopen(id);
    requests.poller.expedite({ kind: 'detail', marketConditionId: id });
  }
  // Intents in flight are withdrawn: their signatures are not sent, and their lost drafts are not requested again.
  executor.withdraw(id, nowMs, kind === 'pause-market' ? ['place', 'split', 'merge'] : ['place', 'split']);
  if (kind === 'flatten-market') endConversionWait(markets.get(id));
  markets.requestRequote(id);
}

/**
 * Ends a pause, a halt, or the restriction by a loss limit. Markets that an operator paused stay paused. Differences
 * between ledger and exchange are accepted only if the operator gives a reason.
 */
function resume(state: TraderState, reason: string, isHeldBack: boolean, nowMs: number): void {
  const { safety, markets, requests, reconciler, notices, executor } = state;
  // A sale that a flatten began must not be sent after the resume.
  executor.withdraw(null, nowMs);
  safety.guards.resume(isHeldBack);
  safety.saveLoss();
  safety.pauses.liftOwn();
  for (const { excludedBecause, conditionId } of markets.all)
    if (excludedBecause !== null) requests.poller.expedite({ kind: 'detail', marketConditionId: conditionId });
  markets.reopen();
  const accepted = reason === '' ? [] : reconciler.accept(nowMs, reason);
  for (const difference of accepted)
    notices.alert(nowMs, 'reconciliation', `difference accepted and no longer reported: ${inWords(difference)}`);
}

/** Returns why the ledger cannot adopt the exchange's holdings now; null if it can. Changes nothing. */
function adoptRefusal({ reconciler, executor }: TraderState, reason: string): string | null {
  if (reason === '') return 'adopt needs a reason: ledger adopt --reason TEXT';
  const plan = executor.disputed.length > 0 ? null : reconciler.planAdoption();
  return typeof plan === 'string' ? `${plan}; nothing was booked, try again in half a minute` : null;
}

/** Makes the ledger's holdings equal to the exchange's, e.g. after a restored backup. Call `adoptRefusal` first. */
function adopt(state: TraderState, reason: string, nowMs: number): void {
  const { reconciler, requests, executor, notices } = state;
  const plan = executor.disputed.length > 0 ? '' : reconciler.planAdoption();
  for (const inFlight of executor.disputed) {
    inFlight.adoptedMicros = inFlight.disputedMicros;
    const { kind, id } = inFlight.intent;
    notices.alert(nowMs, 'adopted', `the record of ${kind} ${id}; once it is booked, run ledger adopt again`);
  }
  if (typeof plan === 'string') return;
  bookAdoption(state, plan, reason, nowMs);
  for (const fill of executor.missingFills()) if (reconciler.isLost(fill.orderPubkey)) executor.endWait(fill, nowMs);
  reconciler.onAdopted(nowMs);
  requests.poller.expedite({ kind: 'assets' });
}

/** Adopts shares that comparisons skip, if a redeem has paid for them. `outcome`: the market's result, or null. */
export function adoptRedeemed(state: TraderState, market: string, outcome: MarketOutcome | null, nowMs: number): void {
  const plan = state.reconciler.takeRedeemed(market);
  if (plan.length > 0 && outcome !== null) state.account.valuation.marks.set(market, yesValue(outcome));
  bookAdoption(state, plan, 'a redeem has paid for these shares', nowMs, true);
}

/** Books the plan. `isPaid`: a redeem has paid for the shares, so equity never contained their negative holding. */
function bookAdoption(state: TraderState, plan: Adoption, reason: string, nowMs: number, isPaid = false): void {
  const { account, markets } = state;
  let worth = ZERO;
  for (const outcome of plan) {
    const restWorthMicros = worthOf(account, outcome);
    state.ledger.adopt({ ...outcome, restWorthMicros }, reason, nowMs);
    worth = add(worth, isPaid ? restWorthMicros : equityChange(state, outcome));
    // A holding needs a price for its valuation, so its market is tracked.
    markets.track(outcome.marketConditionId);
    state.notices.alert(nowMs, 'adopted', describeOutcome(markets, outcome, restWorthMicros));
  }
  // The change of equity counts as a transfer of capital, because it is not a trading profit.
  if (worth !== 0) state.safety.capitalMoved(worth);
  account.invalidate();
}

/** Returns the value, at the market's mark, of adopted shares without an exchange record; zero without a mark. */
function worthOf({ valuation }: Account, { marketConditionId, isYes, restMicros }: Adoption[number]): Micros {
  const mark = valuation.marks.get(marketConditionId);
  if (mark === undefined) return ZERO;
  return micros(Math.sign(restMicros) * mul(isYes ? mark : complement(mark), micros(Math.abs(restMicros)), 'floor'));
}

/** Returns the change of equity by the adopted shares without an exchange record; zero without a mark. */
function equityChange({ account, ledger }: TraderState, outcome: Adoption[number]): Micros {
  const { marketConditionId: id, isYes, restMicros } = outcome;
  const now = { yesMicros: ledger.shares(id, true), noMicros: ledger.shares(id, false) };
  const name = isYes ? 'yesMicros' : 'noMicros';
  const before = account.valuation.valueOf(id, { ...now, [name]: sub(now[name], restMicros) });
  const after = account.valuation.valueOf(id, now);
  return before === null || after === null ? ZERO : sub(after, before);
}

function describeOutcome(markets: Markets, outcome: Adoption[number], restWorth: Micros): string {
  const { marketConditionId, isYes, ledgerMicros, exchangeMicros, recorded, restMicros } = outcome;
  const name = `${isYes ? 'YES' : 'NO'} of "${showTitle(markets, marketConditionId)}"`;
  const spent = micros(recorded.reduce((sum, { spentMicros, feesMicros }) => sum + spentMicros + feesMicros, 0));
  const parts = [`${name}: ${formatDecimal(ledgerMicros)} in the ledger before, ${formatDecimal(exchangeMicros)} now`];
  if (recorded.length > 0) parts.push(`records of the exchange change cash by ${formatDecimal(micros(-spent))}`);
  const booked = `shares have no exchange record and are booked at a cost of ${formatDecimal(restWorth)}`;
  if (restMicros !== 0) parts.push(`${formatDecimal(restMicros)} ${booked}`);
  return parts.join('; ');
}

/** Status text of quote slots whose orders are canceled because the operator lowered `capital`. */
export const LESS_CAPITAL = "the trader's capital is lower now: orders are canceled and placed again";

/** All trader settings that can be changed while the trader runs. */
export interface LiveSettings extends Pick<TraderSettings, 'capitalMicros' | 'risk' | 'merge' | 'economics'> {
  readonly strategies: readonly LiveStrategy[];
}

interface LiveStrategy extends Omit<StrategySettings, 'module' | 'moduleKey'> {
  readonly moduleKey: string;
}

/**
 * Applies new settings; applies none of them if a strategy's code is not loaded. Orders in flight are withdrawn and
 * decided again with the new settings. Halts, pauses, a kill, measured losses and market estimates are kept.
 */
function configure(state: TraderState, command: ConfigureCommand, nowMs: number): void {
  const { account, executor, ledger, markets, notices, requests, safety } = state;
  // The cast is safe: the shell wrote this JSON from the same types.
  const { strategies: wanted, ...live } = JSON.parse(command.config).settings as LiveSettings;
  const strategies = wanted.flatMap((strategy) => withModule(strategy, state.settings));
  if (strategies.length < wanted.length) {
    const text = 'configure: the code of a strategy is not loaded; no setting was changed';
    return notices.alert(nowMs, 'command_refused', text);
  }
  const { capitalMicros: before } = state.settings;
  state.settings = { ...state.settings, ...live, strategies, configHash: command.hash };
  safety.guards.configure(live.risk);
  if (live.capitalMicros !== before) {
    ledger.setCapital(live.capitalMicros, nowMs);
    safety.capitalMoved(sub(live.capitalMicros, before));
    // The next valuation must use the new cash. With the old cash, the change of capital would look like a loss.
    account.invalidate();
  }
  executor.setConfigHash(command.hash);
  executor.withdraw(null, nowMs, ['place', 'split']);
  markets.configure(state.settings, nowMs);
  if (live.capitalMicros < before) markets.pullOrders(LESS_CAPITAL);
  requests.poller.expedite({ kind: 'catalog' });
  markets.requestRequote();
  rememberConfig(ledger, { ...command, atMs: nowMs });
  const reason = command.reason === '' ? '' : `: ${command.reason}`;
  notices.alert(nowMs, 'configured', `configuration ${command.hash.slice(0, 12)} is in force (${command.by}${reason})`);
}

/** Adds the module to a strategy's settings: the running one if its code is equal. Returns [] if none is loaded. */
function withModule(strategy: LiveStrategy, settings: TraderSettings): readonly StrategySettings[] {
  const { name, moduleKey } = strategy;
  const running = settings.strategies.find((each) => each.name === name && each.moduleKey === moduleKey);
  const module = running?.module ?? settings.findModule?.(moduleKey) ?? null;
  return module === null ? [] : [{ ...strategy, module }];
}

export const HISTORY_NOTE = 'config.history';

/** Maximum number of entries in the configuration history; older entries are dropped. */
const MOST_ENTRIES = 200;

interface ConfigEntry {
  /** Time of the configuration change, our clock, ms. */
  readonly atMs: number;
  readonly hash: string;
  readonly by: 'start' | 'operator' | 'rollback';
  readonly reason: string;
  /** SHA-256 of the copy of the configuration files that is stored beside the ledger; empty without a copy. */
  readonly copy: string;
  /** One sentence for each setting that differs from the previous configuration. */
  readonly changes: readonly string[];
}

/** Reads the configuration history from the ledger, oldest entry first. */
export function configHistory(ledger: Pick<Notes, 'note'>): readonly ConfigEntry[] {
  // Only `rememberConfig` writes this ledger note, so it is valid JSON.
  return JSON.parse(ledger.note(HISTORY_NOTE) ?? '[]') as ConfigEntry[];
}

/** Adds an entry to the configuration history. The caller must open a ledger transaction. */
export function rememberConfig(ledger: Notes, { atMs, hash, by, reason, copy, changes }: ConfigEntry): void {
  const history = [...configHistory(ledger), { atMs, hash, by, reason, copy, changes }].slice(-MOST_ENTRIES);
  ledger.setNote(HISTORY_NOTE, JSON.stringify(history));
}

/** Adds an entry for this start if the hash or the copy has changed. The caller must open a ledger transaction. */
export function rememberStart(ledger: Notes, start: Omit<ConfigEntry, 'by'>): void {
  const last = configHistory(ledger).at(-1);
  if (start.hash !== last?.hash || (start.copy !== '' && start.copy !== last.copy))
    rememberConfig(ledger, { ...start, by: 'start' });
}
