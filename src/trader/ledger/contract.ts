/**
 * What the ledger keeps and how it is asked: rows as the rest of the trader sees them, and the two interfaces, one for
 * those who only look (command line, dashboard) and one for the single process that writes.
 *
 * Amounts and prices are Micros; `…Ms` is our own clock in milliseconds, `…S` the exchange's in Unix seconds.
 */

import type Sqlite from 'better-sqlite3';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { OrderStatus } from '../../shared/protocol/states.js';
import type { Booked } from './table.js';
import type {
  BookedConversion,
  BookedFill,
  ConversionKind,
  IntentKind,
  IntentRow,
  IntentState,
  MarketRecord,
  OrderRecord,
  RunRow,
  StrategyStateRow,
} from './tables.js';

export type { Booked } from './table.js';
export type {
  BookedConversion,
  BookedFill,
  ConversionKind,
  IntentKind,
  IntentRow,
  IntentState,
  MarketRecord,
  OrderRecord,
  RunRow,
  StrategyStateRow,
} from './tables.js';

export const FINAL_INTENT_STATES = ['done', 'refused', 'failed', 'expired'] as const satisfies readonly IntentState[];

/** Whether no move leads out of this state. */
export const isFinalIntent = (state: IntentState): boolean => FINAL_INTENT_STATES.some((final) => final === state);

/** A trade of an order of ours that did not settle, or was taken back. */
export interface FailedTradeRow {
  readonly pubkey: string;
  readonly marketConditionId: string;
  readonly isYes: boolean;
}

/** A stored draft beside the terms that its intent had before anything was asked: what the signer is given. */
export interface StoredDraftRow {
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly draftPubkey: string;
  readonly message: string;
  readonly terms: DraftTerms;
}

/** Of a trade that is booked already: `fee_paid`, its fee is booked now, which nobody had named; `differs`, its content is other, and nothing was changed. */
export type FillBooking = 'booked' | 'fee_paid' | 'repeated' | 'differs';

/** `noted`: it never was booked; `unbooked`: it was, and what it moved has been moved back; `repeated`: nothing is new. */
export type FailureNote = 'noted' | 'unbooked' | 'repeated';

/** One outcome whose holdings an operator takes over from the exchange. Amounts are what the ledger lacks; negative for too much. */
export interface AdoptedOutcome {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  /** Moves of which the exchange has records, in the order in which they are booked. */
  readonly recorded: readonly AdoptedMove[];
  /** Shares of which no record says what they cost. */
  readonly restMicros: Micros;
  /** Their worth in currency; negative with them. */
  readonly restWorthMicros: Micros;
}

/** Shares that came, and currency that left for them; negative for shares that left and currency that came. */
export interface AdoptedMove {
  readonly sharesMicros: Micros;
  readonly spentMicros: Micros;
  readonly feesMicros: Micros;
}

/** Shares held, with what they cost on average (fees apart). */
export interface PositionRow {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly sharesMicros: Micros;
  readonly costMicros: Micros;
}

/** Capital, cash and result of the whole ledger; all in Micros of currency. */
export interface PnlRow {
  readonly capitalMicros: Micros;
  readonly cashMicros: Micros;
  /** Before fees, at average cost. */
  readonly realisedMicros: Micros;
  /** Fees paid, as a positive number. */
  readonly feesMicros: Micros;
  /** Shares at their marks minus their cost; positions without a mark count at cost. */
  readonly unrealisedMicros: Micros;
  /** realised - fees + unrealised. */
  readonly totalMicros: Micros;
  /** Markets with shares whose mark was not given. */
  readonly unmarked: readonly string[];
}

export const SEVERITIES = ['info', 'loud'] as const;
/** Something a person should be able to find later: a command with its reason, a refusal to sign, a foreign order. */
export interface OperatorEvent {
  readonly timeMs: number;
  readonly severity: (typeof SEVERITIES)[number];
  readonly kind: string;
  readonly text: string;
}

/** What was seen at the exchange under our wallet and is not ours, or not as it should be. Remembered once. */
export type Oddity =
  | 'foreign_order'
  | 'signed_elsewhere'
  | 'foreign_trade'
  | UnsettledTrade
  | 'fill_differs'
  | 'cancel_undone'
  | 'came_back';
type UnsettledTrade = 'failed_trade' | 'settled_trade_failed' | 'failed_trade_settled';

