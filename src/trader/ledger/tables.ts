/** The ledger's records and tables. Amounts and prices: micros; `…Ms`: our clock; `…S`: exchange time, Unix seconds. */

import type Sqlite from 'better-sqlite3';
import type { Micros } from '../../shared/base/micros.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import { type MarketState, type OrderStatus, SIDES } from '../../shared/protocol/states.js';
import {
  amount,
  choice,
  flag,
  integer,
  optionalAmount,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalText,
  type RecordOf,
  state,
  Table,
  text,
} from './table.js';

export const INTENT_KINDS = ['place', 'cancel', 'merge', 'split', 'redeem'] as const;
/** Change that an intent makes at the exchange. */
export type IntentKind = (typeof INTENT_KINDS)[number];

export const CONVERSION_KINDS = ['merge', 'split', 'redeem'] as const satisfies readonly IntentKind[];
/** Conversions between shares and currency without a trade. */
export type ConversionKind = (typeof CONVERSION_KINDS)[number];

export const INTENT_STATES = [
  'intended', // the row is stored, and its draft is requested
  'drafted', // the draft is stored, nothing is signed
  'signed', // the signature is stored and may be submitted
  'unknown', // the signature was submitted, and the outcome is unknown
  'live', // the exchange confirmed it: an order rests, or a merge is being settled
  'abandoned', // never signed and never will be; its locks at the exchange last until the draft expires
  'done', // completed: order filled or canceled; cancel, merge, split or redeem settled
  'refused', // rejected by the exchange or the trader before it could have an effect
  'failed', // the exchange's record shows it as failed
  'expired', // it had no effect and can no longer have one
] as const;
/** State of an intent; `executor/lifecycle.ts` lists the transitions. */
export type IntentState = (typeof INTENT_STATES)[number];

/** One start of the trader. */
export const RUNS = new Table('runs', {
  id: text('id', 'PRIMARY KEY'),
  version: text('version'),
  configHash: text('config_hash'),
  startedMs: integer('started_ms'),
  /** End of the run, our clock, ms; null for a running or killed run. */
  stoppedMs: optionalInteger('stopped_ms'),
  note: text('note', "DEFAULT ''"),
});
/** Note of a regular stop, after the exchange has shown that no order rests. */
export const ENDED_PROVEN = 'stopped, nothing rests';

/** One start of the trader. */
export type RunRow = RecordOf<typeof RUNS>;

export const INTENTS = new Table(
  'intents',
  {
    id: text('id', 'UNIQUE'),
    runId: text('run_id', 'REFERENCES runs (id)'),
    kind: choice('kind', INTENT_KINDS),
    marketConditionId: text('market'),
    /** Outcome and side of a place; null for other kinds. */
    isYes: optionalFlag('is_yes'),
    side: optionalChoice('side', SIDES),
    /** Price of a place for its own outcome. Price of a split: the YES price that divides the cost. Else null. */
    priceMicros: optionalAmount('price'),
    /** Shares of a place, complete sets of a merge or split; null for cancel and redeem. */
    amountMicros: optionalAmount('amount'),
    /** Shares that a redeem gives up; null for other kinds. */
    redeemYesMicros: optionalAmount('redeem_yes'),
    redeemNoMicros: optionalAmount('redeem_no'),
    /** The order that a cancel targets; null for other kinds. */
    orderPubkey: optionalText('order_pubkey'),
    /** Highest fee rate of the market at approval; the reserved currency depends on it. */
    feeRateMicros: amount('fee_rate'),
    strategy: text('strategy'),
    /** True for a place that a strategy sent to gain information. */
    isProbe: flag('is_probe'),
    /** Reasons for the intent as JSON, shown by `explain`. */
    reason: text('reason'),
    state: state<IntentState>('state'),
    /** Pubkey of the draft: for a place the order's, for a cancel the canceled order's. */
    draftPubkey: optionalText('draft_pubkey'),
    /** Text to sign, as received. */
    message: optionalText('message'),
    /** Expiry of the draft and its locks, exchange time, Unix s; null until drafted. */
    expiresAtS: optionalInteger('expires_at_s'),
    /** Signature, 128 lowercase hex characters; null until signed. */
    signature: optionalText('signature'),
    /** Number of submits handed to the network; 0 proves that the signature was never sent. */
    submitCount: integer('submit_count'),
    createdMs: integer('created_ms'),
    updatedMs: integer('updated_ms'),
    /** Reason for the present state, in words. */
    lastReason: text('last_reason'),
    configHash: text('config_hash'),
  },
  { isPlaced: true },
);
/** Writes an intent's changes into its row. Needs a transaction. */
export const updateIntent = INTENTS.updater('id', [
  'state',
  'draftPubkey',
  'message',
  'expiresAtS',
  'signature',
  'submitCount',
  'updatedMs',
  'lastReason',
]);
/** One approved change at the exchange and its progress; its row is written before its first request. */
export type IntentRow = RecordOf<typeof INTENTS>;

