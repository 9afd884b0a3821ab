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
  readonly #notes: Notes;
  #limits: RiskLimits;

  constructor(ledger: GuardedLedger, limits: RiskLimits) {
    this.#notes = ledger;
    this.#limits = limits;
    this.loss = new LossMemory(ledger, limits);
    const fills = ledger.note(FILLS_NOTE);
    // This class alone writes the note, so it can be read.
    this.fills = new FillGuard(fills === null ? NO_FILLS : (JSON.parse(fills) as FillState), limits);
    this.keys = new KeyAlarm(ledger);
    this.fillAlarm = new FillAlarm(ledger);
    this.pace = new ActionPace(newestActions(ledger, limits.maxActionsPerMinute));
  }

  /** Sets new limits; counts and halts stay. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
    this.loss.configure(limits);
  }

  /** Why a limit or a rejected key has stopped everything until an operator resumes; null without a halt. */
  get halted(): string | null {
    return this.loss.halted ?? this.fills.state.halted ?? this.keys.halted;
  }

  /**
   * Takes in one booked fill; returns the reason when this very fill halts, else null.
   * @param timeS the exchange's time of the fill, Unix seconds
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
    this.keys.resume();
    this.fillAlarm.clear();
  }
}

/** Our clock, ms, of the newest orders and cancels that the ledger has; a number of rows, whatever its history. */
function newestActions(ledger: GuardedLedger, perMinute: number): readonly number[] {
  const rows = ledger.intents({ limit: perMinute * ROWS_PER_ACTION });
  return rows.filter(({ kind }) => kind === 'place' || kind === 'cancel').map(({ createdMs }) => createdMs);
}

/** One sentence in a note of the ledger, which nobody else writes, so that it is read once: it is asked for in every step. */
class NotedText {
  readonly #notes: Notes;
  readonly #note: string;
  #text: string;

  constructor(notes: Notes, note: string) {
    this.#notes = notes;
    this.#note = note;
    this.#text = notes.note(note) ?? '';
  }

  /** Null while it says nothing. */
  get text(): string | null {
    return this.#text === '' ? null : this.#text;
  }

  write(text: string): void {
    this.#notes.setNote(this.#note, text);
    this.#text = text;
  }

  clear(): void {
    if (this.#text !== '') this.write('');
  }
}

/**
 * Fills that cannot be of the orders that were signed, and settled trades that were taken back: ledger and exchange agree on
 * them, because both are the exchange's word, so only this keeps the trader from earning more of them. Only orders that reduce
 * may leave until a person has taken note, over restarts too.
 */
class FillAlarm {
  readonly #noted: NotedText;
  #isNew = false;

  constructor(notes: Notes) {
    this.#noted = new NotedText(notes, 'fill_alarm');
  }

  /** Why only orders that reduce may leave; null while nobody has to look at anything. */
  get verdict(): string | null {
    return this.#noted.text;
  }

  /** The first one stays: a person needs it, and `events` has the others. */
  raise(text: string): void {
    this.#isNew = true;
    if (this.verdict === null) this.#noted.write(text);
  }

  /** Whether it was raised, for the first time or again, since this was last asked. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }

  /** A person has taken note. */
  clear(): void {
    this.#noted.clear();
  }
}

/** Refused for so long a key was revoked; a venue whose sign-in fails for some seconds takes it again by itself. */
const HALTS_AFTER_MS = 20_000;

/** What is ours and read under a key. */
type OwnList = 'orders' | 'fills';

/**
 * The exchange takes no request under our keys: they were revoked, or it has lost them. What rests may fill unseen, so everything
 * is to be canceled; and only a person knows why, so nothing is quoted until one resumes, over restarts too.
 */
class KeyAlarm {
  readonly #noted: NotedText;
  /** Since when every look at a list was refused for its key, by the machine's clock, ms. */
  readonly #sinceMs = new Map<OwnList, number>();

  constructor(notes: Notes) {
    this.#noted = new NotedText(notes, 'key_alarm');
  }

  /** Why everything is stopped until a person resumes it with a reason; null while it is not. */
  get halted(): string | null {
    return this.#noted.text;
  }

  /**
   * A look at own orders or own trades has come back: the reason, when it halts; else null. What cannot be read under a key cannot
   * be canceled under it either. Silence and other failures in between tell nothing of the key. Within the ledger's open
   * transaction.
   */
  observe(list: OwnList, outcome: Outcome, nowMs: number): string | null {
    if (outcome.kind === 'answered') this.#sinceMs.delete(list);
    if (outcome.kind !== 'refused' || !refusesKey(outcome) || this.halted !== null) return null;
    // Where our clock was set back the time begins anew.
    const sinceMs = Math.min(this.#sinceMs.get(list) ?? nowMs, nowMs);
    this.#sinceMs.set(list, sinceMs);
    if (nowMs - sinceMs < HALTS_AFTER_MS) return null;
    const reason = `the exchange refuses our API key (${outcome.slug}: ${outcome.message})`;
    this.#noted.write(reason);
    return reason;
  }

  /** A person accepts what halted. */
  resume(): void {
    this.#sinceMs.clear();
    this.#noted.clear();
  }
}

const LOSS_NOTE = 'loss_guard';
/** Before the first valuation nothing can be lost; shares without a mark keep it that way, and nothing quotes. */
const NO_LOSS: LossFacts = { dayLossMicros: 0 as Micros, drawdownMicros: 0 as Micros, halted: null };

/** Losses: the guard that halts on them, and the rung of the ladder that a part of a limit leads to. */
class LossMemory {
  readonly #notes: Notes;
  #limits: RiskLimits;
  /** Null before the first valuation. */
  #guard: LossGuard | null;
  /** As the ledger has it. */
  #stored: LossState | null;
  #rung: LossRung = NO_LOSS_RUNG;