/** Which rows of a list are wanted. */
export interface Page {
  /** Newest first; default 100. */
  readonly limit?: number;
  readonly marketConditionId?: string;
}

/** What one booking moved of results; in the order of booking. */
export interface BookingRow {
  /** Higher than that of every booking before it. */
  readonly id: number;
  readonly kind: 'capital' | ConversionKind | 'fill' | 'adopt';
  /** Our clock, ms. */
  readonly timeMs: number;
  /** Null where it is about no market. */
  readonly marketConditionId: string | null;
  /** Null where none led to it, and of a fill that was taken back since. */
  readonly strategy: string | null;
  readonly cashMicros: Micros;
  /** Before fees, at average cost. */
  readonly realisedMicros: Micros;
  readonly feesMicros: Micros;
}

/** Reads. Works beside a running trader and without one. */
export interface LedgerReader {
  readonly path: string;
  intent(id: string): IntentRow | null;
  intents(page?: Page & { readonly states?: readonly IntentState[]; readonly kind?: IntentKind }): readonly IntentRow[];
  /** Null when the intent is unknown or has no draft yet. */
  storedDraft(intentId: string): StoredDraftRow | null;
  order(pubkey: string): OrderRecord | null;
  orders(page?: Page & { readonly statuses?: readonly OrderStatus[] }): readonly OrderRecord[];
  fills(page?: Page & { readonly orderPubkey?: string }): readonly BookedFill[];
  conversions(page?: Page): readonly BookedConversion[];
  fill(pubkey: string): BookedFill | null;
  conversion(pubkey: string): BookedConversion | null;
  /** What was booked after this place, oldest first; its cost follows from what it returns, not from what went before. */
  fillsAfter(seq: number): readonly Booked<BookedFill>[];
  conversionsAfter(seq: number): readonly Booked<BookedConversion>[];
  /** The place of the newest; 0 while there is none. */
  newestSeq(of: 'fills' | 'conversions'): number;
  /** The next bookings after this one, 0 for the first, oldest first: their sums are those of `pnl`. */
  bookingsAfter(id: number, limit: number): readonly BookingRow[];
  /** The id of the newest booking; 0 while there is none. */
  newestBooking(): number;
  /** The exchange said once of this trade that it had failed, whatever it said since. */
  hadFailed(tradePubkey: string): boolean;
  /** Trades that the exchange said last had failed. */
  failedTrades(): readonly FailedTradeRow[];
  /** How often a trade was noted as failed, or booked after that. */
  tradeTurns(): number;
  /** Everything not final: bounded by what is under way, not by history. */
  activeIntents(): readonly IntentRow[];
  /** Orders that may still fill or whose fills are not all booked. */
  unsettledOrders(): readonly OrderRecord[];
  /** Every holding that is not zero. */
  positions(): readonly PositionRow[];
  /** Shares held of one outcome; ZERO for none. */
  shares(marketConditionId: string, isYes: boolean): Micros;
  cash(): Micros;
  /** Worth of adopted shares of which no record says what they cost, when they were adopted. */
  adopted(): Micros;
  /** `marks`: YES price per market. */
  pnl(marks: ReadonlyMap<string, Micros>): PnlRow;
  market(conditionId: string): MarketRecord | null;
  markets(): readonly MarketRecord[];
  events(limit?: number): readonly OperatorEvent[];
  /** How often an event of this kind was kept, over all runs. */
  eventCount(kind: string): number;
  runs(limit?: number): readonly RunRow[];
  /** What a strategy saved last of a market in this version, else in any; null for nothing. */
  strategyState(strategy: string, marketConditionId: string, version: number): StrategyStateRow | null;
  /** The newest of every strategy in every market. */
  strategyStates(): readonly StrategyStateRow[];
  /** Our clock, ms: before this moment orders and intents that moved nothing were pruned; null where none ever were. */
  prunedBefore(): number | null;
  /** Small state that survives a restart: kill, pause, loss guard. */
  note(key: string): string | null;
  /** Differences inside the ledger (postings against balances, fills against orders); empty when all agree. */
  verify(): readonly string[];
  /** What SQLite finds wrong with the pages of the file, which it reads to its end; empty for a whole one. */
  checkPages(): readonly string[];
  close(): void;
}

