/** What the ledger answers and takes beside the records of its tables. */

import type Sqlite from 'better-sqlite3';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { ConversionKind, IntentRow, IntentState, OrderRecord } from './tables.js';

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

/** Where small state is kept that a restart must know. */
export interface Notes {
  note(key: string): string | null;
  setNote(key: string, value: string): void;
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