export const ORDERS = new Table(
  'orders',
  {
    pubkey: text('pubkey', 'UNIQUE'),
    intentId: text('intent_id', 'UNIQUE REFERENCES intents (id)'),
    marketConditionId: text('market'),
    isYes: flag('is_yes'),
    side: choice('side', SIDES),
    priceMicros: amount('price'),
    amountMicros: amount('amount'),
    /** Highest filled amount in the exchange's rows of this order. */
    filledMicros: amount('filled'),
    /** Filled amount booked in this ledger. */
    bookedMicros: amount('booked', 'DEFAULT 0'),
    /** Amount of the order's trades that the exchange now reports as failed; none of them is booked. */
    failedMicros: amount('failed', 'DEFAULT 0'),
    status: state<OrderStatus>('status'),
    createdMs: integer('created_ms'),
    /** Time of the first final status; null while the order may fill. */
    closedMs: optionalInteger('closed_ms'),
  },
  { isPlaced: true },
);
/** Writes the exchange's changes of an order into its row. Needs a transaction. */
export const updateOrder = ORDERS.updater('pubkey', ['status', 'filledMicros', 'closedMs']);
/** An own order; its row exists from the moment its draft is stored. */
export type OrderRecord = RecordOf<typeof ORDERS>;

export const FILLS = new Table(
  'fills',
  {
    /** Pubkey of the trade; on a venue without own trades, `{order}@{cumulative amount}`. */
    pubkey: text('pubkey', 'UNIQUE'),
    orderPubkey: text('order_pubkey', 'REFERENCES orders (pubkey)'),
    marketConditionId: text('market'),
    isYes: flag('is_yes'),
    side: choice('side', SIDES),
    /** Price of the order's own outcome. */
    priceMicros: amount('price'),
    amountMicros: amount('amount'),
    /** Fee, currency; null when the exchange reported none (booked as 0). */
    feeMicros: optionalAmount('fee'),
    isMaker: optionalFlag('is_maker'),
    timestampS: integer('timestamp_s'),
    seenMs: integer('seen_ms'),
  },
  { isPlaced: true },
);
/** One booked fill of an own order. */
export type BookedFill = RecordOf<typeof FILLS>;

export const CONVERSIONS = new Table(
  'conversions',
  {
    pubkey: text('pubkey', 'UNIQUE'),
    intentId: text('intent_id', 'UNIQUE REFERENCES intents (id)'),
    kind: choice('kind', CONVERSION_KINDS),
    marketConditionId: text('market'),
    /** Shares given up; negative for a split. */
    yesMicros: amount('yes'),
    noMicros: amount('no'),
    /** Currency received; negative for a split. */
    cashMicros: amount('cash'),
    /** Part of a split's currency that its YES shares cost; null for others. */
    yesCostMicros: optionalAmount('yes_cost'),
    seenMs: integer('seen_ms'),
  },
  { isPlaced: true },
);
/** A completed merge, split or redeem, as booked. */
export type BookedConversion = RecordOf<typeof CONVERSIONS>;

export const MARKETS = new Table(
  'markets',
  {
    conditionId: text('condition_id', 'PRIMARY KEY'),
    title: text('title'),
    state: state<MarketState>('state'),
    eventConditionId: optionalText('event'),
    yesLabel: optionalText('yes_label'),
    noLabel: optionalText('no_label'),
    makerFeeRateMicros: amount('maker_fee_rate'),
    takerFeeRateMicros: amount('taker_fee_rate'),
    /** Resolution time, Unix s; null when unknown. */
    resolutionS: optionalInteger('resolution_s'),
    seenMs: integer('seen_ms'),
  },
  { hasRowId: false },
);
/** Stored market facts, so that reports need no exchange. */
export type MarketRecord = RecordOf<typeof MARKETS>;

