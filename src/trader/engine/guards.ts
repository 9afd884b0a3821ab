/** Guards that halt or restrict the trader after losses, fills or rejections; their state survives restarts. */

import type { Micros } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/text.js';
import { refusesKey } from '../../shared/protocol/errors.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import type { LedgerReader, Notes } from '../ledger/contract.js';
import type { RiskLimits } from '../risk/limits.js';
import {
  ActionPace,
  FillGuard,
  type FillState,
  type HoldingsWorth,
  type LossFacts,
  LossGuard,
  lossRung,
  NO_FILLS,
  NO_LOSS_RUNG,
} from '../risk/loss-guard.js';

/** Number of intents to read per order or cancel allowed in a minute; above 1, because some are conversions. */
const ROWS_PER_ACTION = 2;

const FILLS_NOTE = 'fill_guard';

type GuardedLedger = Notes & Pick<LedgerReader, 'intents'>;

export class Guards {
  readonly loss: LossMemory;
  readonly fills: FillGuard;
  readonly keys: KeyAlarm;
  /** Alarm for contradictory fills; it does not halt the trader, but allows only reducing orders. */
  readonly fillAlarm: FillAlarm;
  /** Orders and cancels of the last minute, including those of an earlier process. */
  readonly pace: ActionPace;
  /** Consecutive rejections of orders by the exchange, over all markets. */
  readonly exchangeRefusals = new ExchangeRefusals();
  readonly #notes: Notes;
  #limits: RiskLimits;

  constructor(ledger: GuardedLedger, limits: RiskLimits) {
    this.#notes = ledger;
    this.#limits = limits;
    this.loss = new LossMemory(ledger, limits);
    const fills = ledger.note(FILLS_NOTE);
    // Only this guard writes the ledger note, so it is valid JSON.
    this.fills = new FillGuard(fills === null ? NO_FILLS : (JSON.parse(fills) as FillState));
    this.keys = new KeyAlarm(ledger, 'key_alarm');
    this.fillAlarm = new FillAlarm(ledger, 'fill_alarm');
    const rows = ledger.intents({ limit: limits.maxActionsPerMinute * ROWS_PER_ACTION });
    const actions = rows.filter(({ kind }) => kind === 'place' || kind === 'cancel');
    this.pace = new ActionPace(actions.map(({ createdMs }) => createdMs));
  }

  /** Sets new risk limits. The guards' counts and an active halt remain. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
    this.loss.configure(limits);
  }

  /** Reason why a limit or a rejected API key has halted the trader; null if neither has. */
  get halted(): string | null {
    return this.loss.guard?.state.halted ?? this.fills.state.halted ?? this.keys.text;
  }

  /** Counts a fill at this exchange time, Unix s. Returns the reason if the fill halts trading, else null. */
  observeFill(timeS: number): string | null {
    return this.fills.observe(timeS, this.#limits);
  }

  /** Returns the number of fills in the window of `max_fills` that ends at this exchange time, ms. */
  fillsInWindow(nowMs: number): number {
    const sinceS = nowMs / 1000 - this.#limits.fillsWindowS;
    return this.fills.state.timesS.filter((timeS) => timeS > sinceS).length;
  }

  storeFills(): void {
    this.#notes.setNote(FILLS_NOTE, JSON.stringify(this.fills.state));
  }

  /** Clears all halts and alarms, after an operator's resume. The caller stores the losses and marks. */
  resume(isHeldBack: boolean): void {
    this.loss.resume(isHeldBack);
    this.fills.resume();
    this.storeFills();
    this.keys.clear();
    this.fillAlarm.clear();
  }
}

/** One sentence stored in a ledger note; only this class writes the note. */
class NotedText {
  text: string | null;
  readonly #notes: Notes;
  readonly #note: string;

  constructor(notes: Notes, note: string) {
    this.#notes = notes;
    this.#note = note;
    this.text = notes.note(note) || null;
  }

  protected write(text: string): void {
    this.#notes.setNote(this.#note, text);
    this.text = text || null;
  }

  /** Clears the stored sentence after an operator has accepted the alarm. */
  clear(): void {
    if (this.text !== null) this.write('');
  }
}

/**
 * Alarm for fills that contradict the signed orders, and for settled trades that were reverted. Ledger and exchange
 * agree on these wrong fills, so only this alarm detects them. Only reducing orders are allowed until an operator
 * resumes, also after a restart.
 */
class FillAlarm extends NotedText {
  #isNew = false;

  /** Raises the alarm. If an alarm is active, its text stays; the command `events` lists later texts. */
  raise(text: string): void {
    this.#isNew = true;
    if (this.text === null) this.write(text);
  }

  /** Returns true if the alarm was raised since the last call, even if it was already active. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }
}

/** Duration of rejections after which an API key counts as revoked, ms. Temporary rejections are shorter. */
const HALTS_AFTER_MS = 20_000;

/** Alarm for a rejected API key. All orders are canceled until an operator resumes, because fills cannot be read. */
class KeyAlarm extends NotedText {
  /** Start of each list's current series of key rejections, our clock, ms. */
  readonly #sinceMs = new Map<'orders' | 'fills', number>();