  constructor(notes: Notes, limits: RiskLimits) {
    this.#notes = notes;
    this.#limits = limits;
    const text = notes.note(LOSS_NOTE);
    // The note is written by this class alone; what it wrote it can read.
    this.#stored = text === null ? null : (JSON.parse(text) as LossState);
    this.#guard = this.#stored === null ? null : LossGuard.restore(this.#stored);
  }

  /** Other limits from now on: losses stay what they are, and so does a halt. */
  configure(limits: RiskLimits): void {
    this.#limits = limits;
    this.#rung = lossRung(this.facts, limits);
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

  /** Where a part of a limit that is used up puts the trader. */
  get rung(): LossRung {
    return this.#rung;
  }

  /** Takes in what we are worth; returns the reason when this very look halts, else null. */
  observe(nowMs: number, worth: HoldingsWorth): string | null {
    this.#guard ??= LossGuard.start(nowMs, worth.equityMicros);
    const halted = this.#guard.observe(nowMs, worth.equityMicros, this.#limits, worth.passingMicros);
    this.#rung = lossRung(this.#guard.facts, this.#limits);
    return halted;
  }

  /** Whether the ledger would measure losses otherwise by more than may be: then it is time to store. */
  get isDue(): boolean {
    if (this.#guard === null) return false;
    return this.#stored === null || this.#guard.hasMovedFrom(this.#stored, this.#limits);
  }

  /** Whether there has been a valuation, so that there is something to store. */
  get isStarted(): boolean {
    return this.#guard !== null;
  }

  /** The configured capital differs from the ledger's. Before the first valuation there is nothing to correct. */
  capitalMoved(amount: Micros): void {
    this.#guard?.capitalMoved(amount);
  }

  store(): void {
    if (this.#guard === null) return;
    this.#stored = this.#guard.state;
    this.#notes.setNote(LOSS_NOTE, JSON.stringify(this.#guard.state));
  }

  /** @param isHeldBack whether a part of a limit holds the trader back, and a person accepts that loss too */
  resume(isHeldBack = false): void {
    this.#guard?.resume(isHeldBack);
    this.#rung = lossRung(this.facts, this.#limits);
  }
}

const LONGEST_WAIT_MS = 30_000;
const MINUTE_MS = 60_000;
/** Enough for a minute of tries; older ones are dropped. */
const MOST_TIMES = 200;

interface Row {
  readonly slug: string;
  readonly words: string;
  /** With this slug, in a row. */
  readonly repeats: number;
  readonly sinceMs: number;
  /** Our clock, ms, of the newest refusals. */
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
      // Where our clock was set back the row begins now.
      sinceMs: Math.min(before?.sinceMs ?? nowMs, nowMs),
      times: [...(before?.times ?? []), nowMs].slice(-MOST_TIMES),
    };
  }

  /** Returns whether the end of the row is reported: only where its beginning was. */
  onTaken(): boolean {
    const wasTold = this.#isTold;
    this.#row = null;
    this.#isTold = false;
    return wasTold;
  }

  /** Wait before the next order, ms: doubled with each refusal of the same kind. @param firstMs after the first one */
  waitMs(firstMs: number): number {
    const doublings = Math.min((this.#row?.repeats ?? 1) - 1, 10);
    return Math.min(firstMs * 2 ** doublings, Math.max(firstMs, LONGEST_WAIT_MS));
  }

  /** True once, when nothing but refusals came for a minute. */
  takeLasting(nowMs: number): boolean {
    if (this.#row === null || this.#isTold || nowMs - this.#row.sinceMs < MINUTE_MS) return false;
    this.#isTold = true;
    return true;
  }

  /** `refused by the exchange: SLUG`; null where the newest order was taken. */
  get note(): string | null {
    return this.#row === null ? null : `refused by the exchange: ${this.#row.slug}`;
  }

  /** The row in one sentence; null where the newest order was taken. */
  describe(nowMs: number): string | null {
    if (this.#row === null) return null;
    const { slug, words, sinceMs, times } = this.#row;
    const lately = times.filter((atMs) => nowMs - atMs <= MINUTE_MS).length;
    return `the exchange refuses its orders since ${utcText(sinceMs)} UTC, ${lately} in the last minute; the newest: ${slug}, ${words}`;
  }
}
