/** Combines everything that stops or restricts the trader: mode, guards, pauses, unreadable lists, fleet. */

import { AssertionFailed } from '../../../shared/base/errors.js';
import type { Micros } from '../../../shared/base/micros.js';
import type { Executor } from '../../executor/executor.js';
import type { BookedFill, IntentKind, Ledger, LedgerReader, Notes } from '../../ledger/contract.js';
import type { Reconciler } from '../../reconcile/reconciler.js';
import type { RiskStance } from '../../risk/controls.js';
import type { RiskLimits } from '../../risk/limits.js';
import { Guards } from '../guards/guards.js';
import type { Notices } from '../notices.js';
import type { Account } from '../own/account.js';
import { Silence, UnreadLists, UnreadMarkets } from '../unread-lists.js';
import type { StepClock } from '../venue-clock.js';
import { type HeldBack, MODES_NOTE, type Mode, type ModeNow, Modes, type Stops, type StoredModes } from './modes.js';
import { Pauses } from './pauses.js';

/** Longest wait of a stop for conversions in flight, ms; the next start books later ones. */
const CONVERSION_PATIENCE_MS = 10_000;
const UNCLAIMED = 'this market is not claimed by this wallet of the fleet';

interface FleetBounds {
  /** Why all orders are canceled; null when they may rest. */
  readonly hold: string | null;
  readonly markets: ReadonlySet<string>;
}

interface Watched {
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
  /** Bounds by the fleet; null without one. */
  fleet: FleetBounds | null = null;
  /** Stance of the newest step; orders begun under another stance are decided again. */
  stance: RiskStance = 'halted';
  readonly #watched: Watched;
  /** One reused object, because every step reads the mode several times. */
  readonly #stops: { -readonly [Name in keyof Stops]: Stops[Name] } = {
    halted: null,
    reducing: null,
    widened: null,
    fleet: null,
    unread: null,
  };

  constructor(watched: Watched, limits: RiskLimits) {
    const { ledger } = watched;
    this.#watched = watched;
    this.modes = readModes(ledger);
    this.guards = new Guards(ledger, limits);
    this.pauses = new Pauses(ledger);
    // A halt may have left resting orders, as a kill may.
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
    // No order rests, but a conversion is in flight: wait a short time instead of leaving it to the next start.
    const { seenMs } = this.#watched.clock;
    const waitedMs = Math.abs(seenMs - (this.modes.provenMs ?? seenMs));
    return waitedMs < CONVERSION_PATIENCE_MS
      ? { mode: 'stopping', reason: 'a merge, split or redeem is being settled' }
      : now;
  }

  /** Why only reducing orders are allowed after contradictory answers of the exchange; null without one. */
  get reduceOnly(): string | null {
    return this.#watched.reconciler.verdict ?? this.guards.fillAlarm.text;
  }

  /**
   * Why the trader or a part of it is stopped or restricted until an operator resumes with a reason; null when it is
   * not.
   */
  get stopped(): string | null {
    return this.guards.halted ?? this.pauses.first ?? this.guards.fillAlarm.text ?? this.heldBack?.reason ?? null;
  }

  /** Restriction by a partly used loss limit, if nothing stricter applies; null without one. */
  get heldBack(): HeldBack | null {
    const { mode: rung, reason } = this.mode();
    if (rung !== 'widened' && rung !== 'reducing') return null;
    return reason === this.guards.loss.rung[rung] ? { rung, reason } : null;
  }

  /** Why nothing is quoted or converted in one market; undefined if it is allowed. */
  whyPaused(conditionId: string): string | undefined {
    return (
      this.pauses.findReason(conditionId) ??
      this.unreadMarkets.findReason(conditionId) ??
      this.whyUnclaimed(conditionId)
    );
  }

  /** Why this wallet may not quote a market by the fleet's claims; undefined if it may, and without a fleet. */
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
    // Days follow the exchange's clock, because ours may be wrong.
    this.halt(this.guards.loss.observe(clock.venue.nowMs(nowMs) ?? nowMs, worth), nowMs);
  }

  /** Counts a booked fill in the guards, and updates the loss for the next order. */
  countFill({ timestampS }: BookedFill, nowMs: number): void {
    this.halt(this.guards.observeFill(timestampS), nowMs);
    this.guards.storeFills();
    this.#measureLoss(nowMs);
  }

  /** Shifts the loss marks by a change of capital, and stores them. */
  capitalMoved(amount: Micros): void {
    this.guards.loss.capitalMoved(amount);
    this.saveLoss();
  }

  /** Stores losses together with marks and slow averages, which they depend on. */
  saveLoss(): void {
    const { loss } = this.guards;
    if (!loss.isStarted) return;
    loss.store();
    const { own, valuation } = this.#watched.account;
    valuation.save(own.held.keys());
  }

  /**
   * Halts the trader: a limit was reached or the API key is rejected. All orders are canceled until the exchange has
   * shown twice that none rests. Null has no effect.
   */
  halt(reason: string | null, nowMs: number): void {
    if (reason === null) return;
    this.modes.cancelAll();
    this.saveModes();
    const text = `${reason}; all orders are canceled until an operator resumes with a reason`;
    this.#watched.notices.alert(nowMs, 'halted', text);
  }
}

