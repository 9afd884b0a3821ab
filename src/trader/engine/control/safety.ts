/** Combines everything that stops or restricts the trader: mode, guards, pauses, unreadable lists, fleet. */

import type { Micros } from '../../../shared/base/micros.js';
import type { Executor } from '../../executor/executor.js';
import type { BookedFill, IntentKind, Ledger, LedgerReader, Notes } from '../../ledger/contract.js';
import { readStanding } from '../../reconcile/confirmed-differences.js';
import { agreementText } from '../../reconcile/differences.js';
import type { Reconciler } from '../../reconcile/reconciler.js';
import type { RiskFacts } from '../../risk/controls.js';
import type { RiskLimits } from '../../risk/limits.js';
import { Guards } from '../guards.js';
import { UNCLAIMED } from '../market-worth.js';
import { type Notices, Silence, UnreadLists, UnreadMarkets } from '../notices.js';
import type { Account } from '../own/account.js';
import type { StepClock } from '../venue-clock.js';
import { type Mode, type ModeNow, Modes } from './modes.js';

const MODES_NOTE = 'modes';

type Stops = Parameters<Modes['mode']>[0];

/** Maximum time that a stop waits for conversions in flight, ms. Later results are booked at the next start. */
const CONVERSION_PATIENCE_MS = 10_000;

interface SafetyInputs {
  readonly ledger: Ledger;
  readonly executor: Executor;
  readonly reconciler: Reconciler;
  readonly clock: StepClock;
  readonly notices: Notices;
  readonly account: Account;
}

export class Safety {
  readonly modes: Modes;
  readonly guards: Guards;
  readonly pauses: Pauses;
  readonly silence = new Silence();
  readonly unreadLists = new UnreadLists();
  readonly unreadMarkets = new UnreadMarkets();
  /** Null without a fleet. `markets`: claimed by this wallet. `foreign`: by others. `hold`: reason to cancel orders. */
  fleet: Readonly<{ hold: string | null; markets: ReadonlySet<string>; foreign: ReadonlySet<string> }> | null = null;
  /** Risk stance of the newest step; orders begun under another stance are decided again. */
  stance: RiskFacts['stance'] = 'halted';
  readonly #watched: SafetyInputs;
  /** Inputs that determine the mode. The object is reused, because every step reads the mode several times. */
  readonly #stops: { -readonly [Name in keyof Stops]: Stops[Name] } = {
    halted: null,
    reducing: null,
    widened: null,
    fleet: null,
    unread: null,
  };

  constructor(watched: SafetyInputs, limits: RiskLimits) {
    const { ledger } = watched;
    this.#watched = watched;
    this.modes = readModes(ledger);
    this.guards = new Guards(ledger, limits);
    this.pauses = new Pauses(ledger);
    // An earlier process that was halted may have left resting orders.
    if (this.guards.halted !== null) this.modes.cancelAll();
  }

  mode(): ModeNow {
    const { widened, reducing } = this.guards.loss.rung;
    const stops = this.#stops;
    stops.halted = this.guards.halted;
    stops.reducing = this.reduceOnly ?? reducing;
    stops.widened = widened;
    stops.fleet = this.fleet?.hold ?? null;
    stops.unread = this.unreadLists.pulled;
    const now = this.modes.mode(stops);
    if (now.mode !== 'stopped') return now;
    const reservations = this.#watched.executor.reservations();
    const isConversion = (kind: IntentKind) => kind !== 'place' && kind !== 'cancel';
    if (!reservations.some(({ kind, phase }) => isConversion(kind) && phase !== 'abandoned')) return now;
    // Even if no order rests, a conversion may be in flight. The stop waits briefly, to book the conversion's result.
    const { seenMs } = this.#watched.clock;
    const waitedMs = Math.abs(seenMs - (this.modes.provenMs ?? seenMs));
    return waitedMs < CONVERSION_PATIENCE_MS
      ? { mode: 'stopping', reason: 'the trader waits until a merge, split or redeem has settled' }
      : now;
  }

  /** Why only reducing orders are allowed: ledger and exchange differ, or a fill is contradictory; null if neither. */
  get reduceOnly(): string | null {
    return this.#watched.reconciler.verdict ?? this.guards.fillAlarm.text;
  }

  /** Why a resume of the trader or of a market needs a reason; null if it needs none. */
  get stopped(): string | null {
    return this.guards.halted ?? this.pauses.first ?? this.guards.fillAlarm.text ?? this.heldBack?.reason ?? null;
  }

  /** Mode that a partly used loss limit causes; null if no loss limit causes the present mode. */
  get heldBack() {
    const { mode: rung, reason } = this.mode();
    if (rung !== 'widened' && rung !== 'reducing') return null;
    return reason === this.guards.loss.rung[rung] ? { rung, reason } : null;
  }

  /** True if the market's holding is being sold. Nothing is sold in a market that the trader itself has paused. */
  isFlattening(conditionId: string): boolean {
    const isAll = this.mode().mode === 'flattening' && this.pauses.get(conditionId)?.kind !== 'refused';
    return isAll || this.pauses.flattening.includes(conditionId);
  }

  /** Returns why a market is neither quoted nor converted; undefined if quotes and conversions are allowed. */
  whyPaused(conditionId: string): string | undefined {
    return (
      this.pauses.get(conditionId)?.reason ??
      this.unreadMarkets.findReason(conditionId) ??
      this.whyUnclaimed(conditionId)
    );
  }

  /** Returns why the fleet forbids this wallet to quote a market; undefined if not forbidden, or without a fleet. */
  whyUnclaimed(conditionId: string): string | undefined {
    return this.fleet === null || this.fleet.markets.has(conditionId) ? undefined : UNCLAIMED;
  }

  saveModes(): void {
    this.#watched.ledger.setNote(MODES_NOTE, JSON.stringify(this.modes.stored));
  }

  /** Values the holdings and passes the result to the loss guard. */
  valueHoldings(nowMs: number): void {
    const { account } = this.#watched;
    account.readMarks(nowMs);
    this.#measureLoss(nowMs);
    if (this.guards.loss.isDue || account.valuation.takeDue(nowMs)) this.saveLoss();
  }

  #measureLoss(nowMs: number): void {
    const { account, clock } = this.#watched;
    const worth = account.value(nowMs - (clock.bornMs ?? nowMs));
    if (worth === null) return;
    // The day of a loss is taken from the exchange's clock, because our clock may be wrong.
    this.halt(this.guards.loss.observe(clock.venue.nowMs(nowMs) ?? nowMs, worth), nowMs);
  }

  /** Counts a booked fill in the risk guards, and updates the measured loss before the next order. */
  countFill({ timestampS }: BookedFill, nowMs: number): void {
    this.halt(this.guards.observeFill(timestampS), nowMs);
    this.guards.storeFills();
    this.#measureLoss(nowMs);
    // A halt is stored in the same transaction as the fill that caused it.
    if (this.guards.loss.isDue) this.saveLoss();
  }

  /** Call after a change of capital: shifts the loss guard's reference values by `amount`, and stores its state. */
  capitalMoved(amount: Micros): void {
    this.guards.loss.guard?.capitalMoved(amount);
    this.saveLoss();
  }

  /** Stores the losses, and the marks and slow price averages from which losses are computed. */
  saveLoss(): void {
    const { loss } = this.guards;
    if (loss.guard === null) return;
    loss.store();
    const { own, valuation } = this.#watched.account;
    valuation.save(own.held.keys());
  }

  /** Halts the trader: cancels all orders until two reads show none. A null `reason` has no effect. */
  halt(reason: string | null, nowMs: number): void {
    if (reason === null) return;
    this.modes.cancelAll();
    this.saveModes();
    const text = `${reason}; all orders are canceled until an operator resumes with a reason`;
    this.#watched.notices.alert(nowMs, 'halted', text);
  }
}