/** One row per version of a strategy's state; rows of other versions are kept unread. */
export const STRATEGY_STATES = new Table(
  'strategy_states',
  {
    marketConditionId: text('market'),
    strategy: text('strategy'),
    /** Version of the text's format, as declared by the strategy's module. */
    version: integer('version'),
    /** State as JSON. */
    text: text('state'),
    savedMs: integer('saved_ms'),
  },
  { constraints: ['PRIMARY KEY (market, strategy, version)'], hasRowId: false },
);
/** Saved state of a strategy in one market. */
export type StrategyStateRow = RecordOf<typeof STRATEGY_STATES>;

export const FINAL_INTENT_STATES = ['done', 'refused', 'failed', 'expired'] as const satisfies readonly IntentState[];

/** True for a state that no normal event changes. */
export const isFinalIntent = (state: IntentState): boolean => FINAL_INTENT_STATES.some((final) => final === state);

/** A stored draft with the terms of its intent, as input of the signer. */
export interface StoredDraftRow {
  readonly intentId: string;
  readonly marketConditionId: string;
  readonly draftPubkey: string;
  readonly message: string;
  readonly terms: DraftTerms;
}

/** Booking of a trade. `fee_paid`: books only the missing fee. `differs`: contradicts the booked trade; no change. */
export type FillBooking = 'booked' | 'fee_paid' | 'repeated' | 'differs';

/** Result of noting a failed trade. `noted`: no booking existed. `unbooked`: the booking is reversed. */
export type FailureNote = 'noted' | 'unbooked' | 'repeated';

/** One outcome whose holding the operator adopts: amounts that the ledger lacks, negative for an excess. */
export interface AdoptedOutcome {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  /** Recorded moves of the exchange, in booking order. */
  readonly recorded: readonly AdoptedMove[];
  /** Shares without a recorded cost. */
  readonly restMicros: Micros;
  /** Value of `restMicros` in currency; negative for negative shares. */
  readonly restWorthMicros: Micros;
}

/** Received shares, paid currency and fees; negative for the reverse. */
export interface AdoptedMove {
  readonly sharesMicros: Micros;
  readonly spentMicros: Micros;
  readonly feesMicros: Micros;
}

/** Held shares of one outcome, and their cost without fees. */
export interface PositionRow {
  readonly marketConditionId: string;
  readonly isYes: boolean;
  readonly sharesMicros: Micros;
  readonly costMicros: Micros;
}

export const SEVERITIES = ['info', 'loud'] as const;
/** An event for the operator: a command with its reason, a refused signature, a foreign order. */
export interface OperatorEvent {
  readonly timeMs: number;
  readonly severity: (typeof SEVERITIES)[number];
  readonly kind: string;
  readonly text: string;
}

/** An irregular record of the own wallet; each is stored once. */
export type Oddity =
  | 'foreign_order'
  | 'signed_elsewhere'
  | 'foreign_trade'
  | UnsettledTrade
  | 'fill_differs'
  | 'cancel_undone'
  | 'came_back';
type UnsettledTrade = 'failed_trade' | 'settled_trade_failed' | 'failed_trade_settled';

/** Selection of rows of a list. */
export interface Page {
  /** Maximum number of rows, newest first; default 100. */
  readonly limit?: number;
  readonly marketConditionId?: string;
}

/** Effect of one booking on cash, result and fees. */
export interface BookingRow {
  /** Id of the booking; ids increase. */
  readonly id: number;
  readonly kind: 'capital' | ConversionKind | 'fill' | 'adopt';
  /** Time of the booking, our clock, ms. */
  readonly timeMs: number;
  /** Market of the booking; null without a market. */
  readonly marketConditionId: string | null;
  /** Strategy of the booking's intent; null without an intent, and for a reversed fill. */
  readonly strategy: string | null;
  readonly cashMicros: Micros;
  /** Realised result before fees, at average cost. */
  readonly realisedMicros: Micros;
  readonly feesMicros: Micros;
}

/** Storage of small values by key, for the next start. */
export interface Notes {
  note(key: string): string | null;
  setNote(key: string, value: string): void;
}

/** A value kept over restarts as a JSON note. Only one class writes each note, so invalid JSON is a bug and throws. */
export class StoredMemory<T> {
  readonly #notes: Notes;
  readonly #key: string;
  readonly #initial: string;

  /** @param initial the value before the first write */
  constructor(notes: Notes, key: string, initial: T) {
    this.#notes = notes;
    this.#key = key;
    this.#initial = JSON.stringify(initial);
  }