/** Only `Safety` writes the note, so it is valid JSON. */
const readModes = (ledger: Pick<Notes, 'note'>): Modes =>
  new Modes(JSON.parse(ledger.note(MODES_NOTE) ?? '{}') as Partial<StoredModes>);

const WITH_REASON = 'resume --reason TEXT';
/** Command after a restored backup, and when the ledger lacks a holding that the exchange shows. */
const ADOPT = 'ledger adopt --reason TEXT';

/** Command that lifts a stop; empty when nothing is stopped, or when it ends without a command. */
export function describeWayBack(safety: Safety, reconciler: Reconciler, mode: Mode): string {
  const { heldBack, modes, pauses, reduceOnly, stopped } = safety;
  const way = modes.wayBack(mode, stopped, heldBack !== null);
  // A resume accepts the differences and books nothing.
  const lacks = reconciler.verdict !== null || reconciler.accepted.length > 0;
  if (lacks && (way === '' || mode === 'reducing')) return ADOPT;
  // A contradictory fill and a pause of one market also need a reason to end.
  const isOdd = mode === 'reducing' && reduceOnly !== null;
  const isPausedSomewhere =
    mode === 'quoting' || mode === 'widened' || mode === 'reducing' ? pauses.first !== null : false;
  if (way !== '') return way;
  if (isOdd || isPausedSomewhere) return WITH_REASON;
  const [flattened] = pauses.flattened;
  return mode === 'quoting' && flattened !== undefined ? `resume --market ${flattened} --reason TEXT` : '';
}

/**
 * Reads the mode of the next start from a ledger: stops by an operator, a limit or an alarm.
 *
 * @param stopFile text of the stop file; null without one
 */
export function readNextStart(ledger: Pick<LedgerReader, 'note'>, limits: RiskLimits, stopFile: string | null) {
  const setNote = (key: string) => {
    throw new AssertionFailed(`the note ${key} is only read here`);
  };
  const notes: Notes = { note: (key) => ledger.note(key), setNote };
  const modes = readModes(notes);
  if (stopFile !== null) modes.apply({ kind: 'kill', reason: stopFile });
  modes.onStart();
  const { halted, fillAlarm } = new Guards({ ...notes, intents: () => [] }, limits);
  const alarm = fillAlarm.text;
  const paused = new Pauses(notes).first;
  const { mode, reason } = modes.mode({ halted, reducing: alarm, widened: null });
  const way = modes.wayBack(mode, halted ?? paused ?? alarm);
  const needsReason = way === '' && (mode === 'reducing' || (mode === 'quoting' && paused !== null));
  const why = mode === 'quoting' && paused !== null ? `except ${paused}` : reason;
  return { mode, reason: why, wayBack: needsReason ? WITH_REASON : way };
}