/** Only `Safety` writes this ledger note, so it is valid JSON. */
const readModes = (ledger: Pick<Notes, 'note'>): Modes =>
  new Modes(JSON.parse(ledger.note(MODES_NOTE) ?? '{}') as Partial<Modes['stored']>);

const WITH_REASON = 'resume --reason TEXT';
/** Command for the operator after a restored backup, or when the ledger lacks a holding that the exchange shows. */
const ADOPT = 'ledger adopt --reason TEXT';

/** Returns the command by which an operator ends a stop or restriction; empty if no command is needed. */
export function describeWayBack(safety: Safety, reconciler: Reconciler, mode: Mode): string {
  const { heldBack, modes, pauses, reduceOnly, stopped } = safety;
  const way = modes.wayBack(mode, stopped, heldBack !== null);
  // `resume` accepts differences but does not correct the ledger, so `adopt` is proposed instead.
  if (reconciler.isLacking && (way === '' || mode === 'reducing')) return ADOPT;
  if (way !== '') return way;
  // After a contradictory fill, or while a market is paused, a resume also needs a reason.
  const isOdd = mode === 'reducing' && reduceOnly !== null;
  const mayQuote = mode === 'quoting' || mode === 'widened' || mode === 'reducing';
  if (isOdd || (mayQuote && pauses.first !== null)) return WITH_REASON;
  const [flattened] = pauses.flattened;
  return mode === 'quoting' && flattened !== undefined ? `resume --market ${flattened} --reason TEXT` : '';
}