/** SQLite's online backup of an open ledger, asynchronous: a shell's business. */
export type BackupSource = Pick<Sqlite.Database, 'backup'>;

/** The fields of an intent that change after it was written; an absent one stays as it is. */
export type IntentChange = Pick<IntentRow, 'state' | 'updatedMs'> &
  Partial<Pick<IntentRow, 'draftPubkey' | 'message' | 'expiresAtS' | 'signature' | 'submitCount' | 'lastReason'>>;

/** The fields of an order that an answer of the exchange changes. */
export type OrderChange = Pick<OrderRecord, 'status' | 'filledMicros' | 'closedMs'>;

/** Which rows may be deleted. */
export interface PrunePage {
  /** Rows that ended before this moment, our clock, ms. */
  readonly beforeMs: number;
  /** Pubkeys: what was not over this long, ms, before the oldest of these orders was drafted stays; everything without them. */
  readonly marked: readonly string[];
  readonly lagMs: number;
  /** Whether the row with this intent id or pubkey stays. */
  readonly keeps: (name: string) => boolean;
  /** Place of the intent before the first to look at, and how many to look at. */
  readonly after: number;
  readonly rows: number;
}

/** What was deleted. */
export interface PrunedPage {
  readonly rows: number;
  /** Place of the last intent that was looked at; null behind the last of all. */
  readonly after: number | null;
  /** What ended later stays, ms; null where everything stays. */
  readonly untilMs: number | null;
}

/** The writer. Every write must run inside `transaction`; one that fails, or its commit or sync, throws LedgerBroken: the ledger then refuses everything, the process cancels and exits. */
export interface Ledger extends LedgerReader {
  /** BEGIN IMMEDIATE … COMMIT, synchronous, not nested. What `work` throws rolls back and is thrown on. */
  transaction<T>(work: () => T): T;
  /** Told where nothing waits for the next commit, which then has no old ones to carry over. Outside of `transaction`; throws as it does. */
  rest(): void;

  startRun(run: Omit<RunRow, 'stoppedMs' | 'note'>): void;
  stopRun(id: string, stoppedMs: number, note: string): void;
  /** Books what is missing (or too much) against the configured capital. */
  setCapital(capital: Micros, nowMs: number): void;

  addIntent(intent: IntentRow): void;
  /** Returns the row as it is now. */
  changeIntent(id: string, change: IntentChange): IntentRow;

  addOrder(order: OrderRecord): void;
  changeOrder(pubkey: string, change: OrderChange): OrderRecord;

  /** Once per trade pubkey, with its postings. The order must be in the ledger. One that had failed counts as failed no more. */
  bookFill(fill: BookedFill): FillBooking;
  /** Counts a failed trade against its order, once per pubkey, and books the opposite of what it had moved, if anything. */
  noteFailedTrade(tradePubkey: string, orderPubkey: string, amount: Micros, nowMs: number): FailureNote;
  /** Once per pubkey; false when it is booked already. */
  bookConversion(conversion: BookedConversion): boolean;

  /** Books what the exchange holds and the ledger lacks, once; the reason stays with the booking. */
  adopt(outcome: AdoptedOutcome, reason: string, nowMs: number): void;

  saveMarket(market: MarketRecord): void;
  /** In place of what its version saved before. */
  saveStrategyState(state: StrategyStateRow): void;
  /** Nobody can go on from what was saved in this version: it stays to be looked at, and is not found any more. */
  setStrategyStateAside(strategy: string, marketConditionId: string, version: number): void;
  /** Of a market that is over. */
  forgetStrategyStates(marketConditionId: string): void;
  setNote(key: string, value: string): void;
  /** `subject`: the pubkey or intent id that it is about; `prune` deletes it with that order or intent. */
  addEvent(event: OperatorEvent, subject?: string | null): void;
  /** True when this is the first time that this was seen. */
  noteOddity(kind: Oddity, pubkey: string, text: string, nowMs: number): boolean;

  /** Deletes finished intents and orders without fills among the next rows, with their events. Only for a ledger in a file. */
  prunePage(page: PrunePage): PrunedPage;
  /** Gives at most so many unused pages back to the file system. */
  givePagesBack(pages: number): { readonly bytes: number; readonly isDone: boolean };

  /** Throws LedgerBroken when what has the ledger's name is gone or another file: nobody will ever read what is written. */
  checkFile(): void;

  readonly backupSource: BackupSource;
}
