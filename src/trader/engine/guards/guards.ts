/** Everything that watches what happens to the trader and remembers it over restarts. */

import type { Micros } from '../../../shared/base/micros.js';
import { utcText } from '../../../shared/base/utc-text.js';
import { refusesKey } from '../../../shared/protocol/errors.js';
import type { Outcome } from '../../../shared/protocol/seam.js';
import type { LedgerReader, Notes } from '../../ledger/contract.js';
import { ActionPace } from '../../risk/action-pace.js';
import { FillGuard, type FillState, NO_FILLS } from '../../risk/fill-guard.js';
import type { RiskLimits } from '../../risk/limits.js';
import {
  type DayResults,
  type LossFacts,
  LossGuard,
  type LossRung,
  type LossState,
  lossRung,
  NO_LOSS_RUNG,
} from '../../risk/loss-guard.js';
import type { HoldingsWorth } from '../own/valuation.js';

/** Ledger rows read for each allowed action of a minute: some rows are conversions. */
const ROWS_PER_ACTION = 2;

const FILLS_NOTE = 'fill_guard';

type GuardedLedger = Notes & Pick<LedgerReader, 'intents'>;

export class Guards {
  readonly loss: LossMemory;
  /** Too many fills in a short time. */
  readonly fills: FillGuard;
  readonly keys: KeyAlarm;
  /** Does not halt: only reducing orders are allowed while it stands. */
  readonly fillAlarm: FillAlarm;
  /** Orders and cancels of the last minute, of this process and the one before; stored as ledger rows. */
  readonly pace: ActionPace;
  /** Over all markets. */
  readonly exchangeRefusals = new ExchangeRefusals();
  readonly #notes: Notes;
  #limits: RiskLimits;

  constructor(ledger: GuardedLedger, limits: RiskLimits) {
    this.#notes = ledger;
    this.#limits = limits;
    this.loss = new LossMemory(ledger, limits);
    const fills = ledger.note(FILLS_NOTE);
    // This class alone writes the note, so it can be read.
    this.fills = new FillGuard(fills === null ? NO_FILLS : (JSON.parse(fills) as FillState), limits);
    this.keys = new KeyAlarm(ledger, 'key_alarm');
    this.fillAlarm = new FillAlarm(ledger, 'fill_alarm');
    this.pace = new ActionPace(newestActions(ledger, limits.maxActionsPerMinute));
  }

  /** Sets new limits; counts and halts stay. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
    this.loss.configure(limits);
  }

  /** Why a limit or a rejected key has stopped everything until an operator resumes; null without a halt. */
  get halted(): string | null {
    return this.loss.halted ?? this.fills.state.halted ?? this.keys.text;
  }

  /**
   * Counts one booked fill. Returns the reason when this fill halts, else null.
   * @param timeS exchange time of the fill, Unix s
   */
  observeFill(timeS: number): string | null {
    return this.fills.observe(timeS, this.#limits);
  }

  storeFills(): void {
    this.#notes.setNote(FILLS_NOTE, JSON.stringify(this.fills.state));
  }

  /** An operator resumes and accepts each halt and loss rung. The caller stores the losses together with the marks. */
  resume(isHeldBack: boolean): void {
    this.loss.resume(isHeldBack);
    this.fills.resume();
    this.storeFills();
    this.keys.clear();
    this.fillAlarm.clear();
  }
}

/** Our clock, ms, of the newest orders and cancels in the ledger; reads a bounded number of rows. */
function newestActions(ledger: GuardedLedger, perMinute: number): readonly number[] {
  const rows = ledger.intents({ limit: perMinute * ROWS_PER_ACTION });
  return rows.filter(({ kind }) => kind === 'place' || kind === 'cancel').map(({ createdMs }) => createdMs);
}

/** One sentence in a note of the ledger. This class alone writes the note, so it is read once. */
class NotedText {
  /** Null while it says nothing. */
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

  /** A person has taken note. */
  clear(): void {
    if (this.text !== null) this.write('');
  }
}

/**
 * Alarm for fills that cannot belong to the signed orders, and for settled trades that were reverted. Ledger and
 * exchange agree on such fills, since both repeat the exchange, so only this alarm stops the trader from quoting on.
 * Only reducing orders are allowed until an operator resumes, also after a restart.
 */
class FillAlarm extends NotedText {
  #isNew = false;

  /** The first text stays for the operator; `events` lists the others. */
  raise(text: string): void {
    this.#isNew = true;
    if (this.text === null) this.write(text);
  }

  /** True when it was raised since the last call, also if it already stood. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }
}

/** Time of rejections after which a key counts as revoked; shorter sign-in failures of a venue heal. */
const HALTS_AFTER_MS = 20_000;

/** Own lists that are read under a key. */
type OwnList = 'orders' | 'fills';

/**
 * Alarm for rejected API keys: they were revoked or the exchange lost them. Resting orders may fill unseen, so
 * everything is canceled. Nothing is quoted until an operator resumes, also after a restart.
 */
class KeyAlarm extends NotedText {
  /** Machine clock, ms, since every read of a list was rejected for its key. */
  readonly #sinceMs = new Map<OwnList, number>();