  get value(): T {
    return JSON.parse(this.#text) as T;
  }

  /** An equal value is not written again. */
  set value(value: T) {
    const text = JSON.stringify(value);
    if (text !== this.#text) this.#notes.setNote(this.#key, text);
  }

  get #text(): string {
    return this.#notes.note(this.#key) ?? this.#initial;
  }
}

/** SQLite's online backup of an open ledger; asynchronous. */
export type BackupSource = Pick<Sqlite.Database, 'backup'>;

/** Fields of an intent that change after its creation; absent ones stay. */
export type IntentChange = Pick<IntentRow, 'state' | 'updatedMs'> &
  Partial<Pick<IntentRow, 'draftPubkey' | 'message' | 'expiresAtS' | 'signature' | 'submitCount' | 'lastReason'>>;

/** Fields of an order that the exchange's answers change. */
export type OrderChange = Pick<OrderRecord, 'status' | 'filledMicros' | 'closedMs'>;

/** Limits of one pruning batch. */
export interface PrunePage {
  /** Only rows that ended before this time are deleted, our clock, ms. */
  readonly beforeMs: number;
  /** Pubkeys of orders: rows that ended later than `lagMs` before the oldest's draft stay. Without pubkeys all stay. */
  readonly marked: readonly string[];
  readonly lagMs: number;
  /** Returns true when the row with this intent id or pubkey must stay. */
  readonly keeps: (name: string) => boolean;
  /** Place before the first checked intent; `rows` is the number of intents to check. */
  readonly after: number;
  readonly rows: number;
}

/** Result of one pruning batch; `rows` counts deleted rows. */
export interface PrunedPage {
  readonly rows: number;
  /** Place of the last checked intent; null after the last one. */
  readonly after: number | null;
  /** Rows that ended at this time or later stay, our clock, ms; null when all stay. */
  readonly untilMs: number | null;
}

/** SQLite application id, 'TWBK' in ASCII; it marks a file as a ledger. */
export const APPLICATION_ID = 0x5457424b;

/** Ledger version; incremented at any change of the tables or of the meaning of rows. */
export const LEDGER_VERSION = 9;

/** Micros, milliseconds, seconds and booleans are stored as INTEGER; STRICT tables reject other types. */
export const SCHEMA = `
${RUNS.ddl}

${INTENTS.ddl}
CREATE INDEX intents_active ON intents (seq) WHERE state NOT IN ('done', 'refused', 'failed', 'expired');
CREATE INDEX intents_market ON intents (market, seq);

${ORDERS.ddl}
CREATE INDEX orders_unsettled ON orders (seq) WHERE closed_ms IS NULL OR filled > booked + failed;
CREATE INDEX orders_market ON orders (market, seq);

${FILLS.ddl}
CREATE INDEX fills_order ON fills (order_pubkey);
CREATE INDEX fills_market ON fills (market, seq);

CREATE TABLE failed_trades (
  pubkey TEXT PRIMARY KEY,
  order_pubkey TEXT NOT NULL REFERENCES orders (pubkey),
  amount INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX failed_trades_order ON failed_trades (order_pubkey);

${CONVERSIONS.ddl}

-- A transaction's postings sum to zero per asset; the code checks it before it writes.
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('capital', 'fill', 'merge', 'split', 'redeem', 'adopt')),
  ref TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  UNIQUE (kind, ref)
) STRICT;
CREATE TABLE postings (
  transaction_id INTEGER NOT NULL REFERENCES transactions (id),
  account TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (transaction_id, account, asset)
) STRICT, WITHOUT ROWID;
-- The running sums of postings, so that a start does not read all history.
CREATE TABLE balances (
  account TEXT PRIMARY KEY,
  asset TEXT NOT NULL,
  amount INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX balances_held ON balances (account, asset, amount) WHERE amount <> 0;

${MARKETS.ddl}

CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('info', 'loud')),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  -- Related pubkey or intent id; the event is pruned with that order or intent.
  subject TEXT
) STRICT;
-- The dashboard counts events of one kind every second.
CREATE INDEX events_kind ON events (kind);
CREATE INDEX events_subject ON events (subject) WHERE subject IS NOT NULL;

CREATE TABLE oddities (
  kind TEXT NOT NULL,
  pubkey TEXT NOT NULL,
  text TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, pubkey)
) STRICT, WITHOUT ROWID;

${STRATEGY_STATES.ddl}
`;

/** Drops indexes that only long histories need, for virtual time: they cost more than half of each write. */
export const WITHOUT_HISTORY = `
DROP INDEX intents_active;
DROP INDEX intents_market;
DROP INDEX orders_unsettled;
DROP INDEX orders_market;
DROP INDEX fills_market;
DROP INDEX balances_held;
DROP INDEX events_kind;
`;