  /**
   * Records the outcome of a read of own orders or own trades. Returns the reason for a halt, or null. Timeouts and
   * other failures show nothing about the key. The caller must open a ledger transaction.
   */
  observe(list: 'orders' | 'fills', outcome: Outcome, nowMs: number): string | null {
    if (outcome.kind === 'answered') this.#sinceMs.delete(list);
    if (outcome.kind !== 'refused' || !refusesKey(outcome) || this.text !== null) return null;
    // If our clock was set back, the duration of the rejections starts at zero.
    const sinceMs = Math.min(this.#sinceMs.get(list) ?? nowMs, nowMs);
    this.#sinceMs.set(list, sinceMs);
    if (nowMs - sinceMs < HALTS_AFTER_MS) return null;
    const reason = `the exchange rejects the API key (${outcome.slug}: ${outcome.message})`;
    this.write(reason);
    return reason;
  }

  override clear(): void {
    this.#sinceMs.clear();
    super.clear();
  }
}

const LOSS_NOTE = 'loss_guard';
/** Loss figures before the first valuation of the holdings; nothing is quoted before that. */
const NO_LOSS: LossFacts = { dayLossMicros: 0 as Micros, drawdownMicros: 0 as Micros, halted: null };

/** The loss guard with its stored state, and the trader's restriction by a partly used loss limit. */
class LossMemory {
  readonly #notes: Notes;
  #limits: RiskLimits;
  /** The loss guard; null before the first valuation of the holdings. */
  guard: LossGuard | null;
  #stored: LossGuard['state'] | null;
  rung: ReturnType<typeof lossRung> = NO_LOSS_RUNG;

  constructor(notes: Notes, limits: RiskLimits) {
    this.#notes = notes;
    this.#limits = limits;
    const text = notes.note(LOSS_NOTE);
    // Only this guard writes the ledger note, so it is valid JSON.
    this.#stored = text === null ? null : (JSON.parse(text) as LossGuard['state']);
    this.guard = this.#stored === null ? null : new LossGuard(this.#stored);
  }

  /** Sets new loss limits. The measured losses and an active halt remain. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
    this.rung = lossRung(this.facts, limits);
  }

  get facts(): LossFacts {
    return this.guard?.facts ?? NO_LOSS;
  }

  /** Records the account's current value. Returns the reason if the loss halts trading, else null. */
  observe(nowMs: number, worth: HoldingsWorth): string | null {
    this.guard ??= LossGuard.start(nowMs, worth.equityMicros);
    const halted = this.guard.observe(nowMs, worth.equityMicros, this.#limits, worth.passingMicros);
    this.rung = lossRung(this.guard.facts, this.#limits);
    return halted;
  }

  /** True if the losses must be stored, because they differ too much from the stored losses. */
  get isDue(): boolean {
    if (this.guard === null) return false;
    return this.#stored === null || this.guard.hasMovedFrom(this.#stored, this.#limits);
  }

  store(): void {
    if (this.guard === null) return;
    this.#stored = this.guard.state;
    this.#notes.setNote(LOSS_NOTE, JSON.stringify(this.guard.state));
  }

  /** @param isHeldBack true if a partly used limit restricts the trader; the resume then accepts the loss so far */
  resume(isHeldBack: boolean): void {
    this.guard?.resume(isHeldBack);
    this.rung = lossRung(this.facts, this.#limits);
  }
}

const LONGEST_WAIT_MS = 30_000;
const MINUTE_MS = 60_000;
/** Maximum number of stored rejection times: one minute of attempts. */
const MOST_TIMES = 200;

export class ExchangeRefusals {
  /** The newest rejection and the unbroken series before it; null after an accepted order. */
  #row: {
    readonly slug: string;
    readonly words: string;
    readonly repeats: number;
    readonly sinceMs: number;
    /** Times of the newest rejections, our clock, ms. */
    readonly times: readonly number[];
  } | null = null;
  #isTold = false;

  /** @param nowMs our clock */
  onRefused({ slug, reason }: { readonly slug: string; readonly reason: string }, nowMs: number): void {
    const before = this.#row;
    this.#row = {
      slug,
      words: reason,
      repeats: before?.slug === slug ? before.repeats + 1 : 1,
      // If our clock was set back, the series of rejections counts as beginning now.
      sinceMs: Math.min(before?.sinceMs ?? nowMs, nowMs),
      times: [...(before?.times ?? []), nowMs].slice(-MOST_TIMES),
    };
  }

  /** Records an accepted order. Returns true if a reported series of rejections ends, so that the end is reported. */
  onTaken(): boolean {
    const wasTold = this.#isTold;
    this.#row = null;
    this.#isTold = false;
    return wasTold;
  }

  /** Returns the wait before the next order, ms: `firstMs`, doubled with each repetition of the same rejection. */
  waitMs(firstMs: number): number {
    const doublings = Math.min((this.#row?.repeats ?? 1) - 1, 10);
    return Math.min(firstMs * 2 ** doublings, Math.max(firstMs, LONGEST_WAIT_MS));
  }

  /** Returns true once per series, when all orders of a whole minute were rejected. */
  takeLasting(nowMs: number): boolean {
    if (this.#row === null || this.#isTold || nowMs - this.#row.sinceMs < MINUTE_MS) return false;
    this.#isTold = true;
    return true;
  }

  /** Text with the error slug of the newest rejection; null if the newest order was accepted. */
  get note(): string | null {
    return this.#row === null ? null : `refused by the exchange: ${this.#row.slug}`;
  }

  describe(nowMs: number): string | null {
    if (this.#row === null) return null;
    const { slug, words, sinceMs, times } = this.#row;
    const lately = times.filter((atMs) => nowMs - atMs <= MINUTE_MS).length;
    return `the exchange has rejected all orders since ${utcText(sinceMs)} UTC, ${lately} in the last minute; the newest rejection: ${slug}, ${words}`;
  }
}