  /**
   * Takes in the outcome of a read of own orders or own trades. Returns the reason when it halts, else null. A list
   * that a key cannot read cannot be canceled under it either. Timeouts and other failures in between say nothing about
   * the key. Call within an open ledger transaction.
   */
  observe(list: OwnList, outcome: Outcome, nowMs: number): string | null {
    if (outcome.kind === 'answered') this.#sinceMs.delete(list);
    if (outcome.kind !== 'refused' || !refusesKey(outcome) || this.text !== null) return null;
    // After a clock set back, the time begins again.
    const sinceMs = Math.min(this.#sinceMs.get(list) ?? nowMs, nowMs);
    this.#sinceMs.set(list, sinceMs);
    if (nowMs - sinceMs < HALTS_AFTER_MS) return null;
    const reason = `the exchange refuses our API key (${outcome.slug}: ${outcome.message})`;
    this.write(reason);
    return reason;
  }

  override clear(): void {
    this.#sinceMs.clear();
    super.clear();
  }
}

const LOSS_NOTE = 'loss_guard';
/** No loss exists before the first valuation. Shares without a mark keep it so, and nothing is quoted. */
const NO_LOSS: LossFacts = { dayLossMicros: 0 as Micros, drawdownMicros: 0 as Micros, halted: null };

/** Losses: the guard that halts on them, and the rung of the ladder that a part of a limit leads to. */
class LossMemory {
  readonly #notes: Notes;
  #limits: RiskLimits;
  /** Null before the first valuation. */
  #guard: LossGuard | null;
  /** As the ledger has it. */
  #stored: LossState | null;
  /** Rung for the used part of a limit. */
  rung: LossRung = NO_LOSS_RUNG;

  constructor(notes: Notes, limits: RiskLimits) {
    this.#notes = notes;
    this.#limits = limits;
    const text = notes.note(LOSS_NOTE);
    // This class alone writes the note, so it parses.
    this.#stored = text === null ? null : (JSON.parse(text) as LossState);
    this.#guard = this.#stored === null ? null : LossGuard.restore(this.#stored);
  }

  /** Sets new limits; losses and a halt stay. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
    this.rung = lossRung(this.facts, limits);
  }

  get facts(): LossFacts {
    return this.#guard?.facts ?? NO_LOSS;
  }

  /** Null before the first valuation. */
  get days(): DayResults | null {
    return this.#guard?.days ?? null;
  }

  get halted(): string | null {
    return this.#guard?.state.halted ?? null;
  }

  /** Takes in the current worth. Returns the reason when this call halts, else null. */
  observe(nowMs: number, worth: HoldingsWorth): string | null {
    this.#guard ??= LossGuard.start(nowMs, worth.equityMicros);
    const halted = this.#guard.observe(nowMs, worth.equityMicros, this.#limits, worth.passingMicros);
    this.rung = lossRung(this.#guard.facts, this.#limits);
    return halted;
  }

  /** True when the stored losses differ by more than allowed, so they must be stored. */
  get isDue(): boolean {
    if (this.#guard === null) return false;
    return this.#stored === null || this.#guard.hasMovedFrom(this.#stored, this.#limits);
  }

  /** True after the first valuation. */
  get isStarted(): boolean {
    return this.#guard !== null;
  }

  /** The configured capital differs from the ledger's. Without a valuation there is nothing to correct. */
  capitalMoved(amount: Micros): void {
    this.#guard?.capitalMoved(amount);
  }

  store(): void {
    if (this.#guard === null) return;
    this.#stored = this.#guard.state;
    this.#notes.setNote(LOSS_NOTE, JSON.stringify(this.#guard.state));
  }

  /** @param isHeldBack whether a partly used limit holds the trader back; the operator accepts that loss too */
  resume(isHeldBack = false): void {
    this.#guard?.resume(isHeldBack);
    this.rung = lossRung(this.facts, this.#limits);
  }
}

const LONGEST_WAIT_MS = 30_000;
const MINUTE_MS = 60_000;
/** Enough for one minute of attempts; older times are dropped. */
const MOST_TIMES = 200;

interface Row {
  readonly slug: string;
  readonly words: string;
  /** Rejections in a row with this slug. */
  readonly repeats: number;
  readonly sinceMs: number;
  /** Our clock, ms, of the newest rejections. */
  readonly times: readonly number[];
}

export class ExchangeRefusals {
  #row: Row | null = null;
  #isTold = false;

  /** @param nowMs our clock */
  onRefused({ slug, reason }: { readonly slug: string; readonly reason: string }, nowMs: number): void {
    const before = this.#row;
    this.#row = {
      slug,
      words: reason,
      repeats: before?.slug === slug ? before.repeats + 1 : 1,
      // After a clock set back, the row begins now.
      sinceMs: Math.min(before?.sinceMs ?? nowMs, nowMs),
      times: [...(before?.times ?? []), nowMs].slice(-MOST_TIMES),
    };
  }

  /** Returns true when the end of the row is reported: only if its beginning was. */
  onTaken(): boolean {
    const wasTold = this.#isTold;
    this.#row = null;
    this.#isTold = false;
    return wasTold;
  }

  /**
   * Wait before the next order, ms; doubled with each rejection of the same kind. @param firstMs wait after the first
   * one
   */
  waitMs(firstMs: number): number {
    const doublings = Math.min((this.#row?.repeats ?? 1) - 1, 10);
    return Math.min(firstMs * 2 ** doublings, Math.max(firstMs, LONGEST_WAIT_MS));
  }

  /** True once when a minute brought only rejections. */
  takeLasting(nowMs: number): boolean {
    if (this.#row === null || this.#isTold || nowMs - this.#row.sinceMs < MINUTE_MS) return false;
    this.#isTold = true;
    return true;
  }

  /** `refused by the exchange: SLUG`; null when the newest order was accepted. */
  get note(): string | null {
    return this.#row === null ? null : `refused by the exchange: ${this.#row.slug}`;
  }

  /** One sentence about the row; null when the newest order was accepted. */
  describe(nowMs: number): string | null {
    if (this.#row === null) return null;
    const { slug, words, sinceMs, times } = this.#row;
    const lately = times.filter((atMs) => nowMs - atMs <= MINUTE_MS).length;
    return `the exchange refuses its orders since ${utcText(sinceMs)} UTC, ${lately} in the last minute; the newest: ${slug}, ${words}`;
  }
}