/** Returns the mode that the next start reads from the ledger. `stopFile`: text of the stop file; null without one. */
export function readNextStart(ledger: Pick<LedgerReader, 'note'>, limits: RiskLimits, stopFile: string | null) {
  const notes: Notes = { note: (key) => ledger.note(key), setNote: () => undefined };
  const modes = readModes(notes);
  if (stopFile !== null) modes.apply({ kind: 'kill', reason: stopFile });
  modes.isStarted = true;
  const { halted, fillAlarm } = new Guards({ ...notes, intents: () => [] }, limits);
  const alarm = fillAlarm.text;
  const paused = new Pauses(notes).first;
  const { open } = readStanding(notes);
  const reducing = open > 0 ? agreementText(open, []) : alarm;
  const { mode, reason } = modes.mode({ halted, reducing, widened: null });
  const way = open > 0 && mode === 'reducing' ? ADOPT : modes.wayBack(mode, halted ?? paused ?? alarm);
  const needsReason = way === '' && (mode === 'reducing' || (mode === 'quoting' && paused !== null));
  const why = mode === 'quoting' && paused !== null ? `except ${paused}` : reason;
  return { mode, reason: why, wayBack: needsReason ? WITH_REASON : way };
}

const NOTE = 'paused_markets';

/** Cause of a pause: the trader itself (`refused`), the operator, or a flatten (during and after its sales). */
type PauseKind = 'refused' | 'operator' | 'flattening' | 'flattened';

interface Pause {
  readonly reason: string;
  readonly kind: PauseKind;
}

type StoredPause = readonly [conditionId: string, reason: string, kind?: PauseKind];

/**
 * Pauses of single markets, kept across restarts. A pause or flatten by the operator ends only with a resume of that
 * market. A pause by the trader, for example after the signer refused, also ends with a resume of all markets; a pause
 * by the operator in the same market then remains.
 */
class Pauses {
  readonly #notes: Notes;
  readonly #refused = new Map<string, Pause>();
  readonly #byOperator = new Map<string, Pause>();
  /** Markets whose holdings are being sold. */
  flattening: readonly string[] = [];

  constructor(notes: Notes) {
    this.#notes = notes;
    // Only `Pauses` writes this ledger note, so it is valid JSON.
    const stored = JSON.parse(notes.note(NOTE) ?? '[]') as readonly StoredPause[];
    for (const [id, reason, kind = 'refused'] of stored) this.#of(kind).set(id, { reason, kind });
    this.#listFlattening();
  }

  get(conditionId: string): Pause | undefined {
    return this.#refused.get(conditionId) ?? this.#byOperator.get(conditionId);
  }

  /** Describes the first market that the trader itself paused; null if none. Resuming it needs a reason. */
  get first(): string | null {
    for (const [id, { reason }] of this.#refused) return `market ${id}: ${reason}`;
    return null;
  }

  get all(): readonly { readonly conditionId: string; readonly reason: string }[] {
    const pauses = new Map([...this.#byOperator, ...this.#refused]);
    return Array.from(pauses, ([conditionId, { reason }]) => ({ conditionId, reason }));
  }

  pause(conditionId: string, reason: string): void {
    this.#set(conditionId, { reason, kind: 'refused' });
  }

  /** Pauses a market for the operator. In a market with a flatten, only ends the sales, and ignores `reason`. */
  pauseByOperator(conditionId: string, reason: string): void {
    const before = this.#byOperator.get(conditionId)?.kind ?? 'operator';
    if (before === 'operator') this.#set(conditionId, { reason, kind: 'operator' });
    else this.endFlattening(conditionId);
  }

  get flattened(): readonly string[] {
    return [...this.#byOperator].flatMap(([id, { kind }]) => (kind === 'flattened' ? [id] : []));
  }

  /** Begins to flatten a market. The pause is stored before the first sale, so that no restart quotes the market. */
  flatten(conditionId: string): void {
    this.#set(conditionId, { reason: 'the operator is flattening the market', kind: 'flattening' });
  }

  /** Ends the sales of a flatten in a market, which stays paused. */
  endFlattening(conditionId: string): void {
    this.#set(conditionId, { reason: 'flattened by the operator', kind: 'flattened' });
  }

  /** Ends the sales of all flattens, also of those that a pause by the trader interrupts. */
  endAllFlattening(): void {
    for (const [id, { kind }] of this.#byOperator) if (kind === 'flattening') this.endFlattening(id);
  }

  resume(conditionId: string): void {
    this.#refused.delete(conditionId);
    this.#byOperator.delete(conditionId);
    this.#store();
  }

  /** Ends all pauses that the trader itself began; pauses by an operator stay. */
  liftOwn(): void {
    this.#refused.clear();
    this.#store();
  }

  #of(kind: PauseKind): Map<string, Pause> {
    return kind === 'refused' ? this.#refused : this.#byOperator;
  }

  #set(conditionId: string, pause: Pause): void {
    this.#of(pause.kind).set(conditionId, pause);
    this.#store();
  }

  #store(): void {
    this.#listFlattening();
    const stored = [...this.#byOperator, ...this.#refused].map(
      ([id, { reason, kind }]): StoredPause => [id, reason, kind],
    );
    this.#notes.setNote(NOTE, JSON.stringify(stored));
  }

  #listFlattening(): void {
    const ids = [...this.#byOperator].flatMap(([id, { kind }]) => (kind === 'flattening' ? [id] : []));
    // Nothing is signed in a market that the trader has paused.
    this.flattening = ids.filter((id) => !this.#refused.has(id));
  }
}
